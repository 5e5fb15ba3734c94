/** The parts of a form with files, by name. */
export interface MultipartForm {
  fields: Record<string, string>
  files: Record<string, Buffer>
}

const maxParts = 200
const maxHeaderBytes = 2_048
const boundaryPattern = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i

/**
 * Reads multipart/form-data (RFC 7578) as browsers write it, in linear time. Undefined for anything else, and for more than
 * 200 parts.
 */
export function readMultipart(body: Buffer, contentType: string): MultipartForm | undefined {
  const [, quoted, plain] = boundaryPattern.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return undefined
  const first = Buffer.from(`--${boundary}`)
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  if (body.indexOf(first) !== 0) return undefined
  const form: MultipartForm = { fields: {}, files: {} }
  let at = first.length
  for (let count = 0; count <= maxParts; count += 1) {
    const next = body.toString('latin1', at, at + 2)
    if (next === '--') return form
    const headerEnd = body.subarray(at, at + maxHeaderBytes).indexOf('\r\n\r\n')
    if (next !== '\r\n' || headerEnd === -1) return undefined
    const header = body.toString('utf8', at, at + headerEnd)
    const start = at + headerEnd + 4
    const end = body.indexOf(delimiter, start)
    const [, name] = /\r\ncontent-disposition:[^\r\n]*;\s*name="([^"]*)"/i.exec(header) ?? []
    if (end === -1 || name === undefined) return undefined
    const content = body.subarray(start, end)
    if (/;\s*filename="/i.test(header)) form.files[name] = content
    else form.fields[name] = content.toString()
    at = end + delimiter.length
  }
  return undefined
}
