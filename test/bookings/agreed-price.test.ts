import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { agreedPrices } from '../../src/database/migrations/0006-agreed-prices.ts'
import { bookSlot, type Client, clientOf, sessionClient } from '../support/client.ts'
import { readConsole, textOf } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { mailWorld, type MailWorld, nextClient } from '../support/mail-world.ts'
import type { Offer } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { type Reply } from '../support/test-service.ts'

const at = (time: string) => `2026-12-01T${time}:00+01:00`
const euros = (amount: number) => ({ amount: amount * 100, currency: 'EUR' })
const dollars = { amount: 9_900, currency: 'USD' }

onOneEngine('sqlite', 'the price of a booking', (engine) => {
  let world: MailWorld
  let key: Client
  let owner: LoggedIn
  let offer: Offer
  beforeAll(async () => {
    world = await mailWorld(engine)
    key = clientOf(world.service, world.business.key)
    owner = await logInNewPerson(world.service, {
      email: 'owner@example.com',
      name: 'Olga Owner',
      role: 'owner',
      place: { businessId: world.business.id },
    })
    await world.call('PATCH', `/businesses/${world.business.id}`, { notify_emails: [] }) // emails to clients only
  })
  beforeEach(async () => {
    offer = await world.offer({ capacity: 5 })
  })
  afterAll(() => world.stop())

  async function charge(price: object | null): Promise<void> {
    const reply = await world.call('PATCH', `/services/${offer.service_id}`, { price })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  }
  const priceIn = ({ body }: Pick<Reply, 'body'>) => (body as { service: { price: unknown } }).service.price
  const priceOf = async (id: string) => priceIn(await key.show(id))
  const onPage = async (id: string) =>
    textOf(await readConsole(world.service, `/console/bookings/${id}`, owner))

  /** Books for two people. Returns the ID and the manage link's token. */
  async function book(startsAt: string, client: object = nextClient(), by = key): Promise<[string, string]> {
    const body = await bookSlot(by, offer, startsAt, { hold: { party_size: 2 }, book: { client } })
    return [String(body.id), new URL(String(body.manage_url)).hash.slice(1)]
  }

  test('is the one that was agreed, wherever it is shown, when the service asks for another', async () => {
    await charge(euros(35))
    const client = nextClient()
    const [id, token] = await book(at('10:00'), client)
    await charge(dollars)
    expect(await priceOf(id)).toEqual(euros(35))
    expect((await key.show(id)).body.price).toEqual(euros(70)) // for both people
    for (const query of [{}, { q: client.email }, { email: client.email }]) {
      const { data } = (await key.list(query)).body as { data: Reply['body'][] }
      const body: unknown = data.find((booking) => booking.id === id)
      expect(priceIn({ body })).toEqual(euros(35))
    }
    const managed = await world.service.call('GET', '/manage', { token })
    expect(priceIn({ body: managed.body.booking })).toEqual(euros(35))
    expect(managed.body.booking.price).toEqual(euros(70))
    expect(await onPage(id)).toContain('€70')
    await world.sent()
    world.fresh()
    expect(priceIn(await key.change(id, { starts_at: at('11:00'), party_size: 3 }))).toEqual(euros(35))
    await world.sent()
    expect(world.fresh().map(({ text }) => text.includes('€105'))).toEqual([true])
    expect(await onPage(id)).toContain('€105')
    await world.service.call('POST', '/manage/reschedule', { token, body: { starts_at: at('12:00') } })
    await key.cancel(id)
    expect(priceIn(await key.change(id, { status: 'confirmed' }))).toEqual(euros(35))
    const exported = await world.call('POST', '/clients/export', { email: client.email })
    expect(priceIn({ body: exported.body.bookings[0].booking })).toEqual(euros(35))
    expect(priceIn({ body: await bookSlot(key, offer, at('13:00')) })).toEqual(dollars)
  })

  test('is that of the moment of booking, not of the hold', async () => {
    await charge(euros(20))
    const session = await sessionClient(world.service, world.business)
    const held = await session.hold(offer, at('10:00'))
    await charge(euros(25))
    const booked = await session.book(String(held.body.hold_id))
    expect(priceIn(booked)).toEqual(euros(25))
    expect(await priceOf(String(booked.body.id))).toEqual(euros(25))
  })

  test('stays none when there was none, and nothing when it cost nothing', async () => {
    const [id] = await book(at('10:00'))
    await charge(euros(0))
    const [free] = await book(at('11:00'))
    await charge(euros(35))
    expect([await priceOf(id), await priceOf(free)]).toEqual([null, euros(0)])
    expect(await onPage(id)).not.toContain('€')
    await world.sent()
    world.fresh()
    await key.change(id, { starts_at: at('12:00') })
    await world.sent()
    expect(world.fresh().map(({ text }) => /Price|€/.test(text))).toEqual([false])
  })

  test('of an appointment from before it was kept is the present one, until and after it changes', async () => {
    await charge(euros(35))
    const [id] = await book(at('10:00'))
    // the table as it was, with the booking in it, and the migration again
    await world.service.context.db.transaction(async ({ db }) => {
      for (const column of ['agreed_currency', 'agreed_amount'])
        await sql`alter table bookings drop column ${sql.ref(column)}`.execute(db)
      await agreedPrices(db as unknown as Kysely<unknown>, engine)
    })
    expect(await priceOf(id)).toEqual(euros(35))
    await charge(dollars)
    expect(await priceOf(id)).toEqual(dollars)
    expect(priceIn(await key.change(id, { starts_at: at('11:00') }))).toEqual(dollars)
    expect(await onPage(id)).toContain('$198')
    await charge(null)
    expect(await priceOf(id)).toBeNull()
    expect((await key.change(id, { party_size: 1 })).status).toBe(200)
  })

  test.each([
    ['an amount without a currency', { agreed_amount: 100, agreed_currency: '' }],
    ['an amount of who knows when', { agreed_amount: 100, agreed_currency: null }],
    ['a currency without an amount', { agreed_amount: null, agreed_currency: 'EUR' }],
    ['an amount below nothing', { agreed_amount: -1, agreed_currency: 'EUR' }],
  ])('is never %s', async (_what, columns) => {
    const [id] = await book(at('10:00'))
    const write = world.service.context.db.transaction(({ db }) =>
      db.updateTable('bookings').set(columns).where('id', '=', id).execute(),
    )
    await expect(write).rejects.toThrow(/constraint/i)
  })
})
