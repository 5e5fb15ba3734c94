import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readConsole, textOf, useForm } from '../support/console.ts'
import { type DepositWorld, depositWorld } from '../support/deposits.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'

onOneEngine('postgres', 'a paid deposit in the console', (engine) => {
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
