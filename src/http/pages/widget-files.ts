import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

/** Where the built widget lies; widget/build.ts makes it. */
const directory = resolve(import.meta.dirname, '../../../widget/dist')

const compressions = { br: promisify(brotliCompress), gzip: promisify(gzip) }
type Compression = keyof typeof compressions

/** One file of the widget, as it is sent. */
export interface WidgetFile {
  body: Buffer
  etag: string
  encoding: Compression | undefined
}

/** The files of the widget. They are few and small, and are read and compressed once. */
export class WidgetFiles {
  private readonly names: ReadonlySet<string>
  private readonly read = new Map<string, Promise<WidgetFile>>()

  constructor() {
    this.names = new Set(namesIn(directory))
  }

  /** A file as the client accepts it; undefined when there is none of that name. */
  find(name: string, acceptEncoding: string | undefined): Promise<WidgetFile> | undefined {
    if (!this.names.has(name)) return undefined
    const encoding = encodingFor(acceptEncoding)
    const key = `${name} ${encoding ?? ''}`
    const known = this.read.get(key) ?? readFile(name, encoding)
    this.read.set(key, known)
    return known
  }
}

/** None when the widget was never built: the API works without it. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.js'))
  } catch {
    return []
  }
}

function encodingFor(acceptEncoding = ''): Compression | undefined {
  const accepted = acceptEncoding.split(',').map((part) => part.trim().toLowerCase())
  return (['br', 'gzip'] as const).find((name) =>
    accepted.some((part) => part === name || part.startsWith(`${name};`)),
  )
}

async function readFile(name: string, encoding: Compression | undefined): Promise<WidgetFile> {
  const plain = readFileSync(join(directory, name))
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  return {
    body: encoding ? await compressions[encoding](plain) : plain,
    etag: `"${[hash, encoding].filter(Boolean).join('-')}"`,
    encoding,
  }
}
