import type { Server } from 'node:http'
import { monotonicMs } from '../clock.ts'

/** So many turns of the event loop without anything new: one accepts a connection, the next reads its request. */
const quietTurns = 3
/** Longer it does not wait, in milliseconds: where requests never cease, some will find nobody. */
const longestMs = 500

/**
 * Lets in what has reached this machine and was not read yet. A server that closes its door as soon as the time has
 * come would reset these connections, and on a busy server there may be many: timers come before arrivals, and a turn
 * of the event loop accepts no more than one connection.
 */
export async function awaitArrivals(server: Server): Promise<void> {
  let quiet = 0
  const arrived = () => {
    quiet = 0
  }
  const deadlineMs = monotonicMs() + longestMs
  server.on('connection', arrived).on('request', arrived)
  while (quiet < quietTurns && monotonicMs() < deadlineMs) {
    quiet += 1
    await new Promise(setImmediate)
  }
  server.off('connection', arrived).off('request', arrived)
}
