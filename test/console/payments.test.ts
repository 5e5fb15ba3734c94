import { afterAll, beforeAll, expect, test } from 'vitest'
import { listMovements } from '../../src/bookings/movements.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, makeOffer } from '../support/offers.ts'
import { readConsole, textOf } from '../support/console.ts'
import { type DepositWorld, depositWorld } from '../support/deposits.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'

const daySeconds = 86_400

onOneEngine('sqlite', 'the payments of a business', (engine) => {
  let world: DepositWorld
  let manager: LoggedIn
  let booking: string
  let cutId: string
  let colour: string
  beforeAll(async () => {
    world = await depositWorld(engine)
    const place = { businessId: world.business.id }
    const cut = await makeOffer(world.service, world.business.id, { name: 'Cut', deposit: money(2_500) })
    const dear = await makeOffer(world.service, world.business.id, { name: 'Colour', deposit: money(4_000) })
    cutId = cut.service_id
    colour = dear.service_id
    const first = await world.due({ offer: cut })
    await world.paid(first.sessionId)
    await world.settled()
    world.service.clock.advance(daySeconds)
    await world.newSession()
    const second = await world.due({ offer: dear })
    await world.paid(second.sessionId)
    booking = second.id
    world.service.clock.advance(60)
    const refund = { token: world.business.key, body: { amount: 1_000 } }
    expect((await world.service.call('POST', `/bookings/${first.id}/refund`, refund)).status).toBe(201)
    await world.settled()
    await world.due({ offer: cut, client: world.key, startsAt: '2026-12-01T12:00:00+01:00' })
    // waits for its checkout and may end any minute, so it owes nothing
    await world.due({ offer: dear, startsAt: '2026-12-01T13:00:00+01:00' })
    manager = await logInNewPerson(world.service, { email: 'manager@example.com', role: 'manager', place })
  })
  afterAll(() => world.stop())

  const money = (amount: number) => ({ amount, currency: 'EUR' })
  const read = async (query = '', person = manager) =>
    textOf(await readConsole(world.service, `/console/payments${query}`, person))

  test('come by day with what was refunded, and with what is due', async () => {
    const page = await read()
    expect(page).toMatch(/Received €65 Refunded €10 Net €55 Due now €25 one payment/)
    expect(page).toMatch(/Today, Saturday 21 November.*−€10.*Colour.*€40.*Yesterday, Friday 20 November.*€25/)
    expect(page).toMatch(/By day.*Fri,? 20 Nov €25 €0 €25 Sat,? 21 Nov €40 €10 €30/)
    expect(page).toMatch(/By service.*Colour €40 €0 €40 Cut €25 €10 €15/)
  })

  test('are chosen by kind, by service and by day', async () => {
    const refunds = await read('?type=refund')
    expect(refunds).toMatch(/10:01 .*Refund −€10/)
    expect(refunds).not.toContain('Deposit paid')
    const due = await read('?type=due')
    expect(due).toMatch(/10:01 .* Deposit due €25/)
    expect(due).not.toMatch(/Deposit paid|Received/)
    expect(await read(`?service=${colour}`)).toMatch(/Received €40 Today/)
    expect(await read(`?service=${cutId}`)).toMatch(/Received €25 .*Due now €25 one payment/)
    expect(await read(`?type=due&service=${colour}`)).not.toContain('€25')
    expect(await read('?range=own&from=2026-11-20&to=2026-11-20')).toMatch(/Received €25 Due now/)
    expect(await read('?range=own&from=2026-11-22&to=2026-11-23')).toContain('No payments in this period.')
    expect(await read('?range=own&from=2026-11-22&to=2026-11-20')).toContain(
      'The last day is before the first.',
    )
    expect(await read(`?type=none&service=x&cursor=nothing`)).toContain('Received €65')
  })

  test('are a file for the till', async () => {
    const { body, headers } = await world.service.call('GET', '//console/payments.csv?type=', {
      headers: { cookie: manager.cookie, 'accept-language': 'de' },
    })
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    const lines = String(body).trimEnd().split('\r\n')
    expect(lines[0]).toBe(
      '\uFEFFDatum;Uhrzeit;Art;Grund;Kunde;Leistungen;Beginn;Betrag;Später erstattet;Währung;Zahlweg;Zahlungs-ID;Termin-ID',
    )
    expect(lines).toHaveLength(4)
    expect(lines[2]).toMatch(
      new RegExp(
        `^21\\.11\\.2026;10:00;Anzahlung bezahlt;;[^;]+;Colour;01\\.12\\.2026 10:00;40,00;0,00;EUR;Stripe;[-0-9a-f]{36};${booking}$`,
      ),
    )
    expect(lines[1]).toMatch(/;Erstattung;;[^;]+;Cut;[^;]+;-10,00;;EUR;Stripe;/)
    expect(lines[3]).toMatch(/;Anzahlung bezahlt;;[^;]+;Cut;[^;]+;25,00;10,00;EUR;Stripe;/)
    expect(body).not.toContain('\u2212')
  })

  test('are a file of what is due, if that is chosen', async () => {
    const { body } = await world.service.call('GET', '//console/payments.csv?type=due', {
      headers: { cookie: manager.cookie },
    })
    expect(String(body).trimEnd().split('\r\n')).toHaveLength(2)
    expect(body).toMatch(/,Deposit due,,[^,]+,Cut,[^,]+,25\.00,0\.00,EUR,Stripe,/)
  })

  test('are revenue booked only for confirmed bookings', async () => {
    const read = () => manager.call('GET', '/numbers?from=2026-12-01&to=2026-12-01')
    const { total } = (await read()).body as { total: { bookings: number } }
    expect(total.bookings).toBe(3)
  })

  test('are in the reports, in the week when the money moved', async () => {
    const page = textOf(await readConsole(world.service, '/console/numbers', manager))
    expect(page).toMatch(/Taken online €55 .*€65 received online, €10 refunded\./)
    const query = 'from=2026-11-15&to=2026-11-24'
    const numbers = await manager.call('GET', `/numbers?${query}`)
    const taken = [{ currency: 'EUR', received: 6_500, refunded: 1_000 }]
    expect(numbers.body).toMatchObject({
      ...{ weeks: [{ taken: [] }, { taken }, { taken: [] }], months: [{ taken }], total: { taken } },
    })
  })

  test('come page by page, each once', async () => {
    const actor = { type: 'system', scope: { businessId: world.business.id } } as never
    const request = { businessId: world.business.id, from: '2026-11-01', to: '2026-11-30' }
    const seen: number[] = []
    let after: Awaited<ReturnType<typeof listMovements>>['next']
    do {
      const page = await listMovements(world.service.context, actor, request, { after, max: 1 })
      seen.push(...page.movements.map(({ amount }) => amount))
      after = page.next
    } while (after)
    expect(seen.toSorted((one, other) => one - other)).toEqual([-1_000, 2_500, 4_000])
  })

  test('are for managers of the business alone', async () => {
    const other = await makeBusiness(world.service)
    const [stranger, desk] = [
      await logInNewPerson(world.service, {
        ...{ email: 'stranger@example.com', role: 'owner', place: { businessId: other.id } },
      }),
      await logInNewPerson(world.service, {
        ...{ email: 'desk@example.com', role: 'front_desk', place: { businessId: world.business.id } },
      }),
    ]
    expect(await read('', stranger)).not.toMatch(/€/)
    for (const path of ['', '.csv']) {
      const refused = await readConsole(world.service, `/console/payments${path}`, desk)
      expect(refused.status).not.toBe(200)
      expect(refused.body ?? '').not.toMatch(/€|40/)
    }
  })
})
