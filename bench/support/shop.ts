import { createBusiness } from '../../src/catalogue/business.ts'
import { insertMissing } from '../../src/catalogue/catalogue-queries.ts'
import type { Context } from '../../src/bookings/context.ts'

/** A business with something to book. */
export interface Shop {
  businessId: string
  serviceId: string
  locationId: string
}

export async function makeShop(context: Context): Promise<Shop> {
  const { id: businessId } = await createBusiness(context, {
    name: 'Bench',
    plan: 'enterprise',
    timezone: 'Europe/Berlin',
  })
  const [serviceId, locationId] = [context.ids.next(), context.ids.next()]
  await context.db.transaction(async (tx) => {
    const common = { business_id: businessId, created_at: tx.now, deactivated_at: null }
    await insertMissing(tx.db, 'locations', [
      {
        ...common,
        ...{ id: locationId, name: 'Here', timezone: 'Europe/Berlin', address: null },
        ...{ weekly_hours_json: null, date_overrides_json: '[]' },
      },
    ])
    await insertMissing(tx.db, 'services', [
      {
        ...common,
        ...{ id: serviceId, name: 'Bench', description: null, duration_minutes: 5 },
        ...{ buffer_before_minutes: 0, buffer_after_minutes: 0, slot_interval_minutes: 5 },
        ...{ cancel_until_minutes: 1440, reschedule_until_minutes: 1440, max_reschedules: 3, max_repeats: 1 },
        ...{
          min_notice_minutes: 0,
          max_advance_days: null,
          capacity: 1,
          waitlist: 1,
          custom_fields_json: '[]',
        },
        ...({ confirmation: 'automatic', respond_within_minutes: 1440 } as const),
        ...{ price_amount: null, price_currency: null, deposit_amount: null, deposit_currency: null },
      },
    ])
    const link = { business_id: businessId, service_id: serviceId, location_id: locationId }
    await insertMissing(tx.db, 'service_locations', [link])
  })
  return { businessId, serviceId, locationId }
}
