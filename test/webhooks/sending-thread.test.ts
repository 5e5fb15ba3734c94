import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SendingThread } from '../../src/webhooks/sending-thread.ts'
import type { Consignment, Returned } from '../../src/webhooks/sending-types.ts'
import { eventually } from '../support/eventually.ts'
import { ok, startReceiver, status, type Receiver } from '../support/receiver.ts'

const settings = { version: '0', timeoutMs: 5_000, isUnguarded: true, allowedRanges: [] }
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

let receiver: Receiver
let thread: SendingThread
let returned: Returned[]
let lost: unknown[]
beforeEach(async () => {
  receiver = await startReceiver()
  thread = open()
  returned = []
  lost = []
})
afterEach(async () => {
  await thread.close()
  await receiver.stop()
})

function open(execArgv?: string[]): SendingThread {
  const ends = {
    returned: (batch: Returned[]) => returned.push(...batch),
    lost: (error: unknown) => lost.push(error),
  }
  return new SendingThread(settings, ends, execArgv)
}

/** Something to send, to one webhook; the numbers are 0, 1 and so on. */
function consignment(count: number, changed: Partial<Consignment> = {}): Consignment {
  const parcels = Array.from({ length: count }, (_, index) => {
    return { number: index, eventId: randomUUID(), body: '{}', isSample: false }
  })
  const to = { webhookId: randomUUID(), url: receiver.address, secrets: [secret], inTimeMs: 10_000 }
  return { ...to, parcels, ...changed }
}

const back = (count: number) =>
  eventually(`${count} that came back`, 10_000, () => (returned.length >= count ? returned : undefined))
const arrivals = (count: number) =>
  eventually(`${count} arrivals`, 10_000, () => receiver.received.length >= count || undefined)

test('what was sent comes back with when and how long, on the clock of who had it sent', async () => {
  const nowMs = Date.UTC(2030, 0, 1)
  thread.send([consignment(1)], nowMs)
  const [{ made } = { made: undefined }] = await back(1)
  expect(made).toMatchObject({ responseStatus: 200, error: null })
  expect(made?.tookMs).toBeGreaterThan(0)
  expect(made?.atMs).toBeGreaterThanOrEqual(nowMs)
  expect(made?.atMs).toBeLessThan(nowMs + 10_000)
  expect(receiver.received[0]?.headers['webhook-timestamp']).toBe(String(nowMs / 1000))
})

test('at most four of a webhook are in flight; the others wait for their turn and are sent', async () => {
  const finish: (() => void)[] = []
  receiver.answer = (response) => finish.push(() => response.end())
  thread.send([consignment(9)], Date.now())
  for (const arrived of [4, 8, 9]) {
    await arrivals(arrived)
    expect(receiver.received).toHaveLength(arrived)
    for (const end of finish.splice(0)) end()
  }
  expect((await back(9)).map(({ made }) => made?.error)).toEqual(Array(9).fill(null))
})

test('what has not begun in time comes back unsent: its webhook may be another server’s by then', async () => {
  thread.send([consignment(2, { inTimeMs: -1 })], Date.now())
  expect(await back(2)).toMatchObject([
    { number: 0, made: undefined },
    { number: 1, made: undefined },
  ])
  const finish: (() => void)[] = []
  receiver.answer = (response) => finish.push(() => response.end())
  thread.send([consignment(5, { inTimeMs: 300 })], Date.now())
  await arrivals(4)
  await new Promise((resolve) => setTimeout(resolve, 400)) // the time is over while four are in flight
  for (const end of finish) end()
  const made = (await back(7)).slice(2).filter((each) => each.made)
  expect(made.map(({ number }) => number).toSorted()).toEqual([0, 1, 2, 3])
  expect(receiver.received).toHaveLength(4)
})

test('behind an attempt that fails nothing waits: it comes back, and another webhook is sent to as before', async () => {
  receiver.answer = status(500)
  const fine = await startReceiver()
  thread.send([consignment(20), consignment(20, { url: fine.address })], Date.now())
  await back(40)
  const failed = returned.filter(({ made }) => made?.error === 'status_not_2xx')
  expect(failed).toHaveLength(4)
  expect(receiver.received).toHaveLength(4)
  expect(returned.filter(({ made }) => made === undefined)).toHaveLength(16)
  expect(fine.received).toHaveLength(20)
  await fine.stop()
})

test('draining, it begins nothing more and finishes what is in flight; at the end that comes back too', async () => {
  const finish: (() => void)[] = []
  receiver.answer = (response) => finish.push(() => response.end())
  thread.send([consignment(6)], Date.now())
  await arrivals(4)
  thread.drain()
  expect((await back(2)).map(({ made }) => made)).toEqual([undefined, undefined])
  finish[0]?.()
  expect((await back(3))[2]?.made).toMatchObject({ responseStatus: 200 })
  thread.send([consignment(1)], Date.now())
  expect((await back(4))[3]?.made).toBeUndefined()
  thread.end()
  expect((await back(7)).slice(4).map(({ made }) => made)).toEqual([undefined, undefined, undefined])
  expect(receiver.received).toHaveLength(4)
})

test('what cannot be handled at all says so, and takes nothing else with it', async () => {
  const [one, other] = [consignment(1, { url: 'no address' }), consignment(1)]
  thread.send([one, other], Date.now())
  await back(2)
  expect(returned.find(({ fault }) => fault !== undefined)).toMatchObject({ made: undefined })
  expect(returned.find(({ made }) => made)).toMatchObject({ made: { responseStatus: 200 } })
  expect(lost).toEqual([])
})

test('a thread that cannot start is told of, and the next delivery starts another', async () => {
  const broken = `data:text/javascript,throw new Error('its files are being replaced')`
  const failing = open(['--import', broken])
  failing.send([consignment(1)], Date.now())
  const [error] = await eventually('the end', 10_000, () => (lost.length > 0 ? lost : undefined))
  expect(String(error)).toContain('being replaced')
  failing.send([consignment(1)], Date.now())
  await eventually('the end of another', 10_000, () => lost.length === 2 || undefined)
  await failing.close()
  expect(returned).toEqual([])
  receiver.answer = ok
  thread.send([consignment(1)], Date.now())
  await back(1)
})
