import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fault, letStatementsFail, sufferFault } from '../simulation/failing-statements.ts'
import { findErrors } from '../support/checker.ts'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { type MailWorld, mailWorld, nextClient } from '../support/mail-world.ts'
import { onOneEngine } from '../support/long.ts'
import { startOfTime } from '../support/test-service.ts'

/* The connection is cut at each statement in turn, before or after it was done. The next attempt leads to one end. */

const monday = '2026-12-07T10:00:00+01:00'
const deposit = { amount: 1_000, currency: 'EUR' }
const maxStatements = 60

onOneEngine('sqlite', 'a request whose connection is cut', (engine) => {
  let world: MailWorld
  let key: Client
  let restore: () => void
  beforeAll(async () => {
    world = await mailWorld(engine, { settings: { notify_emails: ['desk@salon.example'] } })
    key = clientOf(world.service, world.business.key)
    restore = letStatementsFail(engine)
  })
  afterAll(async () => {
    restore()
    expect(await findErrors(world.service.databaseUrl)).toEqual([])
    await world.stop()
  })

  const request = async (): Promise<string> => {
    const session = await sessionClient(world.service, world.business)
    const offer = await world.offer({ respondWithin: 60, deposit })
    return String((await bookSlot(session, offer, monday, { book: { client: nextClient() } })).id)
  }
  const rowsOf = async (table: string, id: string) =>
    (await world.service.rows(table)).filter((row) => row['booking_id'] === id)
  const kindsOf = async (id: string) =>
    (await rowsOf('mails', id)).map(({ kind, audience }) => `${String(audience)} ${String(kind)}`)

  /** Runs an act with a fault at each of its statements, then once without. Each has a request for itself. */
  async function atEachStatement(
    act: (id: string) => Promise<unknown>,
    check: (id: string, label: string) => Promise<void>,
  ): Promise<number> {
    for (let after = 0; after < maxStatements; after += 1) {
      world.service.clock.advance((startOfTime - world.service.clock.nowMs()) / 1000)
      const id = await request()
      const fault: Fault = {
        how: after % 2 === 0 ? 'lost' : 'answer lost',
        ...{ after, commitsOnly: false, inTransaction: false, struck: undefined },
      }
      await sufferFault(fault, () => act(id).catch(() => undefined))
      await act(id)
      await check(id, `statement ${after}: ${fault.struck ?? 'none'}`)
      if (fault.struck === undefined) return after
    }
    throw new Error('the act has too many statements')
  }

  test('ends at its deadline once, with one email to each', async () => {
    const statements = await atEachStatement(
      async () => {
        world.service.clock.advance(3_601)
        await world.service.app.requests.check()
      },
      async (id, label) => {
        const { body } = await key.show(id)
        expect(body, label).toMatchObject({ status: 'cancelled', payment: { status: 'expired' } })
        const kinds = await kindsOf(id)
        for (const audience of ['client', 'business'])
          expect(
            kinds.filter((kind) => kind === `${audience} unanswered`),
            `${label} ${kinds.join()}`,
          ).toHaveLength(1)
        const types = (await rowsOf('events', id)).map(({ type }) => String(type)).toSorted()
        expect(types, label).toEqual(['booking.cancelled', 'booking.requested'])
      },
    )
    expect(statements).toBeGreaterThan(5)
  })

  test('is confirmed once, and its deposit is due once', async () => {
    const statements = await atEachStatement(
      (id) => key.change(id, { status: 'confirmed' }),
      async (id, label) => {
        const { body } = await key.show(id)
        expect(body, label).toMatchObject({ status: 'confirmed', payment: { status: 'due', amount: 1_000 } })
        expect(await rowsOf('payments', id), label).toHaveLength(1)
        const types = (await rowsOf('events', id)).map(({ type }) => String(type)).toSorted()
        expect(types, label).toEqual(['booking.created', 'booking.requested'])
        const kinds = await kindsOf(id)
        for (const kind of ['client confirmed', 'business booked'])
          expect(
            kinds.filter((one) => one === kind),
            `${label} ${kinds.join()}`,
          ).toHaveLength(1)
      },
    )
    expect(statements).toBeGreaterThan(5)
  })
})
