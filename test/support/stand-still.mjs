// Loaded before the server: from SIGUSR2 on its event loop stands still, after it has said so, until GO_ON is a file.
import { existsSync, writeSync } from 'node:fs'

process.on('SIGUSR2', () => {
  writeSync(1, 'standing still\n')
  for (let waits = 0; waits < 600 && !existsSync(process.env.GO_ON); waits += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  }
})
