import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { cellsOf, type CommandLine, commandLine } from '../support/command-line.ts'
import { depositWorld, type DepositWorld } from '../support/deposits.ts'
import { makeBusiness, makeOffer } from '../support/offers.ts'

onOneEngine('sqlite', 'coupons and refunds at the command line', (engine) => {
  let world: DepositWorld
  let holdfast: CommandLine
  let business: string
  beforeAll(async () => {
    world = await depositWorld(engine)
    holdfast = commandLine(world.service.databaseUrl)
  })
  beforeEach(async () => {
    business = (await makeBusiness(world.service)).id
    await world.newSession()
  })
  afterAll(() => world.stop())

  const actionsOf = async (id: string) => {
    const rows = await world.service.context.db.reads
      .selectFrom('audit_entries')
      .select(['action', 'actor_type'])
      .where('subject_id', '=', id)
      .orderBy('id')
      .execute()
    return rows.map(({ action, actor_type }) => `${actor_type} ${action}`)
  }

  test('are created, changed, listed and deleted, each with its audit entry', async () => {
    const { service_id } = await makeOffer(world.service, business)
    const made = await holdfast.json(
      ...['coupon', 'create', 'spring', '--business', business, '--percent', '10'],
      ...['--service', service_id, '--from', '2026-03-01', '--until', '2026-04-01', '--max-uses', '20'],
    )
    expect(made).toMatchObject({
      ...{ code: 'SPRING', percent: 10, amount: null, currency: null, service_ids: [service_id] },
      ...{ valid_from: '2026-03-01T00:00:00+01:00', valid_until: '2026-04-01T00:00:00+02:00' },
      ...{ max_uses: 20, max_uses_per_client: null, uses: 0, active: true, business_id: business },
    })
    const changed = await holdfast.json(
      ...['coupon', 'change', made.id, '--amount', '7.50 EUR', '--no-service', '--until', 'none'],
      ...['--max-uses', 'none', '--max-uses-per-client', '1', '--code', 'May', '--no-active'],
    )
    expect(changed).toMatchObject({
      ...{ code: 'MAY', percent: null, amount: 750, currency: 'EUR', service_ids: null },
      ...{ valid_from: made.valid_from, valid_until: null, max_uses: null, max_uses_per_client: 1 },
      active: false,
    })
    expect(cellsOf(await holdfast.text('coupon', 'list', '--business', business))).toEqual([
      ['ID', 'CODE', 'OFF', 'USES', 'FROM', 'UNTIL', 'STATE'],
      [made.id, 'MAY', '7.50 EUR', '0', '2026-03-01 00:00 +01:00', 'inactive'],
    ])
    expect(await holdfast.text('coupon', 'change', 'may', '--active', '--percent', '5')).toBe(
      `coupon ${made.id}  MAY  (5 %)\n`,
    )
    expect(await holdfast.text('coupon', 'delete', 'MAY')).toBe('coupon MAY is deleted\n')
    expect(await holdfast.json('coupon', 'list', '--business', business)).toEqual({
      ...{ data: [], next_cursor: null },
    })
    expect(await actionsOf(made.id)).toEqual([
      'command_line coupon.created',
      'command_line coupon.updated',
      'command_line coupon.updated',
      'command_line coupon.deleted',
    ])
  })

  test('name the options that are wrong, and change nothing', async () => {
    const create = (...more: string[]) => ['coupon', 'create', 'FAULTY', '--business', business, ...more]
    await holdfast.refuses(create(), 2, '--percent is required, or `amount`')
    await holdfast.refuses(create('--percent', '5', '--amount', '5 EUR'), 2, '--percent cannot be together')
    await holdfast.refuses(
      create('--percent', 'half', '--amount', '5', '--max-uses', 'many', '--from', '2026-02-30'),
      2,
      /--percent must be a whole number.*"5" is not a valid amount.*"2026-02-30".*--max-uses must be/,
    )
    await holdfast.refuses(create('--amount', '5'), 2, /^holdfast: "5" is not a valid amount; [^;]*\.\n$/)
    await holdfast.refuses(create('--percent', '101'), 2, '--percent must be at most 100.')
    await holdfast.refuses(create('--percent', '5', '--service', 'Nothing'), 2, /--service.*Nothing/)
    expect((await holdfast.json('coupon', 'list', '--business', business)).data).toEqual([])
    const { id } = await holdfast.json(...create('--percent', '5'))
    await holdfast.refuses(create('--percent', '5'), 2, 'The code is the code of another coupon')
    await holdfast.refuses(['coupon', 'change', id], 2, 'Nothing to change')
    await holdfast.refuses(
      ['coupon', 'change', 'FAULTI', '--percent', '6'],
      2,
      `Did you mean ${id} (FAULTY)?`,
    )
    const other = (await makeBusiness(world.service)).id
    await holdfast.text('coupon', 'create', 'FAULTY', '--business', other, '--percent', '5')
    await holdfast.refuses(['coupon', 'delete', 'FAULTY'], 2, '"FAULTY" can be 2 of them. Use the id: ')
  })

  test('a refund returns a part, then the rest, and names what is wrong', async () => {
    const { id, sessionId } = await world.due({ money: { amount: 6_000, currency: 'EUR' } })
    await holdfast.refuses(['booking', 'refund', id], 2, 'A refund is not possible: nothing paid is left.')
    await world.paid(sessionId)
    await holdfast.refuses(['booking', 'refund', id, '--amount', '20 USD'], 2, '--amount must be in EUR')
    await holdfast.refuses(['booking', 'refund', id, '--amount', '60.01 EUR'], 2, '--amount must be at most')
    await holdfast.refuses(['booking', 'refund', '0199', '--amount', '1 EUR'], 2, 'There is no booking 0199.')
    const part = ['booking', 'refund', id, '--amount', '20 EUR', '--reason', 'The colour did not hold']
    expect(await holdfast.text(...part)).toBe('60.00 EUR paid, 20.00 EUR on the way back\n')
    expect(await holdfast.json('booking', 'refund', id)).toMatchObject({
      ...{ amount: 6_000, currency: 'EUR', refunded_amount: 0, refunding_amount: 6_000 },
    })
    expect(await world.shown(id)).toMatchObject({
      status: 'confirmed',
      payments: [{ refunding_amount: 6_000 }],
    })
    const refunds = await world.service.context.db.reads
      .selectFrom('refunds')
      .select(['amount', 'reason', 'status'])
      .where('payment_id', '=', String((await world.shown(id)).payments[0].id))
      .orderBy('number')
      .execute()
    expect(refunds).toEqual([
      { amount: 2_000, reason: 'The colour did not hold', status: 'requested' },
      { amount: 4_000, reason: null, status: 'requested' },
    ])
    expect((await actionsOf(id)).filter((action) => action.includes('refund'))).toEqual([
      'command_line booking.refunded',
      'command_line booking.refunded',
    ])
  })
})
