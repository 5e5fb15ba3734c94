import { parentPort, workerData } from 'node:worker_threads'
import { type FileToRead, readBusyTimes } from './busy-times.ts'

// a worker that reads one file: if that takes too long or too much memory, only the worker ends
// (busy-file.ts)
parentPort?.postMessage('begins')
parentPort?.postMessage(readBusyTimes(workerData as FileToRead))
