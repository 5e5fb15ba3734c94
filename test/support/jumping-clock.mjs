/*
 * Loaded before the program, it sets the wall clock an hour forwards on SIGUSR2 and two hours back on SIGHUP: what an
 * operator, or a virtual machine that wakes up, does to a server that runs. The monotonic clock goes on.
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
