import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { readConsole, textOf, useForm } from '../support/console.ts'
import { deposit, depositWorld, type DepositWorld } from '../support/deposits.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { makeLocation, type Offer } from '../support/offers.ts'
import { logInNewPerson } from '../support/person.ts'
import type { CardBehaviour } from '../support/stripe-server.ts'

const fees = [
  { within_minutes: 120, percent: 100 },
  { within_minutes: 2_880, percent: 50 },
]
const sentence = 'If you cancel late, we charge your card.'
const price = { amount: 6_000, currency: 'EUR' }
/** The sentences of emails about the words of a bank. */
const reasons: Partial<Record<CardBehaviour, string>> = {
  authentication_required: 'Your bank asks you to confirm the payment.',
  card_declined: 'The bank declined the card. You can pay with another one.',
  expired_card: 'Your card has expired. Please use another one.',
  insufficient_funds: 'There was not enough money on the card.',
}
const day = 86_400

onOneEngine('sqlite', 'a saved card', (engine) => {
  let world: DepositWorld
  let mailServer: MailServer
  let location: string
  beforeAll(async () => {
    mailServer = await startMailServer()
    world = await depositWorld(engine, mailVariables(mailServer.url))
    location = await makeLocation(world.service, world.business.id)
  })
  beforeEach(async () => {
    world.stripe.card = 'works'
    world.stripe.failure = undefined
    await world.settled()
    await world.service.app.mails.settled()
    await world.newSession()
    mailServer.mails.length = 0
    world.stripe.ledger.length = 0
  })
  afterAll(async () => {
    await world.stop()
    await mailServer.close()
  })

  const start = (days = 10) =>
    new Date(world.service.clock.nowMs() + days * day * 1_000).toISOString().replace(/T.*/, 'T09:00:00Z')

  const offerOf = async (parts: object): Promise<Offer> => {
    const reply = await call('POST', '/services', {
      ...{ name: 'Massage', duration_minutes: 30, location_ids: [location], price },
      ...parts,
    })
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 })
    return { service_id: String(reply.body.id), location_id: location }
  }

  /** Books a service with fees, and saves a card or pays at its checkout. */
  const booked = async (
    parts: object = {},
    { days = 10, card = 'works' }: { days?: number; card?: CardBehaviour } = {},
  ) => {
    const offer = await offerOf({
      ...{ payment: 'card', fees, no_show_percent: 100, cancel_until_minutes: 0, ...parts },
    })
    await world.newSession()
    const held = await world.session.hold(offer, start(days))
    const reply = await world.session.book(String(held.body.hold_id), { fee_consent: sentence })
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201, body: { status: 'pending' } })
    const id = String(reply.body.id)
    const url = String(reply.body.redirect_url)
    const session = [...world.stripe.sessions.values()].find((one) => one.url === url)
    if (!session) throw new Error('no checkout')
    world.stripe.card = card
    await world.paid(session.id)
    return { id, offer, session }
  }
  const call = (method: 'POST' | 'PATCH', path: string, body: object, key?: string) =>
    world.service.call(method, path, {
      ...{ token: world.business.key, body },
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    })
  const charge = (id: string, body: object, key?: string) => call('POST', `/bookings/${id}/charge`, body, key)
  const payments = async (id: string) => (await world.shown(id)).payments as Record<string, unknown>[]
  const fee = async (id: string) => (await payments(id)).find(({ kind }) => kind === 'fee')
  const waive = (id: string, payment: unknown) =>
    call('POST', `/bookings/${id}/payments/${String(payment)}/waive`, {})
  const history = async (id: string) => {
    const { body } = await world.service.call('GET', `/bookings/${id}/history`, { token: world.business.key })
    const entries = body.data as { action: string }[]
    const actions = entries.map(({ action }) => action).toReversed()
    return actions.filter((action) => /charge|fee|refund|dispute/.test(action))
  }
  const taken = () => world.stripe.ledger.reduce((sum, { amount }) => sum + amount, 0)
  const manage = async (id: string) => {
    const { manage_url } = await world.shown(id)
    const token = new URL(String(manage_url)).hash.slice(1)
    return {
      show: () => world.service.call('GET', '/manage', { token }),
      cancel: () => world.service.call('POST', '/manage/cancel', { token, body: {} }),
    }
  }
  const toBefore = async (id: string, minutes: number) => {
    const { starts_at } = await world.shown(id)
    const seconds = (Date.parse(String(starts_at)) - world.service.clock.nowMs()) / 1_000 - minutes * 60
    world.service.clock.advance(Math.round(seconds))
    await world.settled()
  }
  const eventTypes = async (id: string) =>
    (await world.service.rows('events'))
      .filter(({ booking_id, type }) => booking_id === id && String(type).startsWith('payment.'))
      .map(({ type }) => type)
  const mails = async () => {
    for (let turn = 0; turn < 3; turn += 1) await world.service.app.mails.settled()
    return mailServer.mails.map(({ headers }) => String(headers.subject))
  }

  /** Sends all that waits for the limit of an hour, and lets that hour pass. */
  const waitForMails = async () => {
    for (let hour = 0; hour < 6; hour += 1) {
      await mails()
      world.service.clock.advance(3_601)
    }
    mailServer.mails.length = 0
    await world.newSession()
  }

  const mailAbout = (word: string) =>
    mailServer.mails.find(({ headers }) => String(headers.subject).toLowerCase().includes(word))?.text

  test('is saved on a page that ends with the deadlines and the fees', async () => {
    const { id } = await booked()
    const { payment } = await world.shown(id)
    expect(payment).toMatchObject({ status: 'paid' })
    const rows = await world.service.rows('bookings')
    const paymentId = String(rows.find((one) => one['id'] === id)?.['payment_id'])
    const page = textOf(await world.service.call('GET', `//checkout/${paymentId}`))
    expect(page).toMatch(/You can (move or )?cancel until /)
    expect(page).toContain('If you cancel less than 2 hours before the start, we charge €60 to your card.')
    expect(page).toContain('If you do not come, we charge €60 to your card.')
  })

  test('confirms the booking, and nothing is taken', async () => {
    const { id, session } = await booked()
    expect(session).toMatchObject({ mode: 'setup', customer_creation: 'always' })
    expect(await world.shown(id)).toMatchObject({
      status: 'confirmed',
      payment: { kind: 'card', status: 'paid', amount: 0 },
      payments: [{ kind: 'card', status: 'paid', amount: 0, currency: 'EUR', reason: null }],
      fee_consent: { text: sentence },
    })
    expect(taken()).toBe(0)
    const [mail] = (await mails()).length > 0 ? mailServer.mails : []
    expect(mail?.text).toContain('If you do not come, we charge €60')
    expect(mail?.text).toContain('less than 48 hours before')
  })

  test('needs the consent of a session, and none of a key, whose client agrees at the checkout', async () => {
    const offer = await offerOf({ payment: 'card', fees })
    const held = await world.session.hold(offer, start())
    expect(await world.session.book(String(held.body.hold_id))).toMatchObject({
      ...{ status: 422, body: { errors: [{ pointer: '/fee_consent', code: 'required' }] } },
    })
    await world.session.release(String(held.body.hold_id))
    const own = await world.key.hold(offer, start())
    const { body } = await world.key.book(String(own.body.hold_id))
    expect(body).toMatchObject({ status: 'confirmed', payment: { kind: 'card', status: 'due' } })
    const page = await world.service.call('GET', `/${new URL(String(body['pay_url'])).pathname}`)
    expect(String(page.body)).toContain('No card saved yet')
    expect(textOf(page)).toMatch(
      /You pay nothing now\. We only save your card\. If you cancel less than .* before the start, we charge .* To have your card removed, contact .+\./,
    )
    expect(textOf(page)).toContain('If you have just saved your card')
    expect(textOf(page)).toContain('Save card')
    expect(textOf(page)).not.toMatch(/Pay now|just paid/)
    expect(String(page.body)).toContain('If you cancel less than 48 hours before the start, we charge €30')
    const session = [...world.stripe.sessions.values()].at(-1)
    await world.paid(session?.id ?? '')
    expect(await world.shown(String(body.id))).toMatchObject({
      fee_consent: { text: expect.stringContaining('we charge €30') as string },
    })
  })

  test.each([
    [{ payment: 'card', price }, 'card_due'],
    [{ payment: 'full', price }, 'deposit_due'],
  ])('the email that asks for %j is listed as %s', async (parts, kind) => {
    const held = await world.session.hold(await offerOf(parts), start())
    const { body } = await world.session.book(String(held.body.hold_id))
    const path = `/mails?booking_id=${String(body.id)}`
    const { body: list } = await world.service.call('GET', path, { token: world.business.key })
    expect(list.data).toMatchObject([{ kind }])
  })

  test('without the client’s consent, a no-show costs nothing', async () => {
    const offer = await offerOf({ payment: 'card', no_show_percent: 100 })
    const held = await world.key.hold(offer, start())
    const id = String((await world.key.book(String(held.body.hold_id))).body.id)
    await toBefore(id, -10)
    await call('PATCH', `/bookings/${id}`, { no_show: true })
    await world.settled()
    expect(await fee(id)).toBeUndefined()
  })

  test('for a late cancellation is in the email to the business', async () => {
    await notify([owner])
    const { id } = await booked()
    await toBefore(id, 2_000)
    await (await manage(id)).cancel()
    await world.settled()
    await mails()
    const told = mailServer.mails.filter(({ text }) => text.includes('A booking is cancelled.'))
    expect(told).toMatchObject([
      {
        text: expect.stringContaining('€30 was charged to the client’s card') as string,
      },
    ])
    await notify([])
  })

  /** Returns the texts of emails to the business with a word in the subject. */
  const notices = async (word: string) => {
    await mails()
    return mailServer
      .to(owner)
      .filter(({ headers }) => String(headers.subject).startsWith(word))
      .map(({ text }) => text)
  }
  const owner = 'owner@example.com'
  const notify = (emails: string[]) =>
    call('PATCH', `/businesses/${world.business.id}`, { notify_emails: emails })

  test('that is declined later is in an email to the business, with amount, reason and booking', async () => {
    await notify([owner])
    const { id } = await booked({}, { card: 'insufficient_funds' })
    await toBefore(id, -60)
    await call('PATCH', `/bookings/${id}`, { no_show: true })
    await world.settled()
    const [text = '', ...more] = await notices('Charge failed')
    expect(more).toEqual([])
    expect(text).toContain(
      'The client’s card could not be charged €60. The charge was for: missed appointment.',
    )
    expect(text).toMatch(/There was not enough money on the card\.\s+The client gets a link to pay\./)
    expect(text).toMatch(/Client:? +Ada|Ada/)
    expect(text).toContain(`/console/bookings/${id}?business=${world.business.id}`)
    await notify([])
  })

  test('that was never tried is in no such email', async () => {
    await notify([owner])
    const offer = await offerOf({})
    const held = await world.key.hold(offer, start(3))
    const byHand = String((await world.key.book(String(held.body.hold_id))).body.id)
    await charge(byHand, { amount: 900, reason: 'Tea' })
    await world.settled()
    expect(await fee(byHand)).toMatchObject({ status: 'due', failure: 'no_card' })
    expect(await notices('Charge failed')).toEqual([])
    await notify([])
  })

  test('is charged for a late cancellation, once, and the client has a receipt', async () => {
    const { id } = await booked()
    const link = await manage(id)
    expect((await link.show()).body).toMatchObject({ policy: { can_cancel: true, fee: null } })
    await toBefore(id, 2_880)
    expect((await link.show()).body).toMatchObject({
      policy: { fee: { amount: 3_000, currency: 'EUR', charged: 3_000, refunded: 0 }, refund: 'none' },
    })
    await link.cancel()
    expect(await fee(id)).toMatchObject({ amount: 3_000, reason: 'late_cancel' })
    const shown = { amount: 3_000, currency: 'EUR', reason: 'late_cancel', pay_url: null }
    const status = expect.stringMatching(/^(charging|paid)$/) as string // the worker may be faster
    expect((await link.show()).body.fees).toEqual([{ ...shown, status }])
    await world.settled()
    await world.settled()
    expect(await fee(id)).toMatchObject({ status: 'paid', amount: 3_000, failure: null })
    expect(world.stripe.ledger).toMatchObject([{ amount: 3_000, currency: 'eur' }])
    expect(await eventTypes(id)).toEqual(['payment.paid', 'payment.paid'])
    mailServer.mails.length = 0
    expect(await mails()).toEqual([expect.stringMatching(/^Cancelled:/)])
    expect(mailAbout('cancelled')).toContain('For the late cancellation, €30 was charged to your card.')
    expect(mailAbout('cancelled')).not.toMatch(/Price|To pay on site/) // nothing else is owed
    expect((await link.show()).body.fees).toEqual([{ ...shown, status: 'paid' }])
    const { id: payment_id } = (await fee(id)) ?? {}
    await call('POST', `/bookings/${id}/refund`, { amount: 1_000, payment_id })
    await mails()
    const refund = mailServer.mails.find(({ headers }) => String(headers.subject).startsWith('Refund'))
    expect(refund?.text).toMatch(/Refunded: €10\b/)
    expect(refund?.text).not.toMatch(/To pay on site|If you cancel/)
  })

  test('is not charged a minute before the fee begins, nor by the business, nor after it moved the booking', async () => {
    const early = await booked()
    await toBefore(early.id, 2_881)
    await (await manage(early.id)).cancel()
    const byBusiness = await booked({}, { days: 3 })
    const moved = await booked({}, { days: 4 })
    await call('PATCH', `/bookings/${moved.id}`, { starts_at: start(5) })
    await toBefore(byBusiness.id, 60)
    await world.service.call('DELETE', `/bookings/${byBusiness.id}`, { token: world.business.key })
    await toBefore(moved.id, 60)
    await (await manage(moved.id)).cancel()
    await world.settled()
    for (const { id } of [early, byBusiness, moved]) {
      expect(await world.shown(id)).toMatchObject({ status: 'cancelled' })
      expect(await fee(id), id).toBeUndefined()
    }
    await mails()
    expect(mailAbout('cancelled')).toContain('This cancellation costs you nothing.')
    expect(taken()).toBe(0)
  })

  test('is charged for a no-show, less what was paid, and refunded if the client came after all', async () => {
    const { id } = await booked({ payment: undefined, deposit })
    expect(taken()).toBe(2_500)
    await charge(id, { amount: 300, reason: 'Tea' })
    await toBefore(id, -10)
    await call('PATCH', `/bookings/${id}`, { no_show: true })
    await world.settled()
    const missed = async () => (await payments(id)).find(({ reason }) => reason === 'no_show')
    expect(await missed()).toMatchObject({ status: 'paid', amount: 3_500, reason: 'no_show' })
    expect(taken()).toBe(6_300)
    await call('PATCH', `/bookings/${id}`, { no_show: false })
    await world.settled()
    expect(await missed()).toMatchObject({ status: 'refunded', refunded_amount: 3_500 })
    expect(taken()).toBe(2_800)
    await call('PATCH', `/bookings/${id}`, { no_show: true })
    await world.settled()
    expect((await payments(id)).map(({ status }) => status)).toEqual(['paid', 'paid', 'refunded', 'paid'])
    expect(taken()).toBe(6_300)
  })

  test('is not charged for a no-show that the business marks without it', async () => {
    const { id } = await booked()
    await toBefore(id, -10)
    expect(await call('PATCH', `/bookings/${id}`, { no_show_fee: false })).toMatchObject({
      ...{ status: 422, body: { errors: [{ pointer: '/no_show_fee', code: 'not_allowed' }] } },
    })
    const free = await call('PATCH', `/bookings/${id}`, { no_show: true, no_show_fee: false })
    expect(free).toMatchObject({ status: 200, body: { no_show: true } })
    await world.settled()
    expect(await fee(id)).toBeUndefined()
    await call('PATCH', `/bookings/${id}`, { no_show: false })
    await call('PATCH', `/bookings/${id}`, { no_show: true, no_show_fee: true })
    await world.settled()
    expect(await fee(id)).toMatchObject({ status: 'paid', amount: 6_000, reason: 'no_show' })
    await call('PATCH', `/bookings/${id}`, { no_show: false })
    await world.settled()
    expect(taken()).toBe(0)
    await mails()
    expect(mailAbout('fee refunded')).toContain('We are refunding €60.')
  })

  test('for a no-show is asked about in the console, with the amount and the client', async () => {
    const { id } = await booked()
    await toBefore(id, -10)
    const manager = await logInNewPerson(world.service, {
      ...{ email: `manager-${id}@example.com`, role: 'manager', place: { businessId: world.business.id } },
    })
    const page = `/console/bookings/${id}`
    const mark = (fields: Record<string, string>) =>
      useForm(world.service, manager, {
        page,
        action: `${page}/status`,
        fields: { action: 'no_show', ...fields },
      })
    for (const fields of [{}, { fee: '5999' }]) {
      const asked = await mark(fields)
      expect(asked.status).toBe(422)
      expect(textOf(asked)).toMatch(/Ada Lovelace agreed to pay €60.*Charge €60 to the card.*No fee/)
    }
    expect(await world.shown(id)).toMatchObject({ no_show: false })
    expect(await mark({ fee: 'none' })).toMatchObject({ status: 303 })
    await world.settled()
    expect(await fee(id)).toBeUndefined()
    const shown = textOf(await readConsole(world.service, page, manager))
    expect(shown).toContain('Client came after all')
    expect(shown).not.toMatch(/ Move | Cancel…/)
    expect(await mark({ action: 'came' })).toMatchObject({ status: 303 })
    expect(await mark({ fee: '6000' })).toMatchObject({ status: 303 })
    await world.settled()
    expect(await fee(id)).toMatchObject({ status: 'paid', amount: 6_000 })
    const form = `${page}/charge`
    const nothing = await readConsole(world.service, form, manager)
    expect(textOf(nothing)).toContain('Nothing is left of what')
    expect(nothing.body).not.toContain('name="amount"')
    const more = await useForm(world.service, manager, {
      ...{ page: form, action: form, fields: { amount: '1', reason: 'Tea' } },
    })
    expect(more.status).toBe(422)
    expect(more.body).toContain('id="amount-fault"')
  })

  test('a late cancellation gives back what was paid beyond the fee', async () => {
    const { id } = await booked({ payment: 'full' })
    await toBefore(id, 600)
    const link = await manage(id)
    expect((await link.show()).body).toMatchObject({
      policy: { refund: 'part', fee: { amount: 3_000, charged: 0, refunded: 3_000 } },
    })
    await link.cancel()
    await world.settled()
    expect(await fee(id)).toBeUndefined()
    expect(taken()).toBe(3_000)
    await mails()
    expect(mailAbout('cancelled')).toContain('We keep €30 of your payment.')
    mailServer.mails.length = 0
    const again = await booked({ payment: undefined, deposit })
    await toBefore(again.id, 60)
    await (await manage(again.id)).cancel()
    await world.settled()
    expect(await fee(again.id)).toMatchObject({ amount: 3_500, status: 'paid' })
    await mails()
    expect(mailAbout('cancelled')).toContain('€35 was charged to your card. We keep €25 of your payment.')
    expect(taken()).toBe(3_000 + 6_000)
  })

  describe.for([
    ...(['authentication_required', 'card_declined', 'expired_card', 'insufficient_funds'] as const),
    ...(['processing_error', 'amount_too_small', 'resource_missing'] as const),
  ])('that answers %s', (card) => {
    test('makes the fee due, and the client pays it by a link', async () => {
      await notify([owner])
      const { id } = await booked({}, { card })
      await toBefore(id, 60)
      await mails()
      mailServer.mails.length = 0
      await (await manage(id)).cancel()
      await world.settled()
      await world.settled()
      expect(await fee(id)).toMatchObject({ status: 'due', amount: 6_000, failure: card })
      expect(taken()).toBe(0)
      expect((await eventTypes(id)).toSorted()).toEqual(['payment.failed', 'payment.paid'])
      const { id: feeId } = (await fee(id)) ?? {}
      const pay_url = expect.stringMatching(new RegExp(`/checkout/${String(feeId)}$`)) as string
      expect((await (await manage(id)).show()).body.fees).toMatchObject([{ status: 'due', pay_url }])
      await mails()
      expect(mailServer.mails).toHaveLength(2)
      const [told, ...others] = await notices('Cancelled, charge failed')
      expect(others).toEqual([])
      expect(told).toContain('A booking is cancelled. The client’s card could not be charged.')
      expect(told).toContain('The fee of €60 for the late cancellation is not paid yet.')
      expect(told).toContain('The client gets a link to pay.')
      const text = mailAbout('cancelled, payment needed') ?? ''
      expect(text).toContain('Your card could not be charged, so please pay online.')
      expect(text).toContain(reasons[card] ?? 'costs €60')
      const link = /\/checkout\/[0-9a-f-]{36}/.exec(text)?.[0] ?? ''
      const page = await world.service.call('GET', `/${link}`)
      expect(String(page.body)).toContain('€60')
      const session = [...world.stripe.sessions.values()].at(-1)
      expect(session).toMatchObject({ mode: 'payment', amount_total: 6_000 })
      await world.paid(session?.id ?? '')
      await world.tell('checkout.session.completed', session?.id ?? '')
      expect(await fee(id)).toMatchObject({ status: 'paid' })
      expect(taken()).toBe(6_000)
      expect(await history(id)).toEqual(['booking.charge_failed', 'booking.fee_paid'])
      expect(await mails()).toContainEqual(expect.stringMatching(/^Payment received/))
      expect(mailAbout('payment received')).toContain('we have received €60. The reason: ')
      await notify([])
    })
  })

  test('that is declined after the email about the late cancellation has one email more', async () => {
    await notify([owner])
    const { id } = await booked({}, { card: 'takes time' })
    await toBefore(id, 60)
    await mails()
    mailServer.mails.length = 0
    await (await manage(id)).cancel()
    await world.settled()
    expect(await mails()).toEqual([])
    const waiting = await world.service.call('GET', `/mails?booking_id=${id}&status=queued`, {
      token: world.business.key,
    })
    expect(waiting.body.data).toMatchObject([{ waits_for: 'charge' }, { waits_for: 'charge' }])
    world.service.clock.advance(30)
    expect(await mails()).toHaveLength(2)
    const texts = mailServer.mails.map(({ text }) => text).join('\n')
    expect(texts).toContain('For the late cancellation, we charge €60 to your card.')
    expect(texts).toContain('For the late cancellation, we are charging €60 to the client’s card.')
    const intent = [...world.stripe.intents.values()].at(-1)
    world.stripe.bankDecides(intent?.id ?? '', false)
    await world.send(world.stripe.event('payment_intent.payment_failed', intent ?? {}))
    await world.settled()
    expect((await mails()).slice(2).toSorted()).toEqual([
      expect.stringMatching(/^Charge failed:/),
      expect.stringMatching(/^Payment needed:/),
    ])
    expect(mailAbout('payment needed')).toContain('Your card could not be charged. Please pay €60 online.')
    await notify([])
  })

  test('for a late cancellation that the business undoes at once is in no email', async () => {
    await notify([owner])
    const { id } = await booked({}, { card: 'takes time' })
    await toBefore(id, 60)
    await mails()
    mailServer.mails.length = 0
    await (await manage(id)).cancel()
    await call('PATCH', `/bookings/${id}`, { status: 'confirmed' })
    await world.settled()
    world.service.clock.advance(30)
    expect((await mails()).filter((subject) => /cancelled|payment/i.test(subject))).toEqual([])
    await notify([])
  })

  test('of a bank that takes its time is asked again, and may still fail', async () => {
    for (const accepts of [true, false]) {
      world.stripe.ledger.length = 0
      const { id } = await booked({}, { card: 'takes time' })
      await charge(id, { amount: 700, reason: 'Colour' })
      await world.settled()
      expect(await fee(id)).toMatchObject({ status: 'charging' })
      const intent = [...world.stripe.intents.values()].at(-1)
      world.stripe.bankDecides(intent?.id ?? '', accepts)
      const type = accepts ? 'payment_intent.succeeded' : 'payment_intent.payment_failed'
      const event = world.stripe.event(type, intent ?? {})
      await world.send(event)
      await world.send(event)
      await world.settled()
      expect(await fee(id)).toMatchObject(
        accepts ? { status: 'paid' } : { status: 'due', failure: 'card_declined' },
      )
      expect(taken()).toBe(accepts ? 700 : 0)
      await world.send(world.stripe.event('payment_intent.payment_failed', intent ?? {})) // out of order
      await world.settled()
      expect(await fee(id)).toMatchObject({ status: accepts ? 'paid' : 'due' })
    }
  })

  describe('a charge by the business', () => {
    test('happens once for each reason and key, and names its fault', async () => {
      const { id } = await booked()
      const [one, again] = [
        await charge(id, { amount: 1_500, reason: 'Broken vase' }, id),
        await charge(id, { amount: 1_500, reason: 'Broken vase' }, id),
      ]
      expect(one).toMatchObject({ status: 201, body: { kind: 'fee', status: 'charging', amount: 1_500 } })
      expect(again.body).toEqual(one.body)
      const all = await Promise.all(
        Array.from({ length: 8 }, () => charge(id, { amount: 1_500, reason: 'broken  VASE' })),
      )
      expect(all.map(({ status, body }) => [status, body.id])).toEqual(all.map(() => [201, one.body.id]))
      expect(await charge(id, { amount: 1_600, reason: 'Broken vase' })).toMatchObject({
        ...{ status: 422, body: { errors: [{ pointer: '/reason', code: 'repeated' }] } },
      })
      await world.settled()
      expect(taken()).toBe(1_500)
      await charge(id, { amount: 500, reason: 'Tea' })
      await world.settled()
      expect(taken()).toBe(2_000)
      const refund = await call('POST', `/bookings/${id}/refund`, { amount: 400, payment_id: one.body.id })
      expect(refund).toMatchObject({ status: 201, body: { id: one.body.id, refunding_amount: 400 } })
      await world.settled()
      expect(taken()).toBe(1_600)
      const requested = ['booking.charge_requested', 'booking.charged', 'booking.charge_requested']
      expect(await history(id)).toEqual([...requested, 'booking.charged', 'booking.refunded'])
    })

    test('above what the client agreed to is refused, and the refusal names the limit', async () => {
      const refused = (code: string, detail: string) => ({
        ...{ status: 422, body: { errors: [{ pointer: '/amount', code, detail }] } },
      })
      const { id } = await booked() // a price of 60.00, and a fee of as much
      const most = 'which is left of the 12000 that the client agreed to'
      expect(await charge(id, { amount: 12_001, reason: 'Typo' })).toMatchObject(
        refused('out_of_range', `must be at most 12000, ${most}`),
      )
      expect(await charge(id, { amount: 11_000, reason: 'Massage' })).toMatchObject({ status: 201 })
      expect(await charge(id, { amount: 1_001, reason: 'Tea' })).toMatchObject(
        refused('out_of_range', `must be at most 1000, ${most}`),
      )
      expect(await charge(id, { amount: 1_000, reason: 'Tea' })).toMatchObject({ status: 201 })
      expect(await charge(id, { amount: 1, reason: 'More' })).toMatchObject(
        refused('not_allowed', 'is not possible: nothing is left of the 12000 that the client agreed to'),
      )
      expect(await charge(id, { amount: 1_000, reason: 'Tea' })).toMatchObject({ status: 201 })
      await world.settled()
      expect(taken()).toBe(12_000)
      const cancelled = await booked()
      await call('PATCH', `/bookings/${cancelled.id}`, { status: 'cancelled' })
      expect(await charge(cancelled.id, { amount: 6_001, reason: 'Late' })).toMatchObject(
        refused('out_of_range', 'must be at most 6000, which is left of the 6000 that the client agreed to'),
      )
    })

    test('of eight at once, no more is taken than the client agreed to', async () => {
      const { id } = await booked()
      const all = await Promise.all(
        Array.from({ length: 8 }, (_, index) => charge(id, { amount: 5_000, reason: `Part ${index}` })),
      )
      expect(all.map(({ status }) => status).toSorted()).toEqual([201, 201, 422, 422, 422, 422, 422, 422])
      await world.settled()
      expect(taken()).toBe(10_000)
    })

    test('without a saved card is due at once, also above the price', async () => {
      await waitForMails()
      const offer = await offerOf({})
      const held = await world.key.hold(offer, start())
      const { body } = await world.key.book(String(held.body.hold_id))
      await charge(String(body.id), { amount: 6_900, reason: 'Late' })
      await world.settled()
      expect(await fee(String(body.id))).toMatchObject({ status: 'due', failure: 'no_card' })
      await mails()
      expect(mailAbout('payment needed')).toContain('Please pay €69 online')
      expect(mailAbout('payment needed')).not.toContain('Your card')
    })
  })

  describe('waived', () => {
    test('is asked about in the console, once for each fee', async () => {
      const { id } = await booked({}, { card: 'card_declined' })
      await charge(id, { amount: 700, reason: 'Tea' })
      await world.settled()
      const manager = await logInNewPerson(world.service, {
        ...{ email: `waive-${engine}@example.com`, role: 'manager' },
        ...{ place: { businessId: world.business.id } },
      })
      const path = `/console/bookings/${id}/waive?payment=${String((await fee(id))?.['id'])}`
      const page = await readConsole(world.service, path, manager)
      expect(textOf(page)).toContain('Waive the fee of €7?')
      expect(textOf(page)).toContain('This cannot be undone.')
      expect(await fee(id)).toMatchObject({ status: 'due' })
      await useForm(world.service, manager, {
        ...{ page: path, action: `/console/bookings/${id}/waive`, fields: {} },
      })
      expect(await fee(id)).toMatchObject({ status: 'waived' })
      expect(textOf(await readConsole(world.service, path, manager))).not.toContain('Waive the fee')
    })

    test('before it is made is never made', async () => {
      const { id } = await booked()
      world.stripe.failure = { how: 'away', on: /./ }
      const { body } = await charge(id, { amount: 900, reason: 'Late' })
      expect(await waive(id, body.id)).toMatchObject({ status: 200, body: { status: 'waived' } })
      expect(await waive(id, body.id)).toMatchObject({ status: 200, body: { status: 'waived' } })
      world.stripe.failure = undefined
      world.service.clock.advance(3_600)
      await world.settled()
      expect(taken()).toBe(0)
      expect(await waive(id, id)).toMatchObject({ status: 404 })
    })

    test('after an answer that was lost gives the money back', async () => {
      const { id } = await booked()
      world.stripe.failure = { how: 'answer lost', on: /POST \/v1\/payment_intents/ }
      const { body } = await charge(id, { amount: 900, reason: 'Late' })
      await world.settled()
      expect(taken()).toBe(900)
      expect(await waive(id, body.id)).toMatchObject({ body: { status: 'waived' } })
      world.stripe.failure = undefined
      for (let round = 0; round < 4; round += 1) {
        world.service.clock.advance(200)
        await world.settled()
      }
      expect(taken()).toBe(0)
      expect(await fee(id)).toMatchObject({ status: 'refunded' })
    })

    test('when paid is refunded, and when due cannot be paid any more', async () => {
      await waitForMails()
      const { id } = await booked()
      const { body: paid } = await charge(id, { amount: 900, reason: 'Late' })
      await world.settled()
      await call('POST', `/bookings/${id}/refund`, { amount: 200, payment_id: paid.id })
      await world.settled()
      await waive(id, paid.id)
      await waive(id, paid.id)
      await world.settled()
      expect(taken()).toBe(0)
      expect((await mails()).filter((subject) => subject.startsWith('Fee refunded'))).toHaveLength(1)
      expect(mailAbout('fee refunded')).toContain('We are refunding €7. It can take a few days to arrive.')
      await waitForMails()
      const other = await booked({}, { card: 'card_declined' })
      const { body: due } = await charge(other.id, { amount: 900, reason: 'Late' })
      await world.settled()
      await world.service.call('GET', `//checkout/${String(due.id)}`) // opens the checkout
      const session = [...world.stripe.sessions.values()].at(-1)
      await waive(other.id, due.id)
      await world.settled()
      expect(session?.status).toBe('expired')
      expect(world.stripe.pay(session?.id ?? '')).toBe(false)
      expect(await fee(other.id)).toMatchObject({ status: 'waived' })
      await mails()
      expect(mailAbout('fee waived')).toContain('You do not have to pay €9. It was for: Late.')
    })
  })

  test('is charged once, whatever of the processor fails', async () => {
    for (const how of ['away', 'error', 'answer lost'] as const) {
      world.stripe.ledger.length = 0
      const { id } = await booked()
      world.stripe.failure = { how, on: /POST \/v1\/payment_intents/ }
      await charge(id, { amount: 900, reason: 'Late' })
      await world.settled()
      expect(await fee(id), how).toMatchObject({ status: 'charging' })
      world.stripe.failure = undefined
      for (let round = 0; round < 3; round += 1) {
        world.service.clock.advance(day) // Stripe forgets keys after a day
        await world.settled()
      }
      if (how === 'error') continue // the stand-in repeats its error for the same key for ever
      expect(await fee(id), how).toMatchObject({ status: 'paid' })
      expect(taken(), how).toBe(900)
    }
  })

  test('fees of late cancellations and no-shows are in the numbers and reports, in parts', async () => {
    location = await makeLocation(world.service, world.business.id)
    const [first = ''] = new Date(world.service.clock.nowMs()).toISOString().split('T')
    const late = await booked()
    const missed = await booked({}, { card: 'card_declined', days: 11 })
    const came = await booked({}, { days: 11 })
    await call('POST', `/bookings/${late.id}/charge`, { amount: 900, reason: 'Tea' })
    await toBefore(late.id, 60)
    await (await manage(late.id)).cancel()
    await world.settled()
    const partly = (await payments(late.id)).find(({ reason }) => reason === 'late_cancel')
    await call('POST', `/bookings/${late.id}/refund`, { amount: 1_000, payment_id: partly?.['id'] })
    await toBefore(missed.id, -60)
    for (const { id } of [missed, came]) await call('PATCH', `/bookings/${id}`, { no_show: true })
    await world.settled()
    await waive(came.id, (await fee(came.id))?.['id'])
    await world.settled()
    const [last = ''] = new Date(world.service.clock.nowMs()).toISOString().split('T')
    const query = `from=${first}&to=${last}`
    const numbers = await world.service.call('GET', `/numbers?${query}&location_id=${location}`, {
      token: world.business.key,
    })
    const parts = {
      ...{ currency: 'EUR', charged: 18_000, received: 5_000, waived: 7_000, due: 6_000, kept: 0 },
      no_show: { charged: 12_000, received: 0, waived: 6_000, due: 6_000, kept: 0 },
      late_cancel: { charged: 6_000, received: 5_000, waived: 1_000, due: 0, kept: 0 },
    }
    expect(numbers.body).toMatchObject({ total: { fees: [parts], no_shows: 2 } })
    const days = numbers.body.months as { fees: (typeof parts)[] }[]
    expect(days.flatMap(({ fees }) => fees).reduce((sum, { charged }) => sum + charged, 0)).toBe(18_000)
    const owner = await logInNewPerson(world.service, {
      ...{ email: `${engine}@example.com`, role: 'owner', place: { businessId: world.business.id } },
    })
    const own = `range=own&${query}&location=${location}`
    const page = textOf(await readConsole(world.service, `/console/numbers?${own}`, owner))
    expect(page).toContain('Recovered from no-shows No-shows cost you €120. Fees brought back €0 of €120.')
    expect(page).toContain('Recovered from late cancellations €50 of €60 in fees came in.')
    expect(page).not.toContain('paid in advance')
    const fileOf = async (report: string) => {
      const path = `/console/numbers.csv?report=${report}&${own}`
      return String((await readConsole(world.service, path, owner)).body)
    }
    const heads =
      'Prepayments kept (EUR),Charged (EUR),Received (EUR),Waived or refunded (EUR),Still due (EUR)'
    const noShows = await fileOf('no_show_fees')
    expect(noShows).toContain(`To,Lost to no-shows (EUR),${heads}`)
    expect(noShows).toContain(',120.00,0.00,120.00,0.00,60.00,60.00')
    const lateFees = await fileOf('late_fees')
    expect(lateFees).toContain(`To,${heads}`)
    expect(lateFees).toContain(',0.00,60.00,50.00,10.00,0.00')
    const fees = textOf(await readConsole(world.service, `/console/payments?range=own&${query}`, owner))
    expect(fees).toMatch(/Refund · Late cancellation −€10.*Fee charged · Late cancellation €60/)
    expect(fees).toContain('Fee charged · Tea €9')
    expect(textOf(await readConsole(world.service, '/console/payments?type=due', owner))).toContain(
      'Fee due · No-show €60',
    )
  })

  test('payments in advance that stayed after no-shows and late cancellations are in the numbers and reports', async () => {
    location = await makeLocation(world.service, world.business.id)
    const [first = ''] = new Date(world.service.clock.nowMs()).toISOString().split('T')
    const late = await booked({ payment: 'full' })
    const partly = await booked({ payment: 'full' }, { days: 11 })
    const missed = await booked(
      { payment: 'deposit', deposit, fees: [], no_show_percent: null },
      { days: 12 },
    )
    const more = await booked({ payment: 'deposit', deposit }, { days: 12 })
    const came = await booked({ payment: 'full' }, { days: 12 })
    const disputed = await booked({ payment: 'full' }, { days: 12 })
    await toBefore(late.id, 60)
    await (await manage(late.id)).cancel()
    await toBefore(partly.id, 300)
    await (await manage(partly.id)).cancel()
    await world.settled()
    await toBefore(missed.id, -60)
    for (const { id } of [missed, more, disputed]) await call('PATCH', `/bookings/${id}`, { no_show: true })
    await call('PATCH', `/bookings/${came.id}`, { status: 'completed' })
    const { payment_intent } = disputed.session
    const dispute = { object: 'dispute', payment_intent, status: 'lost' }
    await world.send(world.stripe.event('charge.dispute.closed', dispute))
    await world.settled()
    const [last = ''] = new Date(world.service.clock.nowMs()).toISOString().split('T')
    const query = `from=${first}&to=${last}`
    const numbers = await world.service.call('GET', `/numbers?${query}&location_id=${location}`, {
      token: world.business.key,
    })
    const { fees: sums } = numbers.body.total as { fees: object[] }
    expect(sums).toEqual([
      {
        ...{ currency: 'EUR', charged: 3_500, received: 3_500, waived: 0, due: 0, kept: 14_000 },
        no_show: { charged: 3_500, received: 3_500, waived: 0, due: 0, kept: 5_000 },
        late_cancel: { charged: 0, received: 0, waived: 0, due: 0, kept: 9_000 },
      },
    ])
    const owner = await logInNewPerson(world.service, {
      ...{ email: `kept.${engine}@example.com`, role: 'owner', place: { businessId: world.business.id } },
    })
    const own = `range=own&${query}&location=${location}`
    const page = textOf(await readConsole(world.service, `/console/numbers?${own}`, owner))
    expect(page).toContain(
      '(75% of the bookings) cost you €180. Fees and payments in advance brought back €85.',
    )
    expect(page).toContain(
      'No-shows cost you €180. Fees brought back €35 of €35. You kept €50 that clients had paid in advance.',
    )
    expect(page).toContain('Recovered from late cancellations You kept €90 that clients had paid in advance.')
    const path = `/console/numbers.csv?report=late_fees&${own}`
    const file = String((await readConsole(world.service, path, owner)).body)
    const kept = [...file.matchAll(/^[^,]+,[^,]+,(\d+)\.00,0\.00,0\.00,0\.00,0\.00\s*$/gm)]
    expect(kept.reduce((sum, [, amount]) => sum + Number(amount), 0)).toBe(90)
  })

  test('that the client disputes is marked, in any order of the events', async () => {
    const { id } = await booked({ payment: 'full' })
    const intent = [...world.stripe.intents.values()].at(-1)
    const dispute = (status: string) => ({ object: 'dispute', payment_intent: intent?.id, status })
    await world.send(world.stripe.event('charge.dispute.created', dispute('needs_response')))
    expect((await payments(id))[0]).toMatchObject({ status: 'paid', dispute: 'open' })
    await world.send(world.stripe.event('charge.dispute.closed', dispute('lost')))
    await world.send(world.stripe.event('charge.dispute.created', dispute('needs_response')))
    expect((await payments(id))[0]).toMatchObject({ dispute: 'lost' })
  })

  test('that is disputed is in emails to the business and in the history, once for each state', async () => {
    await notify([owner])
    const { id } = await booked({ payment: 'full' })
    const intent = [...world.stripe.intents.values()].at(-1)
    const tell = (type: string, status: string) =>
      world.send(
        world.stripe.event(`charge.dispute.${type}`, {
          ...{ object: 'dispute', payment_intent: intent?.id, status },
        }),
      )
    for (const status of ['needs_response', 'under_review']) await tell('created', status)
    const [text = '', ...more] = await notices('Payment disputed')
    expect(more).toEqual([])
    expect(text).toContain('The client disputes a payment of €60 with their bank.')
    expect(text).toContain(`/console/bookings/${id}?business=${world.business.id}`)
    await tell('closed', 'won')
    expect((await notices('Dispute won'))[0]).toContain(
      'The dispute over a payment of €60 has ended in your favour.',
    )
    await tell('closed', 'lost')
    expect(await notices('Dispute lost')).toHaveLength(1)
    expect((await notices('')).filter((one) => one.includes('payment of €60'))).toHaveLength(3)
    expect(await history(id)).toEqual(['booking.disputed', 'booking.dispute_won', 'booking.dispute_lost'])
    const [payment] = await payments(id)
    expect(await call('POST', `/bookings/${id}/refund`, { payment_id: payment?.['id'] })).toMatchObject({
      ...{ status: 422, body: { errors: [{ pointer: '/amount', code: 'not_allowed' }] } },
    })
    const today = new Date(world.service.clock.nowMs()).toISOString().slice(0, 10)
    const manager = await logInNewPerson(world.service, {
      ...{
        email: `disputes-${engine}@example.com`,
        role: 'manager',
        place: { businessId: world.business.id },
      },
    })
    const path = `/console/payments?range=own&from=${today}&to=${today}`
    const page = textOf(await readConsole(world.service, path, manager))
    expect(page).toContain('Dispute lost −€60')
    expect(page).toContain('Full price paid · dispute lost')
    await notify([])
  })

  test.for([
    { currency: 'JPY', amount: 6_001, fee: 3_001 },
    { currency: 'KWD', amount: 6_010, fee: 3_000 }, // the last digit is 0 for the processor
    { currency: 'EUR', amount: 6_001, fee: 3_001 },
    { currency: 'EUR', amount: 1, fee: 1 },
  ])('a fee of half of $amount $currency is $fee', async ({ currency, amount, fee: half }) => {
    const { id } = await booked({ price: { amount, currency } })
    await toBefore(id, 600)
    await (await manage(id)).cancel()
    await world.settled()
    expect(await fee(id)).toMatchObject({ amount: half, currency, status: 'paid' })
  })

  test('the agreed fees stay when the service changes', async () => {
    const { id, offer } = await booked()
    await call('PATCH', `/services/${offer.service_id}`, { fees: [], no_show_percent: null, payment: 'none' })
    await toBefore(id, 600)
    await (await manage(id)).cancel()
    await world.settled()
    expect(await fee(id)).toMatchObject({ amount: 3_000, status: 'paid' })
  })
})
