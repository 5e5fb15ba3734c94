import { afterEachFile } from './after-file.ts'
import { type RawBuilder, sql } from 'kysely'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { ada, offer, type TestService } from './test-service.ts'

export type Tenant = DemoWorld['businesses'][number]

/** The things of one tenant that requests can name. */
export interface Things {
  service_id: string
  location_id: string
  /** Provides the service. */
  staff_id: string
  hold_id: string
  booking_id: string
  /** A start at which nothing is taken yet. */
  free_start: string
  /** The session that placed the hold and made the booking. */
  token: string
}

/** An ID that nothing has. */
export const unknownId = '00000000-0000-4000-8000-000000000000'

let hours = 0
afterEachFile(() => {
  hours = 0
})

/**
 * Returns a time two hours after the previous one. No two tests want the same slot, whatever its length and buffers.
 */
export function nextStart(): string {
  hours += 2
  return new Date(Date.UTC(2027, 0, 1) + hours * 3_600_000).toISOString().replace('.000', '')
}

/** Returns a new address, because the cap on holds of one address is irrelevant to most tests. */
export function nextAddress(): string {
  hours += 1
  return `10.${hours >> 16}.${(hours >> 8) & 255}.${hours & 255}`
}

interface Placing {
  token: string
  service?: string
  starts_at?: string
}

/** Places a hold of a tenant's haircut (or another service) at the location that is always open. */
export async function holdOf(service: TestService, tenant: Tenant, placing: Placing): Promise<string> {
  const held = await service.call('POST', '/bookings/hold', {
    token: placing.token,
    body: { ...offer(tenant, placing.service ?? 'Haircut'), starts_at: placing.starts_at ?? nextStart() },
    remoteAddress: nextAddress(),
  })
  if (held.status !== 201) throw new Error(`no hold: ${JSON.stringify(held.body)}`)
  return held.body.hold_id as string
}

/** Books a tenant's haircut for Ada. `body` adds to her data. */
export async function bookingOf(
  service: TestService,
  tenant: Tenant,
  { body = {}, ...placing }: Placing & { body?: object },
): Promise<string> {
  const hold_id = await holdOf(service, tenant, placing)
  const booked = await service.call('POST', '/bookings', {
    token: placing.token,
    body: { hold_id, client: ada, ...body },
  })
  if (booked.status !== 201) throw new Error(`no booking: ${JSON.stringify(booked.body)}`)
  return booked.body.id as string
}

/** Creates a hold and a booking through a session of a tenant, and all other things that requests name. */
export async function makeThings(service: TestService, tenant: Tenant, given?: string): Promise<Things> {
  const token = given ?? (await service.session(tenant))
  return {
    ...offer(tenant, 'Haircut'),
    staff_id: tenant.staff[0]?.id ?? '',
    hold_id: await holdOf(service, tenant, { token }),
    booking_id: await bookingOf(service, tenant, { token }),
    free_start: nextStart(),
    token,
  }
}

/** Changes the database without the service's knowledge, as another server or the operator would. */
export async function changeRows(service: TestService, statement: RawBuilder<unknown>): Promise<void> {
  await service.context.db.transaction((tx) => statement.execute(tx.db))
}

/** Stops offering something. Its row stays, but nothing new can be booked on it. */
export function deactivate(
  service: TestService,
  table: 'services' | 'locations' | 'staff',
  id: string,
): Promise<void> {
  const now = service.clock.now()
  return changeRows(service, sql`update ${sql.table(table)} set deactivated_at = ${now} where id = ${id}`)
}

/** Makes a tenant's publishable key work only from these websites. */
export function restrictOrigins(service: TestService, tenant: Tenant, origins: string[]): Promise<void> {
  const list = JSON.stringify(origins)
  return changeRows(
    service,
    sql`update api_keys set allowed_origins_json = ${list} where type = 'publishable' and business_id = ${tenant.id}`,
  )
}
