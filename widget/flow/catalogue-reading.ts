import type { Location, Service, StaffMember } from '../api/api-types.ts'
import type { Connection } from '../api/connection.ts'
import type { Catalogue } from './choice-rules.ts'

interface Page<T> {
  data: T[]
  next_cursor: string | null
}

/** Pages of 100 items. */
const maxPages = 5

/** Reads services, locations and staff in parallel. */
export async function readCatalogue(connection: Connection): Promise<Catalogue> {
  const [services, locations, staff] = await Promise.all([
    allOf<Service>(connection, '/services'),
    allOf<Location>(connection, '/locations'),
    allOf<StaffMember>(connection, '/staff'),
  ])
  const openLocations = locations.filter(({ active }) => active)
  const open = new Set(openLocations.map(({ id }) => id))
  return {
    services: services.filter(
      ({ active, location_ids }) => active && location_ids.some((id) => open.has(id)),
    ),
    locations: openLocations,
    staff,
  }
}

async function allOf<T>(connection: Connection, path: string): Promise<T[]> {
  const all: T[] = []
  let cursor: string | null = null
  for (let page = 0; page < maxPages; page += 1) {
    const from: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { body } = await connection.call<Page<T>>('GET', `${path}?limit=100${from}`)
    all.push(...body.data)
    cursor = body.next_cursor
    if (cursor === null) break
  }
  return all
}
