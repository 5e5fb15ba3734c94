import { Worker } from 'node:worker_threads'
import { unavailable, validationProblem } from '../base/errors.ts'
import type { holidayLists } from './holiday-lists.ts'

/*
 * Questions about public holidays. Their rules take 40 MB and a third of a second to load, so a worker answers them. It
 * ends when nobody has asked for a while.
 */

type Lists = typeof holidayLists

export interface HolidayQuestion {
  id: number
  name: keyof Lists
  given: unknown[]
}

export interface HolidayAnswer {
  id: number
  value?: unknown
  /** The pointer of a country or region without known holidays. */
  unknown?: string
  failed?: string
}

const idleMs = 30_000
const maxWaiting = 32

/** Source file in a checkout, built file in the package (packaging/server-build.ts). */
const program = new URL(
  `./holidays-program${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
)

class HolidayWorker {
  private worker: Worker | undefined
  private idle: NodeJS.Timeout | undefined
  private lastId = 0
  private readonly waiting = new Map<number, (answer: HolidayAnswer) => void>()

  /** Throws unavailable if many are waiting, or if the worker ends. */
  async ask<Name extends keyof Lists>(
    name: Name,
    given: Parameters<Lists[Name]>,
  ): Promise<ReturnType<Lists[Name]>> {
    if (this.waiting.size >= maxWaiting) throw unavailable('Many people are reading public holidays.')
    const worker = (this.worker ??= this.start())
    clearTimeout(this.idle)
    this.idle = setTimeout(() => void worker.terminate(), idleMs).unref()
    const id = (this.lastId += 1)
    const { unknown, failed, value } = await new Promise<HolidayAnswer>((resolve) => {
      this.waiting.set(id, resolve)
      worker.postMessage({ id, name, given } satisfies HolidayQuestion)
    })
    if (unknown !== undefined)
      throw validationProblem([
        { pointer: unknown, code: 'unknown_reference', detail: 'has no known holidays' },
      ])
    if (failed !== undefined) throw new Error(failed)
    return value as ReturnType<Lists[Name]>
  }

  private start(): Worker {
    const worker = new Worker(program, { env: {} })
    worker.unref()
    worker.on('message', (answer: HolidayAnswer) => {
      this.waiting.get(answer.id)?.(answer)
      this.waiting.delete(answer.id)
    })
    let reason = 'The list of public holidays was closed.'
    worker.once('error', (error) => (reason = String(error)))
    worker.once('exit', () => {
      this.worker = undefined
      for (const [id, end] of this.waiting) end({ id, failed: reason })
      this.waiting.clear()
    })
    return worker
  }
}

const holidays = new HolidayWorker()

/** Returns the public holidays of a year, by date. Throws validation_failed for an unknown country or region. */
export function listHolidays(...given: Parameters<Lists['listHolidays']>) {
  return holidays.ask('listHolidays', given)
}

/** Returns the countries with known holidays, by name, and the regions of one of them. */
export function listHolidayPlaces(...given: Parameters<Lists['listHolidayPlaces']>) {
  return holidays.ask('listHolidayPlaces', given)
}

/** Guesses the country of a time zone, preferably that of the reader's language. */
export function countryOfZone(...given: Parameters<Lists['countryOfZone']>) {
  return holidays.ask('countryOfZone', given)
}
