import { issueKey } from '../access/issue-key.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../database/database.ts'
import type { BusinessesTable } from '../database/tables.ts'
import { publicAddress } from '../public-address.ts'
import { demoBusinesses, demoHub, demoSlotIntervalMinutes, type DemoBusiness } from './demo-world.ts'
import { hasBusinesses, insertMissing } from './write-queries.ts'

/** The demo world with fresh keys, in the shape of `holdfast demo --json`. */
export type DemoWorld = Awaited<ReturnType<typeof makeDemoWorld>>

/** Adds the demo world, or finds it, and issues new keys for it. */
export function makeDemoWorld(context: Context) {
  return context.db.transaction((tx) => makeIn(context, tx))
}

/** Adds the demo world to a database without any business; undefined when there is one. */
export function makeDemoWorldIfEmpty(context: Context): Promise<DemoWorld | undefined> {
  return context.db.transaction(async (tx) =>
    (await hasBusinesses(tx.db)) ? undefined : makeIn(context, tx),
  )
}

/** Whether there is any business yet. */
export function isInUse(context: Context): Promise<boolean> {
  return hasBusinesses(context.db.reads)
}

async function makeIn(context: Context, tx: Transaction) {
  await insertMissing(tx.db, 'hubs', [{ ...demoHub, created_at: tx.now }])
  const { key } = await issueKey(context, tx, { type: 'hub', hubId: demoHub.id })
  const businesses = []
  for (const business of demoBusinesses) {
    await insertBusiness(tx, business, brandOf(business, context.config))
    businesses.push({ ...describe(business), ...(await issueKeys(context, tx, business.id)) })
  }
  return { hub: { ...demoHub, key }, businesses }
}

async function issueKeys(context: Context, tx: Transaction, businessId: string) {
  const business = await issueKey(context, tx, { type: 'business', businessId })
  const publishable = await issueKey(context, tx, { type: 'publishable', businessId })
  return { business_key: business.key, publishable_key: publishable.key }
}

function describe(business: DemoBusiness) {
  const { id, hub_id, name, plan, timezone } = business
  return {
    id,
    hub_id,
    name,
    plan,
    timezone,
    locations: business.locations.map((location) => ({ id: location.id, name: location.name, timezone })),
    staff: business.staff.map((member) => ({ id: member.id, name: member.name })),
    services: business.services.map((service) => ({
      id: service.id,
      name: service.name,
      duration_minutes: service.duration_minutes,
      capacity: service.capacity,
      deposit: service.deposit,
      staff_ids: service.staff_ids,
      custom_fields: service.custom_fields,
      location_ids: business.locations.map((location) => location.id),
    })),
  }
}

/** No limits of its own: those of the plan. */
const planLimits = { limit_per_minute: null, limit_per_hour: null }
const firstVersion = { catalogue_version: 1 }

type Brand = Pick<BusinessesTable, 'brand_name' | 'brand_color' | 'brand_logo_url'>

/** Its logo comes from this server, so that the demo works without the internet; null where its port is not known yet. */
function brandOf({ brand }: DemoBusiness, config: Config): Brand {
  if (!brand) return { brand_name: null, brand_color: null, brand_logo_url: null }
  const { logoFile, ...named } = brand
  const isKnown = config.publicUrl !== '' || config.port !== 0
  return { ...named, brand_logo_url: isKnown ? `${publicAddress(config)}/docs/${logoFile}` : null }
}

async function insertBusiness(tx: Transaction, business: DemoBusiness, brand: Brand): Promise<void> {
  const { id: business_id, hub_id, name, plan, timezone } = business
  const created_at = tx.now
  const own = { business_id, created_at, deactivated_at: null }
  await insertMissing(tx.db, 'businesses', [
    { id: business_id, hub_id, name, plan, timezone, ...brand, ...planLimits, ...firstVersion, created_at },
  ])
  await insertMissing(
    tx.db,
    'locations',
    business.locations.map(({ id, name, address, ...schedule }) => ({
      ...own,
      id,
      name,
      timezone,
      address,
      ...scheduleColumns(schedule),
    })),
  )
  await insertMissing(
    tx.db,
    'staff',
    business.staff.map(({ id, name, ...schedule }) => ({
      ...own,
      id,
      name,
      email: null,
      ...scheduleColumns(schedule),
    })),
  )
  await insertServices(tx, business, own)
}

type Schedule = Pick<DemoBusiness['staff'][number], 'weekly_hours' | 'date_overrides'>

function scheduleColumns({ weekly_hours, date_overrides }: Schedule) {
  return {
    weekly_hours_json: weekly_hours && JSON.stringify(weekly_hours),
    date_overrides_json: JSON.stringify(date_overrides),
  }
}

async function insertServices(
  tx: Transaction,
  business: DemoBusiness,
  own: { business_id: string; created_at: typeof tx.now; deactivated_at: null },
): Promise<void> {
  await insertMissing(
    tx.db,
    'services',
    business.services.map(({ price, deposit, staff_ids: _, custom_fields, ...service }) => ({
      ...own,
      ...service,
      buffer_before_minutes: 0,
      slot_interval_minutes: demoSlotIntervalMinutes,
      price_amount: price?.amount ?? null,
      price_currency: price?.currency ?? null,
      deposit_amount: deposit?.amount ?? null,
      deposit_currency: deposit?.currency ?? null,
      custom_fields_json: JSON.stringify(custom_fields),
    })),
  )
  const pairs = business.services.map(({ id: service_id, staff_ids }) => ({
    places: business.locations.map((location) => ({
      business_id: business.id,
      service_id,
      location_id: location.id,
    })),
    people: staff_ids.map((staff_id) => ({ business_id: business.id, service_id, staff_id })),
  }))
  await insertMissing(
    tx.db,
    'service_locations',
    pairs.flatMap(({ places }) => places),
  )
  await insertMissing(
    tx.db,
    'service_staff',
    pairs.flatMap(({ people }) => people),
  )
}
