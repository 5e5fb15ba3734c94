import { isIP } from 'node:net'
import { systemIds } from '../../src/base/ids.ts'
import { Inconclusive, type RaceClient } from './client.ts'
import { type Scenario, scenarios, slotMinutes, staffCount } from './rules.ts'

/** The objects created for the races, separate from everything real. */
export interface Fixture {
  /** The prefix of their names. */
  label: string
  locationId: string
  services: Record<Scenario, string>
  staffIds: string[]
  resourceIds: string[]
}

/** The objects created so far, to be removed if creation fails halfway. */
type PartialFixture = Partial<Fixture> & Pick<Fixture, 'label' | 'staffIds' | 'resourceIds'>

interface CleanUp {
  cancelled: number
  leftovers: string[]
}

const dayMs = 24 * 3_600_000
/** Far enough apart that no slot touches another. */
const betweenSlotsMs = 2 * 3_600_000
const cleanUpMs = 14_000
const maxAtOnce = 8
/** Statuses that show use of the service. A cancelled booking does not. */
const liveStatuses = ['pending', 'confirmed', 'in_progress', 'completed']

/** Returns an empty fixture with a unique name. */
export function noFixture(): PartialFixture {
  return { label: `Holdfast race test ${systemIds.secret(6)}`, staffIds: [], resourceIds: [] }
}

/**
 * Creates a location that is always open, staff, and the services of the scenarios. Records each in `fixture`
 * as soon as it exists.
 */
export async function createFixture(client: RaceClient, fixture: PartialFixture): Promise<Fixture> {
  const { label, staffIds, resourceIds } = fixture
  const create = async (path: string, body: object) => String((await client.have('POST', path, body))['id'])
  const locationId = await create('/locations', { name: label })
  fixture.locationId = locationId
  for (let person = 1; person <= staffCount; person += 1) {
    staffIds.push(await create('/staff', { name: `${label}: person ${person}` }))
  }
  const services = {} as Record<Scenario, string> // filled right below
  fixture.services = services
  for (const scenario of Object.keys(scenarios) as Scenario[]) {
    const { name, capacity, staff, rooms } = scenarios[scenario]
    if (rooms !== undefined) {
      const room = { name: `${label}: rooms`, location_id: locationId, quantity: rooms }
      resourceIds.push(await create('/resources', room))
    }
    services[scenario] = await create('/services', {
      name: `${label}: ${name}`,
      duration_minutes: slotMinutes,
      capacity,
      location_ids: [locationId],
      staff_ids: staffIds.slice(0, staff),
      ...(rooms !== undefined && { needs: [{ resource_ids: resourceIds }] }),
    })
  }
  return { label, locationId, staffIds, resourceIds, services }
}

/** Throws Inconclusive unless every URL shows objects created through another. */
export async function assertOneService(client: RaceClient, urls: string[], fixture: Fixture): Promise<void> {
  for (const url of urls) {
    const { status } = await client.sendTo(url, { method: 'GET', path: `/locations/${fixture.locationId}` })
    if (status === 200) continue
    throw new Inconclusive(
      `${url} does not know what was created at ${urls[0] ?? ''} (${status}): give URLs of one service with one database`,
    )
  }
}

/** Hands out slots from the day after tomorrow, each once. */
export class Slots {
  private readonly firstMs: number
  private given = 0

  constructor(nowMs: number) {
    this.firstMs = Math.ceil(nowMs / dayMs) * dayMs + dayMs
  }

  /** Returns the next slot as a function. It returns the start, or a later time, as RFC 3339 in UTC. */
  next(): (plusMinutes?: number) => string {
    const startMs = this.firstMs + this.given * betweenSlotsMs
    this.given += 1
    return (plusMinutes = 0) => new Date(startMs + plusMinutes * 60_000).toISOString()
  }
}

/**
 * Cancels every booking at the fixture's location, and deactivates services, staff and location. Unconverted
 * holds expire by themselves. Never throws, but reports leftovers.
 */
export async function cleanUp(client: RaceClient, fixture: PartialFixture): Promise<CleanUp> {
  const { locationId, staffIds, resourceIds } = fixture
  const done: CleanUp = { cancelled: 0, leftovers: [] }
  client.prolong(cleanUpMs)
  if (locationId === undefined) return done
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (error) {
      done.leftovers.push(`${what} (${error instanceof Error ? error.message : 'unknown'})`)
      return false
    }
  }
  const remove = (what: string, path: string) => attempt(what, () => client.have('DELETE', path))
  await attempt(`the bookings at the location ${locationId}`, async () => {
    const left = (await client.listBookings(locationId)).filter(({ status }) => status !== 'cancelled')
    const worker = async () => {
      for (let one = left.pop(); one !== undefined; one = left.pop()) {
        if (await remove(`booking ${one.id}`, `/bookings/${one.id}`)) done.cancelled += 1
      }
    }
    await Promise.all(Array.from({ length: maxAtOnce }, worker))
  })
  for (const id of Object.values(fixture.services ?? {})) await remove(`service ${id}`, `/services/${id}`)
  for (const id of resourceIds) await remove(`resource ${id}`, `/resources/${id}`)
  for (const id of staffIds) await remove(`staff member ${id}`, `/staff/${id}`)
  await remove(`location ${locationId}`, `/locations/${locationId}`)
  return done
}

/** Returns signs that this service is in production; empty for a trial. */
export async function signsOfUse(client: RaceClient, urls: string[]): Promise<string[]> {
  const remote = urls.filter((url) => !isThisMachine(new URL(url).hostname))
  const signs = remote.map((url) => `${url} is not on this machine`)
  for (const status of liveStatuses) {
    const { data } = await client.have('GET', `/bookings?limit=1&status=${status}`)
    if ((data as unknown[]).length === 0) continue
    signs.push('the business has bookings')
    break
  }
  const { data } = await client.have('GET', '/webhooks?limit=100')
  const active = (data as { status: string }[]).filter(({ status }) => status === 'active').length
  if (active > 0) signs.push(`${active} webhooks would receive the events of the test`)
  return signs
}

function isThisMachine(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}
