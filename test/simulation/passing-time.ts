import { expect, vi } from 'vitest'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { clientOf } from '../support/client.ts'
import { unknownId } from '../support/tenant-things.ts'
import { perform } from './perform.ts'
import type { World } from './world.ts'

/** Lets some time pass. Sometimes stops at the end of a hold or a checkout, or in the last millisecond before it. */
export function passTime(world: World): void {
  const { model, random, service } = world
  const holds = model.holds.filter(({ ended }) => !ended).map(({ expires }) => expires)
  const checkouts = model.bookings.flatMap(({ payment }) =>
    payment ? [payment.expires, payment.nextCheck ?? 0] : [],
  )
  const requests = model.bookings.flatMap(({ request }) =>
    request ? [request.respondBy, request.checkAt] : [],
  )
  const left = [...holds, ...checkouts, ...requests].map((end) => end - model.now).filter((time) => time > 0)
  const short = [1, 1000, 59_500, 300_000, ...left, ...left.map((time) => time - 1)]
  const milliseconds = random.chance(0.1) && world.longPauses < 2 ? 6 * 3_600_000 : random.of(short)
  if (milliseconds > 3_600_000) world.longPauses += 1
  world.log.push(`${String(milliseconds)} ms pass`)
  service.clock.advance(milliseconds / 1000)
  model.now = service.clock.nowMs()
}

/** Sets the clock of the machine by up to a day. The service does not depend on it. */
export function setWallClock(world: World): void {
  const hours = world.random.below(49) - 24
  world.log.push(`the clock on the wall is set by ${String(hours)} hours`)
  vi.setSystemTime(world.model.now + hours * 3_600_000)
}

/** Deletes expired rows, without a visible difference. */
export async function keepHouse(world: World): Promise<void> {
  world.log.push('what is over is tidied away')
  await tidy(world.service.context, jobs)
}

/** Refreshes a session. Its holds and bookings still belong to it, and its old token expires. */
export async function refreshSession(world: World): Promise<void> {
  const { random, service, business, callers } = world
  const caller = random.of(callers.filter(({ session }) => session !== undefined))
  const { token } = caller.client
  world.log.push(`${caller.name} is refreshed`)
  const reply = await service.call('POST', '/session', {
    token: business.publishableKey,
    headers: { 'x-previous-session': token },
  })
  expect(reply.status).toBe(201)
  service.clock.advance(5) // another server may know the old token for so long
  world.model.now = service.clock.nowMs()
  caller.client = clientOf(service, reply.body.session_token as string)
  expect((await clientOf(service, token).showHold(unknownId)).status).toBe(401)
}

/** Disables or enables a webhook. Events while it is disabled are never delivered to it. */
export async function switchWebhook(world: World): Promise<void> {
  const webhook = world.random.of(world.model.webhooks)
  const active = !webhook.active
  await perform(world, {
    says: `webhook ${webhook.id} is ${active ? 'activated' : 'disabled'}`,
    send: () =>
      world.service.call('PATCH', `/webhooks/${webhook.id}`, {
        token: world.key.token,
        body: { status: active ? 'active' : 'disabled' },
      }),
    expected: { status: 200 },
    isRepeated: true,
    done: () => {
      webhook.active = active
    },
  })
}
