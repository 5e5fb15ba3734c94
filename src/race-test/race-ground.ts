import { systemIds } from '../ids.ts'
import { courses, slotMinutes, staffCount } from './course-rules.ts'
import { NoVerdict, type RaceClient } from './race-client.ts'
import type { Course, RaceGround } from './race-types.ts'

/** Slots begin so many milliseconds apart, from the day after tomorrow on: none touches another. */
const betweenSlotsMs = 2 * 3_600_000
const dayMs = 24 * 3_600_000

/** What there is so far of the ground: all of it can be taken away again, also when something goes wrong half-way. */
export type GroundSoFar = Partial<RaceGround> & Pick<RaceGround, 'label' | 'staffIds'>

/** What nothing is made of yet, under a name that no other test has. */
export function noGround(): GroundSoFar {
  return { label: `Holdfast race test ${systemIds.secret(6)}`, staffIds: [] }
}

/**
 * Makes a location that is always open, people, and the services that are raced for, and notes each in `ground` as soon as
 * it is there.
 */
export async function makeGround(client: RaceClient, ground: GroundSoFar): Promise<RaceGround> {
  const { label } = ground
  const locationId = await make(client, '/locations', { name: label })
  ground.locationId = locationId
  for (let person = 1; person <= staffCount; person += 1) {
    ground.staffIds.push(await make(client, '/staff', { name: `${label}: person ${person}` }))
  }
  const services: Partial<Record<Course, string>> = {}
  ground.services = services as Record<Course, string> // filled right below
  for (const course of Object.keys(courses) as Course[]) {
    const { name, capacity, staff } = courses[course]
    services[course] = await make(client, '/services', {
      name: `${label}: ${name}`,
      duration_minutes: slotMinutes,
      capacity,
      location_ids: [locationId],
      staff_ids: ground.staffIds.slice(0, staff),
    })
  }
  return { label, locationId, staffIds: ground.staffIds, services: ground.services }
}

async function make(client: RaceClient, path: string, body: object): Promise<string> {
  return String((await client.have('POST', path, body))['id'])
}

/** Throws a NoVerdict unless every address shows what was made through another: they have to be of one service. */
export async function assertOneService(
  client: RaceClient,
  urls: string[],
  ground: RaceGround,
): Promise<void> {
  for (const url of urls) {
    const { status } = await client.sendTo(url, { method: 'GET', path: `/locations/${ground.locationId}` })
    if (status === 200) continue
    throw new NoVerdict(
      `${url} does not know what was made at ${urls[0] ?? ''} (${status}): give addresses of one service with one database`,
    )
  }
}

/** Gives out slots, each once: RFC 3339 in UTC. */
export class Slots {
  private readonly firstMs: number
  private given = 0

  constructor(nowMs: number) {
    this.firstMs = Math.ceil(nowMs / dayMs) * dayMs + dayMs
  }

  /** The next slot; its function gives it, or a beginning so many minutes later. */
  next(): (plusMinutes?: number) => string {
    const startMs = this.firstMs + this.given * betweenSlotsMs
    this.given += 1
    return (plusMinutes = 0) => new Date(startMs + plusMinutes * 60_000).toISOString()
  }
}
