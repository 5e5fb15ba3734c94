import type { RaceClient } from './race-client.ts'
import type { GroundSoFar } from './race-ground.ts'
import { listBookings } from './list-bookings.ts'

/** How long cleaning up may take, in milliseconds. */
const lastsMs = 14_000
const mostAtOnce = 8

/** What was done, and what could not be. */
export interface CleanUp {
  cancelled: number
  leftovers: string[]
}

/**
 * Cancels every booking at the location of the test, and takes services, people and location off the offer. Holds that
 * nobody booked lapse by themselves. Never throws: tells what is left.
 */
export async function cleanUp(client: RaceClient, ground: GroundSoFar): Promise<CleanUp> {
  client.prolong(lastsMs)
  const { locationId, staffIds } = ground
  if (locationId === undefined) return { cancelled: 0, leftovers: [] }
  const done: CleanUp = { cancelled: 0, leftovers: [] }
  const attempt = async (what: string, path: string): Promise<boolean> => {
    try {
      await client.have('DELETE', path)
      return true
    } catch (error) {
      done.leftovers.push(`${what} (${error instanceof Error ? error.message : 'unknown'})`)
      return false
    }
  }
  try {
    const bookings = (await listBookings(client, locationId)).filter(({ status }) => status !== 'cancelled')
    await inTurns(bookings, async ({ id }) => {
      if (await attempt(`booking ${id}`, `/bookings/${id}`)) done.cancelled += 1
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    done.leftovers.push(`the bookings at the location ${locationId} (${reason})`)
  }
  for (const id of Object.values(ground.services ?? {})) await attempt(`service ${id}`, `/services/${id}`)
  for (const id of staffIds) await attempt(`staff member ${id}`, `/staff/${id}`)
  await attempt(`location ${locationId}`, `/locations/${locationId}`)
  return done
}

/** A few at once: as fast as it goes without asking for more than a caller may. */
async function inTurns<T>(all: T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const worker = async () => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) await work(one)
  }
  await Promise.all(Array.from({ length: mostAtOnce }, worker))
}
