import { type Insertable, sql } from 'kysely'
import { type Instant, plusSeconds } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries, Reads } from '../database/database.ts'
import { isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import { type BookingRow, selectSome } from '../database/shown-booking.ts'
import { itemColumns } from '../database/shown-item-rules.ts'
import type { PushDevicesTable, PushesTable, PushSettingsTable } from '../database/tables.ts'
import { lateSeconds, maxAgeSeconds, maxDevices } from './push-rules.ts'

/** The notifications about one change, one for each device of the people with access to the business. */
export interface NewPushes {
  business_id: string
  booking_id: string
  kind: PushesTable['kind']
  occasion: string
  /** The occasion that this one takes back. Devices that have not been notified of it need neither. Empty: none. */
  undoes: string
  /** The person who made the change, because nobody is notified of their own changes. Empty: somebody else. */
  by_user_id: string
  created_at: Instant
  due_at: Instant
}

const columns = {
  business_id: 'uuid',
  booking_id: 'uuid',
  kind: 'text',
  occasion: 'text',
  undoes: 'text',
  by_user_id: 'text',
  created_at: 'timestamptz',
  due_at: 'timestamptz',
} as const

/** Joins the devices `d` of the people with access to the business `b`. */
const devicesOfBusiness = sql`
  join user_places as a on (a.business_id = b.id or a.hub_id = b.hub_id) and a.disabled_at is null
  join push_devices as d on d.user_id = a.user_id`

const insertQuery = cachedQuery(
  (db: Queries, { rows }: Params<{ rows: string }>) => sql`
    with w as materialized (select * from ${rowsOf(db, columns, rows)} as r)
    insert into pushes (device_id, occasion, business_id, booking_id, kind, next_attempt_at, created_at)
    select d.id, w.occasion, w.business_id, w.booking_id, w.kind, w.due_at, w.created_at
      from w
      join businesses as b on b.id = w.business_id
      ${devicesOfBusiness}
     where b.is_test = 0 and cast(d.user_id as text) <> w.by_user_id
       and not exists (
         select 1 from pushes as u
          where u.device_id = d.id and u.occasion = w.undoes and u.kind = 'cancelled'
            and u.attempts = 0 and u.next_attempt_at > w.created_at)
    on conflict do nothing`,
)

/** Writes notifications of any businesses and leaves existing ones unchanged. Returns their number. */
export async function insertPushes(db: Queries, pushes: readonly NewPushes[]): Promise<number> {
  const { numAffectedRows = 0n } = await insertQuery(db, { rows: rowsText(db, columns, pushes) })
  return Number(numAffectedRows)
}

/** Finds up to `max` devices after an ID, in the order of IDs. */
export async function findDeviceIds(db: Reads, after: string, max: number): Promise<string[]> {
  const query = db.selectFrom('push_devices').select('id').where('id', '>', after).orderBy('id').limit(max)
  return (await query.execute()).map(({ id }) => id)
}

/** Writes a notification of each client who is late to the devices from one ID to another. Returns their number. */
export async function insertLate(
  db: Queries,
  { from, to, now }: { from: string; to: string; now: Instant },
): Promise<number> {
  // a booking that was moved since can be late again
  const start = isPostgres(db) ? sql`extract(epoch from k.starts_at)` : sql`k.starts_at`
  const occasion = sql`'late/' || cast(k.id as text) || '/' || cast(${start} as text)`
  const { numAffectedRows = 0n } = await sql`
    insert into pushes (device_id, occasion, business_id, booking_id, kind, next_attempt_at, created_at)
    select d.id, ${occasion}, k.business_id, k.id, 'late', ${now}, ${now}
      from push_devices as d
      join push_settings as c on c.user_id = d.user_id and ' ' || c.kinds || ' ' like '% late %'
      join user_places as a on a.user_id = d.user_id and a.disabled_at is null
      join businesses as b on b.id = a.business_id or b.hub_id = a.hub_id
      join bookings as k on k.business_id = b.id
     where d.id >= ${from} and d.id <= ${to} and k.status = 'confirmed' and b.is_test = 0
       and k.starts_at <= ${plusSeconds(now, -lateSeconds)} and k.starts_at > ${plusSeconds(now, -maxAgeSeconds)}
    on conflict do nothing`.execute(db)
  return Number(numAffectedRows)
}

/** Writes a test to each device of a person, at most one a minute. Returns their number. */
export async function insertTests(db: Queries, userId: string, now: Instant): Promise<number> {
  const occasion = `test/${now.slice(0, 'yyyy-mm-ddThh:mm'.length)}`
  const { numAffectedRows = 0n } = await sql`
    insert into pushes (device_id, occasion, kind, next_attempt_at, created_at)
    select d.id, ${occasion}, 'test', ${now}, ${now} from push_devices as d where d.user_id = ${userId}
    on conflict do nothing`.execute(db)
  return Number(numAffectedRows)
}

/** A notification that only this server may send until `next_attempt_at`. */
export type LeasedPush = Omit<PushesTable, 'next_attempt_at'> & { next_attempt_at: Instant }

/** Reports if anything can be leased. Most polls find nothing and need no transaction. */
export async function isAnyPushDue(db: Reads, now: Instant): Promise<boolean> {
  const query = db.selectFrom('pushes').select('kind').where('next_attempt_at', '<=', now).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

/** Leases up to `max` due notifications and counts the attempt. */
export async function leasePushes(
  db: Queries,
  { max, now, until }: { max: number; now: Instant; until: Instant },
): Promise<LeasedPush[]> {
  const { rows } = await sql<LeasedPush>`
    with due as materialized (
      select device_id, occasion from pushes where next_attempt_at <= ${now}
       order by next_attempt_at limit ${max} ${isPostgres(db) ? sql`for update skip locked` : sql``})
    update pushes set next_attempt_at = ${until}, attempts = attempts + 1
     where (device_id, occasion) in (select device_id, occasion from due)
    returning *`.execute(db)
  return rows
}

/** Writes the end of an attempt, unless its lease has ended. Null: nothing is left to do. */
export async function writePushResult(db: Queries, push: LeasedPush, next: Instant | null): Promise<void> {
  await db
    .updateTable('pushes')
    .set({ next_attempt_at: next })
    .where('device_id', '=', push.device_id)
    .where('occasion', '=', push.occasion)
    .where('next_attempt_at', '=', push.next_attempt_at)
    .execute()
}

/** Finds a device with its person and what they want to hear. */
export function findPushTarget(db: Reads, deviceId: string) {
  return db
    .selectFrom('push_devices as d')
    .innerJoin('users as u', 'u.id', 'd.user_id')
    .leftJoin('push_settings as c', 'c.user_id', 'd.user_id')
    .where('d.id', '=', deviceId)
    .select(['d.id', 'd.user_id', 'd.endpoint', 'd.p256dh', 'd.auth', 'd.locale', 'u.disabled_at'])
    .select(['c.kinds', 'c.quiet_hours_json'])
    .executeTakeFirst()
}

/** Finds the enabled memberships of a person, each with the businesses that it covers. */
export function findMemberships(db: Reads, userId: string) {
  return db
    .selectFrom('user_places')
    .select(['role', 'staff_id', 'business_id', 'hub_id'])
    .where('user_id', '=', userId)
    .where('disabled_at', 'is', null)
    .execute()
}

const shownColumns = [
  ...itemColumns,
  ...([
    'business_id',
    'status',
    'respond_by',
    'timezone',
    'client_first_name',
    'client_last_name',
    'client_email',
  ] as const),
] as const

/** A booking as a notification shows it. */
export type PushedBooking = Pick<BookingRow, (typeof shownColumns)[number]>

export function findPushedBooking(
  db: Reads,
  { business_id, booking_id }: { business_id: string; booking_id: string },
): Promise<PushedBooking | undefined> {
  return selectSome(db, shownColumns)
    .where('b.id', '=', booking_id)
    .where('b.business_id', '=', business_id)
    .executeTakeFirst()
}

export function findPushingBusiness(db: Reads, id: string) {
  return db
    .selectFrom('businesses')
    .select(['name', 'timezone', 'hub_id'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The devices of a person, the newest first. */
export function findDevices(db: Reads, userId: string) {
  return db
    .selectFrom('push_devices')
    .select(['id', 'device', 'created_at', 'last_used_at', 'log_in_id'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

export function findSettings(db: Reads, userId: string): Promise<PushSettingsTable | undefined> {
  return db.selectFrom('push_settings').selectAll().where('user_id', '=', userId).executeTakeFirst()
}

export async function putSettings(db: Queries, settings: PushSettingsTable): Promise<void> {
  const { kinds, quiet_hours_json } = settings
  await db
    .insertInto('push_settings')
    .values(settings)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ kinds, quiet_hours_json }))
    .execute()
}

/** Deletes the device of an endpoint. Returns true if there was one. */
export async function deleteEndpoint(db: Queries, endpoint: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('push_devices')
    .where('endpoint', '=', endpoint)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Inserts a device with a free ordinal, or replaces the person's longest unused one. Returns false if another request
 * has taken the ordinal.
 */
export async function insertDevice(
  db: Queries,
  device: Omit<Insertable<PushDevicesTable>, 'ordinal'>,
): Promise<boolean> {
  const present = await db
    .selectFrom('push_devices')
    .select(['id', 'ordinal'])
    .where('user_id', '=', device.user_id)
    .orderBy('last_used_at')
    .execute()
  const free = Array.from({ length: maxDevices }, (_, ordinal) => ordinal).find(
    (ordinal) => !present.some((one) => one.ordinal === ordinal),
  )
  const [oldest] = present
  if (free === undefined && oldest) await deleteDevice(db, device.user_id, oldest.id)
  const inserted = await db
    .insertInto('push_devices')
    .values({ ...device, ordinal: free ?? oldest?.ordinal ?? 0 })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Notes that a person has opened the console on a device. Returns false for a device that is not theirs. */
export async function useDevice(
  db: Queries,
  {
    user_id,
    endpoint,
    ...used
  }: Pick<PushDevicesTable, 'user_id' | 'endpoint' | 'log_in_id' | 'locale' | 'last_used_at'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('push_devices')
    .set(used)
    .where('endpoint', '=', endpoint)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a device of a person. Returns true if there was one. */
export async function deleteDevice(db: Queries, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('push_devices')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes up to `max` devices that nobody has used since an instant, or whose person has no access any more. */
export async function deleteOldDevices(db: Queries, before: Instant, max: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from push_devices where id in (
      select d.id from push_devices as d
       where d.last_used_at < ${before}
          or exists (select 1 from users as u where u.id = d.user_id and u.disabled_at is not null)
          or not exists (select 1 from user_places as a where a.user_id = d.user_id and a.disabled_at is null)
       order by d.id limit ${max})`.execute(db)
  return Number(numAffectedRows)
}

/** Deletes up to `max` notifications from before an instant. */
export async function deleteOldPushes(db: Queries, before: Instant, max: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from pushes where (device_id, occasion) in (
      select device_id, occasion from pushes where created_at < ${before} order by created_at limit ${max})`.execute(
    db,
  )
  return Number(numAffectedRows)
}
