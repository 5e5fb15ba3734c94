// Loaded before the server. At SIGUSR2 it prints a line and stops the event loop until the file GO_ON exists.
import { existsSync, writeSync } from 'node:fs'

process.on('SIGUSR2', () => {
  writeSync(1, 'standing still\n')
  for (let waits = 0; waits < 600 && !existsSync(process.env.GO_ON); waits += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  }
})
