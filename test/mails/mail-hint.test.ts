import { afterAll, beforeAll, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'

onOneEngine('sqlite', 'where mail is set up', (engine) => {
  let world: MailWorld
  beforeAll(async () => {
    world = await mailWorld(engine)
  })
  afterAll(() => world.stop())

  test('a session has exactly the fields of the specification, and what a page begins with has the hint', async () => {
    const { service, business } = world
    const session = await service.call('POST', '/session', { token: business.publishableKey })
    expect(Object.keys(session.body).toSorted()).toEqual([
      ...['business', 'expires_at', 'session_token', 'show_branding'],
    ])
    const start = await service.call('GET', `//book/${business.publishableKey}/start`)
    expect(start.body).toMatchObject({ sends_mail: true })
  })

  test('a new booking says whether its client gets a confirmation', async () => {
    const offer = await world.offer()
    const booked = await world.book(offer, '2026-11-30T09:00:00+01:00')
    expect(booked).toMatchObject({ sends_mail: true })
    expect((await world.call('GET', `/bookings/${booked.id}`)).body).not.toHaveProperty('sends_mail')
    const silent = await world.book(offer, '2026-11-30T10:00:00+01:00', { notify: false })
    expect(silent).not.toHaveProperty('sends_mail')
    const client = { ...nextClient(), email: 'phone-4930123@no-email.invalid' }
    expect(await world.book(offer, '2026-11-30T11:00:00+01:00', { client })).not.toHaveProperty('sends_mail')
  })
})
