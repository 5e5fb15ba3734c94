import { monotonicMs } from '../../src/clock.ts'
import type { LoadOrder, LoadResult, Round } from './load-messages.ts'
import { Requests } from './requests.ts'
import { repeated, type Repeated, type Send } from './visitors.ts'
import { Wire } from './wire.ts'

/* The load generator, a process of its own: `fork` it, tell it the world, then one round after the other. */

/** A round gets through at most so many times what the quickest one before did: for so many it makes sessions or holds. */
const mostSpeedup = 1.5
const firstPerSecond = 1_000
const prepareConnections = 16

/** Of each operation and its servers. */
const quickestPerSecond = new Map<string, number>()
let requests: Requests | undefined
let prepared: { round: Round; once: Repeated['once']; most: number } | undefined

async function openWires(addresses: string[], count: number): Promise<Wire[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => Wire.open(addresses[index % addresses.length] ?? '')),
  )
}

function sendOver(wire: Wire): Send {
  return (request) => wire.send(request)
}

async function prepare(round: Round): Promise<void> {
  if (!requests) throw new Error('the load process knows no world')
  const work = repeated(round.operation, requests)
  const perSecond = mostSpeedup * (quickestPerSecond.get(nameOf(round)) ?? firstPerSecond)
  const most = Math.ceil((round.roundMs / 1000) * perSecond) + round.concurrency
  const wires = await openWires(round.addresses, prepareConnections)
  await work.prepare(wires.map(sendOver), most)
  for (const wire of wires) wire.close()
  prepared = { round, once: work.once, most }
}

async function run(): Promise<LoadResult> {
  if (!prepared) throw new Error('nothing is prepared')
  const { round, once, most } = prepared
  const wires = await openWires(round.addresses, round.concurrency)
  const result: LoadResult = { done: 0, seconds: 0, latenciesMs: [], errors: {}, cpuSeconds: 0 }
  const cpuBefore = process.cpuUsage()
  const startedMs = monotonicMs()
  let begun = 0
  await Promise.all(
    wires.map(async (wire) => {
      const send = sendOver(wire)
      while (begun < most && !wire.isLost && monotonicMs() - startedMs < round.roundMs) {
        const turn = begun++
        const sentMs = monotonicMs()
        try {
          await once(send, turn)
          result.done += 1
          result.latenciesMs.push(monotonicMs() - sentMs)
        } catch (error) {
          const message = (error as Error).message.slice(0, 200)
          result.errors[message] = (result.errors[message] ?? 0) + 1
        }
      }
    }),
  )
  result.seconds = (monotonicMs() - startedMs) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  result.cpuSeconds = (user + system) / 1e6
  for (const wire of wires) wire.close()
  const perSecond = result.done / result.seconds
  quickestPerSecond.set(nameOf(round), Math.max(perSecond, quickestPerSecond.get(nameOf(round)) ?? 0))
  return result
}

function nameOf({ operation, addresses }: Round): string {
  return [operation, ...addresses].join(' ')
}

async function obey(order: LoadOrder): Promise<LoadResult | undefined> {
  if (order.kind === 'run') return run()
  if (order.kind === 'prepare') await prepare(order)
  else requests = new Requests(order.world, order.salt)
  return undefined
}

process.on('message', (order: LoadOrder) => {
  void obey(order).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  )
})
