import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Problem } from '../base/errors.ts'
import { knownTags, sendNotModified } from '../http/conditional.ts'
import { pageTag } from '../http/openapi.ts'
import { Media, StrictObject } from '../base/wire.ts'

/** Files whose names never change: websites load the first two, and pages of this server the others. */
const entries = ['v1.js', 'holdfast.js', 'manage.js', 'calendar.js']

/**
 * Registers the script of the booking widget and the files that it loads later. Requests for them wait for
 * `built`.
 */
export function widgetRoutes(built: () => Promise<void> = () => Promise.resolve()) {
  return (app: FastifyInstance): void => {
    let files: Promise<WidgetFiles> | undefined
    const filesWhenBuilt = () => (files ??= built().then(() => new WidgetFiles()))
    app.withTypeProvider<TypeBoxTypeProvider>().get(
      '/widget/:file',
      {
        schema: {
          operationId: 'showWidgetFile',
          tags: [pageTag],
          summary: 'The booking widget for websites',
          description:
            '`/widget/v1.js` is the script that websites load, and `/widget/holdfast.js` the one for popups and the floating button, both with or without `type="module"` and a query. All other names hold the hash of their content and may be kept for ever.',
          params: StrictObject({ file: Type.String({ examples: ['v1.js'] }) }),
          response: {
            200: Media('text/javascript', 'The file.'),
            304: Type.Null({ description: 'It has not changed.' }),
          },
        },
      },
      async (request, reply) => {
        const name = request.params.file
        const file = await (await filesWhenBuilt()).find(name, request.headers['accept-encoding'])
        if (!file) throw new Problem('not_found', missing(name))
        reply.headers({
          // revalidated each time, so that no page runs an old script with new files
          'cache-control': entries.includes(name)
            ? 'public, no-cache'
            : 'public, max-age=31536000, immutable',
          etag: file.etag,
          vary: 'Accept-Encoding',
          'x-content-type-options': 'nosniff',
          'cross-origin-resource-policy': 'cross-origin',
        })
        if (knownTags(request)(file.etag.slice(1, -1))) return sendNotModified(reply)
        if (file.encoding) void reply.header('content-encoding', file.encoding)
        return reply.type('text/javascript; charset=utf-8').send(file.body)
      },
    )
  }
}

function missing(name: string): string {
  return entries.includes(name)
    ? 'The widget is not built: run npm ci, or start the server.'
    : 'There is no such file of the widget.'
}

/** Output of widget/build.ts. */
const directory = resolve(import.meta.dirname, '../../widget/dist')

const compressions = { br: promisify(brotliCompress), gzip: promisify(gzip) }
type Compression = keyof typeof compressions

interface WidgetFile {
  body: Buffer
  etag: string
  encoding: Compression | undefined
}

/** The widget's files, read and compressed once. */
class WidgetFiles {
  private readonly names: ReadonlySet<string>
  private readonly read = new Map<string, Promise<WidgetFile>>()

  constructor() {
    this.names = new Set(namesIn(directory))
  }

  /** Returns a file in an encoding that the client accepts; undefined for an unknown name. */
  find(name: string, acceptEncoding: string | undefined): Promise<WidgetFile> | undefined {
    if (!this.names.has(name)) return undefined
    const encoding = encodingFor(acceptEncoding)
    const key = `${name} ${encoding ?? ''}`
    const known = this.read.get(key) ?? readFile(name, encoding)
    this.read.set(key, known)
    return known
  }
}

/** Returns an empty list if the widget was never built. The API works without it. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.js'))
  } catch {
    return []
  }
}

/**
 * Returns the file with the texts of the widget's first step in a language. Undefined for English, which
 * needs none.
 */
export function languageFile(language: string): string | undefined {
  return namesIn(directory).find((name) => name.startsWith(`${language}-`))
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
