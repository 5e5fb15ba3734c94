// Loaded before the server: at SIGUSR2 its event loop stands still for 1.5 seconds, after it has said so.
import { writeSync } from 'node:fs'

process.on('SIGUSR2', () => {
  writeSync(1, 'standing still\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
})
