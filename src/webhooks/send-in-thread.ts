import { parentPort, workerData } from 'node:worker_threads'
import { monotonicMs } from '../clock.ts'
import { exchange, targetOf, type Target } from './exchange.ts'
import { guardedAgent } from './guarded-agent.ts'
import { isHoldUp, paceOf } from './pace-rules.ts'
import type { Consignment, Made, Parcel, Returned, SendingSettings, ToThread } from './sending-types.ts'
import { SendingTurns } from './sending-turns.ts'
import { serviceSignature, standardSignature } from './sign-delivery.ts'

/*
 * The thread that sends deliveries (sending-thread.ts starts it): it signs them, gives each webhook its turn, makes the
 * exchanges, and tells what came of them. It knows no database, and no time but the one that comes with what it is given.
 */

/** What is done with within this time is told together: its outcomes are written together too. */
const gatherMs = 4

const settings = workerData as SendingSettings
const dispatcher = guardedAgent(settings)
const stopping = new Set<() => void>()
const turns = new SendingTurns<Waiting>()
let isDraining = false
let returned: Returned[] = []

/** What is sent to one webhook, with its address taken apart once for all. */
interface Addressed extends Consignment {
  target?: Target
}

/** A parcel that waits for its turn. */
interface Waiting {
  number: number
  body: string
  headers: Record<string, string>
  /** What it has in common with others. */
  to: Addressed
  /** The present, in milliseconds since 1970-01-01T00:00:00Z. */
  nowMs: () => number
  /** On the clock that `monotonicMs` shows. */
  arrivedMs: number
}

parentPort?.on('message', (message: ToThread) => {
  if (message.type === 'send') {
    for (const consignment of message.consignments) take(consignment, message.nowMs)
  } else {
    isDraining = true
    if (message.type === 'end') for (const stop of stopping) stop()
  }
  if (isDraining) giveBack(turns.giveUpAll())
  send()
})

/** All of a consignment are signed at once, which takes half as long as one now and then: they are sent within a second. */
function take(to: Addressed, handedOverMs: number): void {
  const arrivedMs = monotonicMs()
  const nowMs = () => handedOverMs + monotonicMs() - arrivedMs
  const waiting = to.parcels.map((parcel) => {
    const headers = headersOf(parcel, to.secrets, Math.floor(handedOverMs / 1000))
    return { number: parcel.number, body: parcel.body, headers, to, nowMs, arrivedMs }
  })
  turns.add(to.webhookId, waiting)
}

/** The headers of a delivery (specification: Signature; Standard Webhooks beyond it). `timestamp` is in Unix seconds. */
function headersOf(
  { eventId, body, isSample }: Parcel,
  secrets: string[],
  timestamp: number,
): Record<string, string> {
  const [secret = ''] = secrets
  return {
    'Content-Type': 'application/json',
    'User-Agent': `Holdfast/${settings.version}`,
    'X-Service-Signature': serviceSignature(secret, body),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardSignature(secrets, { id: eventId, timestamp, body }),
    ...(isSample && { 'X-Service-Test': 'true' }),
  }
}

/** Sends what may be sent now. */
function send(): void {
  for (let next = turns.next(); next; next = turns.next()) {
    if (monotonicMs() - next.arrivedMs <= next.to.inTimeMs) {
      void sendInTurn(next)
    } else {
      turns.ended(next.to.webhookId)
      giveBack([next])
    }
  }
}

/** Sends one, and when that has ended whatever is next. */
async function sendInTurn(waiting: Waiting): Promise<void> {
  const { number, to } = waiting
  try {
    const made = await attempt(waiting)
    tell({ number, made })
    if (made && isHoldUp(paceOf(made))) giveBack(turns.giveUp(to.webhookId))
  } catch (error) {
    tell({ number, made: undefined, fault: error })
  }
  turns.ended(to.webhookId)
  send()
}

async function attempt({ body, headers, to, nowMs }: Waiting): Promise<Made | undefined> {
  const [atMs, startedMs] = [nowMs(), monotonicMs()]
  const { timeoutMs } = settings
  const sending = { to: (to.target ??= targetOf(to.url)), headers, body }
  const exchanged = await exchange(sending, { dispatcher, timeoutMs, stopping, nowMs })
  return exchanged && { ...exchanged, atMs, tookMs: monotonicMs() - startedMs }
}

/** What was not sent is due as before. */
function giveBack(unsent: Waiting[]): void {
  for (const { number } of unsent) tell({ number, made: undefined })
}

function tell(one: Returned): void {
  if (returned.length === 0) setTimeout(tellAll, gatherMs)
  returned.push(one)
}

function tellAll(): void {
  parentPort?.postMessage(returned)
  returned = []
}
