import { plusSeconds, secondsUntil } from '../base/instants.ts'
import type { Context } from '../bookings/context.ts'
import type { Transaction } from '../database/database.ts'
import { LeaseLoop } from '../database/lease-loop.ts'
import type { CalendarAccountsTable } from '../database/tables.ts'
import { endGrant, openAccount } from './account-server.ts'
import type { BusyCalendarRow } from './busy-calendar-queries.ts'
import type { CalendarReader } from './busy-file.ts'
import { faultOf, pauseAfter } from './calendar-http.ts'
import type { ChannelKey } from './calendar-server.ts'
import {
  deleteDisconnection,
  type DisconnectionRow,
  insertDisconnection,
  isGrantUsed,
  leaseDisconnection,
  postponeDisconnection,
} from './disconnection-queries.ts'

/*
 * Ends what disconnected accounts leave at their provider: the channels, and the access that the person granted.
 *
 * Guarantees: a provider that does not answer is asked again for a week. A repeated request does no harm. The credential
 * is forgotten afterwards. A grant that another account uses stays, because providers end all grants of a person.
 */

/** Longer than the calls for five calendars take. */
const leaseSeconds = 300
const pauses = { minSeconds: 30, maxSeconds: 6 * 3_600 }
const keptSeconds = 7 * 86_400

/** Records what a provider has to end of an account. `endsGrant` if the account is deleted. */
export async function recordDisconnection(
  { ids }: Pick<Context, 'ids'>,
  tx: Transaction,
  {
    account,
    calendars,
    endsGrant,
  }: { account: CalendarAccountsTable; calendars: readonly BusyCalendarRow[]; endsGrant: boolean },
): Promise<void> {
  const { id: account_id, kind, business_id, staff_id, address, user_name } = account
  if (kind === 'caldav') return
  const channels = calendars.flatMap(({ channel_id: id, channel_key: key }): ChannelKey[] =>
    id === null || key === null ? [] : [{ id, key }],
  )
  if (channels.length === 0 && !endsGrant) return
  const { credential_sealed, connected_at } = account
  await insertDisconnection(tx.db, {
    ...{ id: ids.next(), account_id, business_id, staff_id, kind, address, user_name, credential_sealed },
    ...{ channels_json: JSON.stringify(channels), ends_grant: endsGrant ? 1 : 0 },
    ...{ next_attempt_at: tx.now, connected_at, created_at: tx.now },
  })
}

/** Asks providers to end what disconnected accounts leave there. */
export class DisconnectionWorker extends LeaseLoop<Context, DisconnectionRow> {
  private readonly reader: CalendarReader

  constructor(context: Context, reader: CalendarReader) {
    const failing = 'disconnecting calendar accounts failed; retrying in some seconds'
    const failed = ['warn', 'calendar_disconnection', failing] as ['warn', string, string]
    super(context, { maxInFlight: 4, pollMs: 10_000, failing, failed })
    this.reader = reader
  }

  protected override async lease(max: number) {
    const { db, clock } = this.context
    const leased: DisconnectionRow[] = []
    while (this.mode === 'running' && leased.length < max) {
      const now = clock.now()
      const until = plusSeconds(now, leaseSeconds)
      const row = await db.transaction((tx) => leaseDisconnection(tx.db, { now, until }))
      if (!row) break
      leased.push(row)
    }
    return { leased }
  }

  protected override async work(row: DisconnectionRow): Promise<undefined> {
    const { db, clock, log } = this.context
    const failure = await this.disconnect(row).catch((error: unknown) => ({ error }))
    const problem = failure && faultOf(failure.error).problem
    // a grant that is over has no channels either
    const isOver = problem === undefined || problem === 'access_revoked'
    if (!isOver) log.info({ calendar_account: row.account_id, problem }, 'a provider did not end an account')
    if (isOver || secondsUntil(row.created_at, clock.now()) >= keptSeconds) {
      await db.transaction((tx) => deleteDisconnection(tx.db, row.id))
      return
    }
    const { failures } = row
    const seconds = pauseAfter(failure?.error, { failures, nowMs: clock.nowMs(), ...pauses })
    const next_attempt_at = plusSeconds(clock.now(), seconds)
    await db.transaction((tx) =>
      postponeDisconnection(tx.db, row, { failures: failures + 1, next_attempt_at }),
    )
  }

  private async disconnect(row: DisconnectionRow): Promise<undefined> {
    const { context, reader } = this
    const account = { ...row, id: row.account_id }
    const channels = JSON.parse(row.channels_json) as ChannelKey[]
    if (channels.length > 0) {
      const server = await openAccount(context, reader, account)
      for (const channel of channels) await server.unwatch?.(channel)
    }
    if (row.ends_grant === 0 || (await isGrantUsed(context.db.reads, row))) return
    await endGrant(context, reader, account)
  }
}
