import { parentPort } from 'node:worker_threads'
import { runInNewContext } from 'node:vm'
import { setFlagsFromString } from 'node:v8'
import { type FileReading, type FileToRead, readBusyTimes } from '../../src/calendars/busy-times.ts'

/** What the worker answers: how a file was read, or its heap in use after a collection. */
export type Answered = FileReading | { heapBytes: number }

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

parentPort?.on('message', (file: FileToRead | 'heap') => {
  if (file !== 'heap') return parentPort?.postMessage(readBusyTimes(file) satisfies Answered)
  collect()
  const heapBytes = process.memoryUsage().heapUsed
  parentPort?.postMessage({ heapBytes } satisfies Answered)
})
