import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'
import { createGunzip } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { unavailable } from '../base/errors.ts'
import { Turns } from '../base/turns.ts'
import { isWebAddress, type Resolve } from '../webhooks/addresses.ts'
import { guardedAgent, type GuardOptions, reasonOf } from '../webhooks/send.ts'
import type { BusyTime, FileProblem, FileReading, FileToRead } from './busy-times.ts'

/*
 * Fetches and reads one external calendar.
 *
 * Guarantees: in production no connection to the internal network, not even after redirects (send.ts). At
 * most 5 MB, also after decompression. An end within 20 seconds, and within 2 for reading, in a worker with
 * little memory.
 */

const maxBytes = 5_000_000
const maxRedirects = 5
const fetchMs = 20_000
const readMs = 2_000
/** Time that a worker may take to load its code on a busy machine. No file can prolong it. */
const startMs = 10_000
const maxMegabytes = 128
/**
 * Queue for calendars that people wait for, one at a time for each business. A file of 5 MB stays in memory
 * until it has been read.
 */
const looks = {
  ...{ owners: 4, waiting: 3, waitingInAll: 16 },
  busy: 'Several calendars are being checked at this moment.',
}

/** Pause after checking a large file, per business, so that nobody can abuse this server to generate load. */
const bytesPerRestMs = 500
const largeBytes = 100_000

/** The reason why there is no new copy: a code, which the API turns into a sentence. */
export type FetchProblem =
  | FileProblem
  | Exclude<ReturnType<typeof reasonOf>, 'status_not_2xx' | 'redirect_not_followed' | 'response_too_large'>
  | `status_${number}`
  | 'redirect_not_allowed'
  | 'too_large'
  | 'too_slow'
  | 'too_much_memory'

/** Validators of the last full response. */
interface Validators {
  etag: string | null
  last_modified: string | null
}

/** The result of a fetch: new times, an unchanged calendar, or a failure. */
export type Fetched =
  | ({ times: BusyTime[] } & Validators)
  | { times: undefined; problem?: undefined }
  | ({ times: undefined } & FetchFault)

/** The reason why there is no new copy, and the location in the file. */
export interface FetchFault {
  problem: FetchProblem
  where?: string
}

interface Answered extends Validators {
  /** Undefined if nothing has changed. */
  text: string | undefined
}

class Failed extends Error {
  readonly fault: FetchFault

  constructor(problem: FetchProblem, where?: string) {
    super(problem)
    this.fault = { problem, ...(where !== undefined && { where }) }
  }
}

/** Options that tests replace. */
interface ReaderOptions {
  /** The version of Holdfast, for `User-Agent`. */
  version: string
  /** Outside production, allows connections to any address, also over http. */
  isUnguarded: boolean
  allowsHttp: boolean
  /** Ranges (CIDR) that are allowed in addition to public addresses. */
  allowedRanges: readonly string[]
  resolve?: Resolve
}

/** Fetches calendars over its own connections until it is closed. */
export class CalendarReader {
  private readonly options: ReaderOptions
  private readonly closing = new AbortController()
  private agent: Promise<Dispatcher> | undefined
  /** Files are read one after another, because each may take a lot of memory. */
  private reading: Promise<unknown> = Promise.resolve()
  private readonly looks = new Turns(looks)
  /** Businesses that have just checked a large file. */
  private readonly resting = new Set<string>()

  constructor(options: ReaderOptions) {
    this.options = options
  }

  /**
   * Like `read`, for a user of a business who is waiting. Throws unavailable if too many are waiting, and for
   * some seconds after a check of a large file.
   */
  look(businessId: string, ...[url, file]: Parameters<CalendarReader['read']>): Promise<Fetched | undefined> {
    return this.looks.run(businessId, () => {
      if (this.resting.has(businessId))
        throw unavailable('A large calendar was just checked. Retry in some seconds.')
      const onEnd = (bytes: number) => {
        if (bytes > largeBytes) this.rest(businessId, bytes / bytesPerRestMs)
      }
      return this.read(url, { ...file, onEnd })
    })
  }

  private rest(businessId: string, ms: number): void {
    this.resting.add(businessId)
    setTimeout(() => this.resting.delete(businessId), ms).unref()
  }

  /**
   * Fetches a calendar for at most `withinMs` and reads its busy times. Returns undefined if the reader was
   * closed meanwhile.
   */
  async read(
    url: string,
    {
      known,
      withinMs = fetchMs,
      onEnd,
      ...file
    }: Omit<FileToRead, 'text'> & {
      known?: Validators | undefined
      withinMs?: number
      /** Called with the number of bytes read, also after a refusal. */
      onEnd?: (bytes: number) => void
    },
  ): Promise<Fetched | undefined> {
    try {
      const { text, ...validators } = await this.fetch(new URL(url), { known, withinMs, onEnd })
      if (text === undefined) return { times: undefined }
      const work = this.reading.then(() => readApart({ text, ...file }))
      this.reading = work.catch(() => undefined)
      return { times: await work, ...validators }
    } catch (error) {
      if (this.closing.signal.aborted) return undefined
      return { times: undefined, ...(error instanceof Failed ? error.fault : { problem: problemOf(error) }) }
    }
  }

  /** Aborts every fetch in progress. */
  async close(): Promise<void> {
    this.closing.abort()
    await (await this.agent)?.destroy()
    await this.reading
  }

  private async fetch(
    url: URL,
    {
      known,
      withinMs,
      onEnd,
    }: { known: Validators | undefined; withinMs: number; onEnd: ((bytes: number) => void) | undefined },
  ): Promise<Answered> {
    const { version, isUnguarded, allowsHttp, allowedRanges, resolve } = this.options
    const guard: GuardOptions = {
      ...{ timeoutMs: fetchMs, isUnguarded, allowedRanges },
      ...(resolve && { resolve }),
    }
    const dispatcher = await (this.agent ??= guardedAgent(guard))
    const { request } = await import('undici')
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(withinMs)])
    const headers = {
      ...{ 'user-agent': `Holdfast/${version}`, accept: 'text/calendar', 'accept-encoding': 'gzip' },
      ...(known?.etag && { 'if-none-match': known.etag }),
      ...(known?.last_modified && { 'if-modified-since': known.last_modified }),
    }
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const response = await request(url, { dispatcher, headers, signal })
      const { statusCode: status, body } = response
      const header = (name: string) => {
        const value = response.headers[name]
        return (Array.isArray(value) ? value[0] : value) ?? null
      }
      if (status === 200) {
        const text = await readText(body, { encoding: header('content-encoding'), signal, onEnd })
        return { text, etag: header('etag'), last_modified: header('last-modified') }
      }
      body.on('error', () => undefined).destroy() // without a listener, its end would be an unhandled error
      if (status === 304 && known) return { text: undefined, ...known }
      if (![301, 302, 303, 307, 308].includes(status)) throw new Failed(`status_${status}`)
      const next = URL.parse(header('location') ?? '', url)
      if (!next || !isWebAddress(next, { isProduction: !allowsHttp })) break
      url = next
    }
    throw new Failed('redirect_not_allowed')
  }
}

async function readText(
  body: Dispatcher.ResponseData['body'],
  {
    encoding,
    signal,
    onEnd,
  }: { encoding: string | null; signal: AbortSignal; onEnd: ((bytes: number) => void) | undefined },
): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new Failed('too_large')
      chunks.push(chunk)
    }
  }
  try {
    if (encoding === null || encoding === 'identity') await pipeline(body, collect, { signal })
    else await pipeline(body, createGunzip(), collect, { signal }) // no other encoding was requested
  } finally {
    onEnd?.(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function problemOf(error: unknown): FetchProblem {
  const { name, code } = error as { name?: unknown; code?: unknown }
  if (name === 'AbortError' || name === 'TimeoutError') return 'timeout'
  if (String(code).startsWith('Z_')) return 'invalid_response' // not gzip
  return reasonOf(error) as FetchProblem
}

/** Source file in a checkout, built file in the package (packaging/server-build.ts). */
const program = new URL(
  `./busy-times-program${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
)

/** Reads a file in a worker, which is terminated if it takes too long or too much memory. Throws a Failed. */
function readApart(file: FileToRead): Promise<BusyTime[]> {
  return new Promise((resolve, reject) => {
    const resourceLimits = { maxOldGenerationSizeMb: maxMegabytes, maxYoungGenerationSizeMb: 16 }
    const worker = new Worker(program, { workerData: file, resourceLimits, env: {} })
    const fail = (problem: FetchProblem, where?: string) => reject(new Failed(problem, where))
    const endAfter = (ms: number) =>
      setTimeout(() => {
        fail('too_slow')
        void worker.terminate()
      }, ms)
    let timer = endAfter(startMs)
    worker.on('message', (reading: FileReading | 'begins') => {
      if (reading === 'begins') {
        clearTimeout(timer)
        timer = endAfter(readMs)
      } else if ('times' in reading) resolve(reading.times)
      else fail(reading.problem, reading.where)
    })
    worker.once('error', (error: Error & { code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') fail('too_much_memory')
      else reject(error)
    })
    worker.once('exit', () => {
      clearTimeout(timer)
      fail('not_a_calendar') // has no effect if the worker has already answered
    })
  })
}
