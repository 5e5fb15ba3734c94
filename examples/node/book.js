// Finds the next free haircut, holds it, books it and shows the booking.
import { createHoldfastClient, HoldfastError } from '@holdfast/client'

const holdfast = createHoldfastClient({
  baseUrl: process.env.HOLDFAST_URL ?? 'http://127.0.0.1:3000',
  publishableKey: process.env.HOLDFAST_PUBLISHABLE_KEY ?? '',
})

/**
 * Returns the next free slot of a service, at the first of its locations.
 * @param {string} name
 */
async function nextSlot(name) {
  const { data: services } = await holdfast.services.list()
  const service = services.find((one) => one.name === name)
  const [location_id] = service?.location_ids ?? []
  if (!service || !location_id) throw new Error(`There is no service ${name}.`)
  const offered = { service_id: service.id, location_id }
  const slot = await holdfast.availability.findSoonest(offered)
  if (!slot) throw new Error(`${name} has no free slot.`)
  return { ...offered, starts_at: slot.starts_at }
}

/**
 * Holds a slot. If another client was faster, holds the nearest free one.
 * @param {import('@holdfast/client').Schemas['PlaceHold']} wanted
 * @returns {Promise<import('@holdfast/client').Hold>}
 */
async function hold(wanted) {
  try {
    return await holdfast.holds.create(wanted)
  } catch (error) {
    if (!(error instanceof HoldfastError && error.is('slot_held', 'slot_booked'))) throw error
    const [nearest] = error.problem.alternatives
    if (!nearest) throw error
    return hold({ ...wanted, starts_at: nearest.starts_at })
  }
}

try {
  const { hold_id, starts_at, expires_at } = await hold(await nextSlot('Haircut'))
  console.log(`Held: ${starts_at}, until ${expires_at}`)

  const client = { first_name: 'Katherine', last_name: 'Johnson', email: 'katherine@example.com' }
  const { id } = await holdfast.bookings.create({ hold_id, client })

  const booking = await holdfast.bookings.get(id)
  console.log(`Booked: ${booking.service.name} at ${booking.starts_at}, ${booking.status}`)
} catch (error) {
  if (!(error instanceof HoldfastError)) throw error
  console.error(error.message) // such as: invalid_credentials: …
  process.exitCode = 1
}
