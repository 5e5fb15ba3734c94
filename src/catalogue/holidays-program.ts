import { parentPort } from 'node:worker_threads'
import { holidayLists, UnknownPlace } from './holiday-lists.ts'
import type { HolidayAnswer, HolidayQuestion } from './holidays.ts'

// a worker that answers questions about public holidays (holidays.ts)
parentPort?.on('message', ({ id, name, given }: HolidayQuestion) => {
  parentPort?.postMessage({ id, ...answerTo(name, given) } satisfies HolidayAnswer)
})

function answerTo(name: HolidayQuestion['name'], given: unknown[]): Omit<HolidayAnswer, 'id'> {
  const list = holidayLists[name] as (...given: unknown[]) => unknown
  try {
    return { value: list(...given) }
  } catch (error) {
    return error instanceof UnknownPlace ? { unknown: error.pointer } : { failed: String(error) }
  }
}
