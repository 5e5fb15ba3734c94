/*
 * Loaded before the program. Sets the wall clock an hour forward on SIGUSR2 and two hours back on SIGHUP. An operator,
 * or a virtual machine that wakes up, does this to a running server. The monotonic clock is unaffected.
 */
const now = Date.now.bind(Date)
let offsetMs = 0
const hourMs = 3_600_000
Date.now = () => now() + offsetMs
const jump = (byMs) => {
  offsetMs += byMs
  process.stdout.write(`the clock is off by ${offsetMs / hourMs} h\n`)
}
process.on('SIGUSR2', () => jump(hourMs))
process.on('SIGHUP', () => jump(-2 * hourMs))
