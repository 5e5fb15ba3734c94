/*
 * Stack traces of the bundled server name the lines of its sources. A map is read when a stack first needs it. Node's
 * own `--enable-source-maps` reads all of them at startup, which costs an idle server 28 MB.
 */
import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { fileURLToPath } from 'node:url'

const folder = new URL('.', import.meta.url).href
const maps = new Map<string, SourceMap | undefined>()

Error.prepareStackTrace = (error, frames) => {
  const places = frames.map(String).map((frame) => frame.replace(/file:\S+?:\d+:\d+/, inSources))
  return `${Error.prototype.toString.call(error)}${places.map((place) => `\n    at ${place}`).join('')}`
}

/** Returns the position in the sources of a position in a bundled file. */
function inSources(place: string): string {
  const [, file = '', line, column] = /^(.*):(\d+):(\d+)$/.exec(place) ?? []
  if (!file.startsWith(folder)) return place
  const origin = mapOf(file)?.findOrigin(Number(line), Number(column))
  return origin && 'fileName' in origin
    ? `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
    : place
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file))
  return maps.get(file)
}

/** Returns undefined if it cannot be read, because reporting an error must not fail. */
function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')) as SourceMapPayload)
  } catch {
    return undefined
  }
}
