import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readConsole, textOf, useForm } from '../support/console.ts'
import { type DepositWorld, depositWorld } from '../support/deposits.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'

onOneEngine('sqlite', 'a paid deposit in the console', (engine) => {
  let world: DepositWorld
  let owner: LoggedIn
  let manager: LoggedIn
  let id: string
  beforeAll(async () => {
    world = await depositWorld(engine)
    const logIn = (role: 'owner' | 'manager') =>
      logInNewPerson(world.service, {
        ...{ email: `${role}@example.com`, role },
        place: { businessId: world.business.id },
      })
    owner = await logIn('owner')
    manager = await logIn('manager')
  })
  beforeEach(async () => {
    world.stripe.refunds.length = 0
    await world.newSession()
    const due = await world.due()
    id = due.id
    await world.paid(due.sessionId)
  })
  afterAll(() => world.stop())

  const path = (form?: string) => `/console/bookings/${id}${form === undefined ? '' : `/${form}`}`
  const read = async (form?: string, person = owner) =>
    textOf(await readConsole(world.service, path(form), person))
  const cancel = (fields: Record<string, string>, person = owner) =>
    useForm(world.service, person, { page: path('cancel'), action: path('cancel'), fields })

  test('goes back with the cancellation, named before', async () => {
    expect(await read('cancel')).toMatch(/Refund €25.*Keep €25/)
    const cancelled = await cancel({ refund: 'full' })
    expect(cancelled).toMatchObject({ status: 303 })
    expect(cancelled.headers.location).toMatch(/done=cancelled_refunded$/)
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([{ amount: 2500, status: 'succeeded' }])
    expect(await read()).toContain('Deposit €25 refunded')
  })

  test('stays with the address of its client: whose link gives it back, only owners decide', async () => {
    const client = { email: 'insider@example.com' }
    const change = (person: LoggedIn, body: object) => person.call('PATCH', `/bookings/${id}`, body)
    expect(await change(manager, { client })).toMatchObject({
      status: 403,
      body: { code: 'key_type_not_allowed' },
    })
    expect((await change(manager, { client: { first_name: 'Adele' } })).status).toBe(200)
    expect((await change(owner, { client })).status).toBe(200)
  })

  test('is kept, and goes back later, once', async () => {
    expect(await cancel({ refund: 'none' })).toMatchObject({ status: 303 })
    await world.settled()
    expect(world.stripe.refunds).toEqual([])
    expect(await read()).toContain('Deposit €25 paid by card')
    expect(await read('cancel')).toContain('Refund the payment?')
    for (const status of [303, 303]) expect(await cancel({})).toMatchObject({ status })
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([{ amount: 2500, status: 'succeeded' }])
    expect(await read()).toContain('Deposit €25 refunded')
  })

  test('is sent back by owners only', async () => {
    expect(await read('cancel', manager)).toContain('An owner can refund it.')
    const refused = await cancel({ refund: 'full' }, manager)
    await world.settled()
    expect(refused.status).not.toBe(303)
    expect(world.stripe.refunds).toEqual([])
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
  })
})

onOneEngine('sqlite', 'every payment of a booking in the console', (engine) => {
  let world: DepositWorld
  let owner: LoggedIn
  let id: string
  beforeAll(async () => {
    world = await depositWorld(engine)
    owner = await logInNewPerson(world.service, {
      ...{ email: 'owner@example.com', role: 'owner', place: { businessId: world.business.id } },
    })
  })
  beforeEach(async () => {
    world.stripe.refunds.length = 0
    await world.newSession()
    const due = await world.due()
    id = due.id
    await world.paid(due.sessionId)
  })
  afterAll(() => world.stop())

  const path = (form = '') => `/console/bookings/${id}${form}`
  const read = async (form?: string, language = 'en') =>
    textOf(await readConsole(world.service, path(form), owner, { 'accept-language': language }))
  const send = (page: string, fields: Record<string, string>, action = page.replace(/\?.*/, '')) =>
    useForm(world.service, owner, { page: path(page), action: path(action), fields })
  /** Charges a fee, which the client pays by the link. */
  const charged = async () => {
    expect(await read('/charge')).toContain('No card is saved. The client gets a link to pay.')
    const asked = await send('/charge', { amount: '15,50', reason: 'Broken vase' })
    expect(asked.status).toBe(422)
    expect(textOf(asked)).toMatch(
      /Charge €15\.50\?.*No card is saved\. Ada Lovelace gets a link to pay €15\.50/,
    )
    await world.settled()
    expect(await fees()).toEqual([])
    const sure = { sure: '1550 Broken vase', amount: '15,50', reason: 'Broken vase' }
    expect(await send('/charge', { ...sure, amount: '25,50' })).toMatchObject({ status: 422 }) // asks again
    expect(await send('/charge', sure)).toMatchObject({ status: 303 })
    await world.settled()
    const [fee] = await fees()
    const feeId = String(fee?.['id'])
    expect((await readConsole(world.service, path(), owner)).body).toContain(`/checkout/${feeId}"`) // to hand over
    await world.service.call('GET', `//checkout/${feeId}`)
    const session = [...world.stripe.sessions.values()].at(-1)
    await world.paid(session?.id ?? '')
    return feeId
  }
  const fees = async () =>
    ((await world.shown(id)).payments as Record<string, unknown>[]).filter(({ kind }) => kind === 'fee')

  test('a fee is refunded in part, then wholly; the form names the payment and what is left', async () => {
    const fee = await charged()
    expect(await read()).toMatch(/Broken vase: €15\.50 charged.*Refund….*Waive and refund/)
    const form = `/refund?payment=${fee}`
    expect(await read(form)).toMatch(/Broken vase: €15\.50 charged.*At most €15\.50, which is left/)
    expect(await send(form, { amount: '5.50', reason: 'Old vase' })).toMatchObject({ status: 303 })
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([{ amount: 550, status: 'succeeded' }])
    expect(await read()).toMatch(/Broken vase: €15\.50 charged[^€]*€5\.50 of it refunded/)
    expect(await read(form, 'de')).toContain('Höchstens 10 €')
    expect(await send(form, {})).toMatchObject({ status: 303 }) // all that is left
    await world.settled()
    expect(world.stripe.refunds.map(({ amount }) => amount)).toEqual([550, 1000])
    expect(await read()).toContain('Broken vase: €15.50 refunded')
    expect(await read(form)).toContain('Nothing of this payment is left to refund.')
    const list = textOf(await readConsole(world.service, '/console/payments', owner))
    expect(list).toMatch(/Refund · Broken vase −€10.*Fee charged · Broken vase €15\.50/)
    const cookie = { headers: { cookie: owner.cookie } }
    const { body } = await world.service.call('GET', '//console/payments.csv', cookie)
    expect(body).toMatch(/,Refund,Broken vase,.*-10\.00[^]*,Fee charged,Broken vase,.*15\.50/)
    // the deposit is untouched
    expect(await read('/refund')).toMatch(/Deposit paid: €25.*At most €25/)
  })

  test.each(['', '0', '25.01', 'all', '-3'])('the amount "%s" is refused at its field', async (amount) => {
    const { status, body } = await send('/refund', { amount })
    expect(status).toBe(422)
    expect(body).toContain('id="amount-fault"')
    expect(textOf({ body })).toContain('At most €25, which is left.')
    await world.settled()
    expect(world.stripe.refunds).toEqual([])
  })

  test('a cancellation offers what is left of the payment', async () => {
    expect(await send('/refund', { amount: '10' })).toMatchObject({ status: 303 })
    expect(await read('/cancel')).toMatch(/Refund €15.*Keep €15/)
  })
})
