// Loaded before the server. From one SIGUSR2 to the next, blocks its event loop for almost all of the time.
let blocked = false

process.on('SIGUSR2', () => {
  blocked = !blocked
  if (blocked) block()
})

function block() {
  if (!blocked) return
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)
  setTimeout(block, 1)
}
