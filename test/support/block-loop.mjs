// Loaded before the server: from SIGUSR2 on its event loop stands still for almost all of the time, until the next one.
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
