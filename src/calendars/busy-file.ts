import { Worker } from 'node:worker_threads'
import { unavailable } from '../base/errors.ts'
import { Turns } from '../base/turns.ts'
import type { FileReading, FileTimes, FileToRead } from './busy-times.ts'
import {
  CalendarHttp,
  type CalendarHttpOptions,
  FetchFailed,
  type FetchFault,
  type FetchProblem,
  faultOf,
} from './calendar-http.ts'
import { AccessTokens } from './oauth.ts'

/*
 * Fetches and reads one external calendar (calendar-http.ts). Reading ends within 2 seconds, in a worker with
 * little memory.
 */

const readMs = 2_000
/** Time that a worker may take to load its code on a busy machine. No file can prolong it. */
const startMs = 10_000
const maxMegabytes = 128
/** One file that takes its whole time delays no other. */
const maxReading = 2
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

/** Validators of the last full response. */
interface Validators {
  etag: string | null
  last_modified: string | null
}

/** The result of a fetch: new times, an unchanged calendar, or a failure. */
export type Fetched =
  | (FileTimes & Validators)
  | { times: undefined; problem?: undefined }
  | ({ times: undefined; retryAfter?: string | null } & FetchFault)

interface Answered extends Validators {
  /** Undefined if nothing has changed. */
  text: string | undefined
}

/** Fetches calendars over its own connections until it is closed. */
export class CalendarReader {
  readonly http: CalendarHttp
  readonly tokens = new AccessTokens()
  /** Only so many files are read at once, because each may take a lot of memory. */
  private readonly reading = new Set<Promise<unknown>>()
  private readonly looks = new Turns(looks)
  /** Businesses that have just checked a large file. */
  private readonly resting = new Set<string>()

  constructor(options: CalendarHttpOptions) {
    this.http = new CalendarHttp(options)
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
      withinMs,
      onEnd,
      ...file
    }: Omit<FileToRead, 'text'> & {
      known?: Validators | undefined
      withinMs?: number | undefined
      /** Called with the number of bytes read, also after a refusal. */
      onEnd?: (bytes: number) => void
    },
  ): Promise<Fetched | undefined> {
    try {
      const { text, ...validators } = await this.fetch(new URL(url), { known, withinMs, onEnd })
      if (text === undefined) return { times: undefined }
      return { ...(await this.times({ text, ...file })), ...validators }
    } catch (error) {
      if (this.http.isClosed) return undefined
      return { times: undefined, ...faultOf(error) }
    }
  }

  /** Reads the busy times of a text. Throws a FetchFailed. */
  async times(file: FileToRead): Promise<FileTimes> {
    while (this.reading.size >= maxReading) await Promise.race(this.reading)
    const work = readApart(file)
    const ended = work.then(ignore, ignore).finally(() => this.reading.delete(ended))
    this.reading.add(ended)
    return work
  }

  /** Aborts every fetch in progress. */
  async close(): Promise<void> {
    await this.http.close()
    await Promise.all(this.reading)
  }

  private async fetch(
    url: URL,
    {
      known,
      ...limits
    }: {
      known: Validators | undefined
      withinMs: number | undefined
      onEnd: ((bytes: number) => void) | undefined
    },
  ): Promise<Answered> {
    const headers = {
      accept: 'text/calendar',
      ...(known?.etag && { 'if-none-match': known.etag }),
      ...(known?.last_modified && { 'if-modified-since': known.last_modified }),
    }
    const { status, text, header } = await this.http.request(url, { headers, ...limits })
    if (status === 304 && known) return { text: undefined, ...known }
    if (status !== 200) throw new FetchFailed(`status_${status}`)
    return { text, etag: header('etag'), last_modified: header('last-modified') }
  }
}

const ignore = () => undefined

/** Source file in a checkout, built file in the package (packaging/server-build.ts). */
const program = new URL(
  `./busy-times-program${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
)

/** Reads a file in a worker, which is terminated if it takes too long or too much memory. Throws a FetchFailed. */
function readApart(file: FileToRead): Promise<FileTimes> {
  return new Promise((resolve, reject) => {
    const resourceLimits = { maxOldGenerationSizeMb: maxMegabytes, maxYoungGenerationSizeMb: 16 }
    const worker = new Worker(program, { workerData: file, resourceLimits, env: {} })
    const fail = (problem: FetchProblem, where?: string) => reject(new FetchFailed(problem, where))
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
      } else if ('times' in reading) resolve(reading)
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
