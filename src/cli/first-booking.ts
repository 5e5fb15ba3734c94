import type { DemoWorld } from '../catalogue/make-demo-world.ts'
import { formatInstant, instantFromMs, toMs, type Instant } from '../instants.ts'

const week = 7 * 86_400_000
const quarterHour = 900_000

/** Lines for a shell that walk from a publishable key to a booking, and show and cancel it; nothing but curl and sed. */
export function firstBookingLines(address: string, world: DemoWorld, now: Instant): string[] {
  const business = world.businesses[0]
  const location = business?.locations.find(({ name }) => name === 'Online')
  const service = business?.services.find(({ name }) => name === 'Haircut')
  if (!business || !location || !service) throw new Error('the demo world lacks its first business')
  const startsAt = instantFromMs(Math.ceil((toMs(now) + week) / quarterHour) * quarterHour)
  const hold = JSON.stringify({
    service_id: service.id,
    location_id: location.id,
    starts_at: formatInstant(startsAt, location.timezone),
  })
  const json = `-H 'Content-Type: application/json'`
  const bearer = (token: string) => `-H "Authorization: Bearer ${token}"`
  const take = (field: string) => `sed -E 's/.*"${field}":"([^"]+)".*/\\1/'`
  return [
    `API=${address}/api/v1`,
    `TOKEN=$(curl -s -X POST $API/session ${bearer(business.publishable_key)} | ${take('session_token')})`,
    `HOLD=$(curl -s $API/bookings/hold ${bearer('$TOKEN')} ${json} -d '${hold}' | ${take('hold_id')})`,
    `curl -s -w '\\n' $API/bookings ${bearer('$TOKEN')} ${json} -d '{"hold_id":"'$HOLD'","client":{"first_name":"Ada","last_name":"Lovelace","email":"ada@example.com"}}'`,
    `curl -s -w '\\n' $API/bookings/$HOLD ${bearer(business.business_key)}`,
    `curl -s -w '\\n' -X DELETE $API/bookings/$HOLD ${bearer(business.business_key)}`,
  ]
}
