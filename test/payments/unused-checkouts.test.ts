import type { Insertable } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plusSeconds } from '../../src/base/instants.ts'
import type { PaymentsTable } from '../../src/database/tables.ts'
import { tidy } from '../../src/operate/housekeeping.ts'
import { unusedPayments } from '../../src/payments/payment.ts'
import { onOneEngine } from '../support/long.ts'
import { depositWorld, type DepositWorld } from '../support/deposits.ts'

onOneEngine('sqlite', 'checkouts of which no booking came', (engine) => {
  let world: DepositWorld
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  afterAll(() => world.stop())

  test('are deleted when they are thirty days old, and nothing else is', async () => {
    const { context } = world.service
    await world.due()
    const payment = await context.db.reads.selectFrom('payments').selectAll().executeTakeFirstOrThrow()
    const unused: Partial<Insertable<PaymentsTable>> = { status: 'expired', next_check_at: null }
    const aged = (days: number) => ({
      ...unused,
      id: context.ids.next(),
      created_at: plusSeconds(context.clock.now(), -days * 86_400),
    })
    const kept = {
      'of a booking': { ...aged(31), id: payment.id },
      'not old enough': aged(29),
      'seen when it was as old': aged(38),
      'to be checked': { ...aged(31), next_check_at: payment.next_check_at },
      'paid late': { ...aged(31), paid_at: payment.created_at },
    }
    await context.db.transaction(async ({ db }) => {
      const { id, ...columns } = kept['of a booking']
      await db.updateTable('payments').set(columns).where('id', '=', id).execute()
      const copies = [aged(31), aged(36), ...Object.values(kept).slice(1)]
      await db
        .insertInto('payments')
        .values(copies.map((copy) => ({ ...payment, ...copy })))
        .execute()
    })

    await tidy(context, [unusedPayments])
    const left = new Set((await world.service.rows('payments')).map(({ id }) => id))
    expect(left).toEqual(new Set(Object.values(kept).map(({ id }) => id)))
    expect(world.service.logLines.filter((line) => line.includes('housekeeping failed'))).toEqual([])
  })
})
