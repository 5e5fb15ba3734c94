import { sql } from 'kysely'
import { operator } from '../../src/access/actor.ts'
import { issueKey } from '../../src/access/key.ts'
import { readInstant } from '../../src/base/instants.ts'
import { storeCalendarAccount } from '../../src/calendars/calendar-account-queries.ts'
import { addBusyCalendar } from '../../src/calendars/busy-calendar.ts'
import { createFeed } from '../../src/calendars/feed.ts'
import { createClient } from '../../src/bookings/client.ts'
import { createBlock } from '../../src/catalogue/block.ts'
import { createInCatalogue } from '../../src/catalogue/catalogue.ts'
import {
  writableLocations,
  writableResources,
  writableServices,
  writableStaff,
} from '../../src/catalogue/catalogue-kinds.ts'
import { changeRows, type Tenant } from './tenant-things.ts'
import type { TestService } from './test-service.ts'

/** Things of a tenant that tests may change, delete and revoke, because nothing else needs them. */
export interface Spares {
  spare_service_id: string
  spare_location_id: string
  spare_staff_id: string
  spare_resource_id: string
  block_id: string
  key_id: string
  feed_id: string
  busy_calendar_id: string
  calendar_account_id: string
  client_id: string
  other_client_id: string
}

/** Creates them as the operator does, even for a tenant whose plan includes no keys for it. */
export async function makeSpares(running: TestService, { id: business_id }: Tenant): Promise<Spares> {
  const { context } = running
  const place = { business_id, name: 'Spare' }
  const location = await createInCatalogue(context, operator, { kind: writableLocations, input: place })
  const member = await createInCatalogue(context, operator, { kind: writableStaff, input: place })
  const service = await createInCatalogue(context, operator, {
    kind: writableServices,
    input: { business_id, name: 'Spare', duration_minutes: 30, location_ids: [location.id] },
  })
  const resource = await createInCatalogue(context, operator, {
    kind: writableResources,
    input: { business_id, location_id: location.id, name: 'Spare' },
  })
  const times = {
    starts_at: readInstant('2027-06-01T10:00:00Z'),
    ends_at: readInstant('2027-06-01T11:00:00Z'),
  }
  const { block } = await createBlock(context, operator, { location_id: location.id, ...times })
  // a business may have few: those of earlier calls make room
  await changeRows(running, sql`delete from feeds where business_id = ${business_id}`)
  const { feed } = await createFeed(context, operator, { location_id: location.id })
  const busyCalendar = await addBusyCalendar(context, operator, {
    staff_id: member.id,
    url: 'https://calendar.example.com/spare.ics',
  })
  // stored as if it had been connected, because there is no server
  const calendar_account_id = await context.db.transaction((tx) =>
    storeCalendarAccount(tx.db, {
      ...{ id: context.ids.next(), business_id, staff_id: member.id, kind: 'caldav' },
      ...{ address: 'https://caldav.example.com/spare/', user_name: 'spare', credential_sealed: '' },
      ...{ calendars_json: '[]', writes_to: null, write_failures: 0, last_write_error: null },
      ...{ next_write_at: tx.now, connected_at: tx.now, created_at: tx.now },
    }),
  )
  const [client, other] = [
    await createClient(context, operator, { business_id, first_name: 'Spare' }),
    await createClient(context, operator, { business_id, first_name: 'Other' }),
  ]
  const request = { type: 'publishable', businessId: business_id } as const
  const key = await context.db.transaction((tx) => issueKey(context, tx, request))
  return {
    client_id: client.client.id,
    other_client_id: other.client.id,
    spare_service_id: service.id,
    spare_location_id: location.id,
    spare_staff_id: member.id,
    spare_resource_id: resource.id,
    block_id: block.id,
    key_id: key.id,
    feed_id: feed.id,
    busy_calendar_id: busyCalendar.id,
    calendar_account_id,
  }
}
