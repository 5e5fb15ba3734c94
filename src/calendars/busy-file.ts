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
 * Fetches and reads one calendar from elsewhere.
 *
 * Guarantees: no connection to the inner network in production, also after redirects (send.ts); at most 5 MB, also when it
 * was compressed; an end within 20 seconds, and of the reading within 2, in a worker with little memory.
 */

const maxBytes = 5_000_000
const maxRedirects = 5
const fetchMs = 20_000
const readMs = 2_000
/** On a busy machine a worker may take a while to load its code; no file can make that longer. */
const startMs = 10_000
const maxMegabytes = 128
/** Calendars that people wait for, one at a time of each business: a file of 5 MB is in memory until it has been read. */
const looks = {
  ...{ owners: 4, waiting: 3, waitingInAll: 16 },
  busy: 'Several calendars are being checked at this moment.',
}

/** A business that has looked at a large file looks at no other for so long: nobody shall have this server load for them. */
const bytesPerRestMs = 500
const largeBytes = 100_000

/** Why there is no new copy: a code, of which the API makes a sentence. */
export type FetchProblem =
  | FileProblem
  | Exclude<ReturnType<typeof reasonOf>, 'status_not_2xx' | 'redirect_not_followed' | 'response_too_large'>
  | `status_${number}`
  | 'redirect_not_allowed'
  | 'too_large'
  | 'too_slow'
  | 'too_much_memory'

/** What the last whole answer had. */
interface Validators {
  etag: string | null
  last_modified: string | null
}

/** How a fetch ended: with the times, with what was there before, or without success. */
export type Fetched =
  | ({ times: BusyTime[] } & Validators)
  | { times: undefined; problem?: undefined }
  | ({ times: undefined } & FetchFault)

/** Why there is no new copy, and where in the file. */
export interface FetchFault {
  problem: FetchProblem
  where?: string
}

interface Answered extends Validators {
  /** Undefined when nothing has changed. */
  text: string | undefined
}

class Failed extends Error {
  readonly fault: FetchFault

  constructor(problem: FetchProblem, where?: string) {
    super(problem)
    this.fault = { problem, ...(where !== undefined && { where }) }
  }
}

/** What tests replace. */
interface ReaderOptions {
  /** Of Holdfast, for `User-Agent`. */
  version: string
  /** Outside of production any address may be connected to, also by http. */
  isUnguarded: boolean
  allowsHttp: boolean
  /** Ranges (CIDR) that are allowed beside public addresses. */
  allowedRanges: readonly string[]
  resolve?: Resolve
}

/** Fetches calendars over connections of its own, until it is closed. */
export class CalendarReader {
  private readonly options: ReaderOptions
  private readonly closing = new AbortController()
  private agent: Promise<Dispatcher> | undefined
  /** Files are read one after the other: each may take a lot of memory. */
  private reading: Promise<unknown> = Promise.resolve()
  private readonly looks = new Turns(looks)
  /** Businesses that have just looked at a large file. */
  private readonly resting = new Set<string>()

  constructor(options: ReaderOptions) {
    this.options = options
  }

  /**
   * As `read`, for somebody of a business who waits. Throws unavailable when too many wait already, and for some seconds after a
   * look at a large file.
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
   * Fetches a calendar, for at most `withinMs`, and reads its busy times. Gives undefined when it was closed before the end.
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
      /** Called with the bytes that were read, also of what is refused. */
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

  /** Cuts off every fetch under way. */
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
      body.on('error', () => undefined).destroy() // else its end would be an error that nobody hears
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
    else await pipeline(body, createGunzip(), collect, { signal }) // nothing else was asked for
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

/** In a checkout as it is written, in the package as it was built (packaging/server-build.ts). */
const program = new URL(
  `./busy-times-program${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
)

/** Reads a file in a worker, which is ended when it takes too long or too much memory. Throws a Failed. */
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
      fail('not_a_calendar') // it has answered before, unless it could not
    })
  })
}
