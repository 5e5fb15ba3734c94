import { parentPort } from 'node:worker_threads'
import { type FileReading, type FileToRead, readBusyTimes } from '../../src/calendars/busy-times.ts'
import { heapBytes } from '../support/heap.ts'

/** The worker's answer: the result of reading a file, or its used heap after a garbage collection. */
export type Answered = FileReading | { heapBytes: number }

parentPort?.on('message', (file: FileToRead | 'heap') => {
  if (file !== 'heap') return parentPort?.postMessage(readBusyTimes(file) satisfies Answered)
  parentPort?.postMessage({ heapBytes: heapBytes() } satisfies Answered)
})
