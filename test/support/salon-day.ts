import { derivedId } from '../../src/base/ids.ts'
import { ada, businessOf, offer, type TestService } from './test-service.ts'

/** Books, holds and blocks for the first business of the demo world, with its key. */
export function bookerOf(service: TestService) {
  const business = businessOf(service.world, 'Salon Spree')
  const token = business.business_key
  const call = (method: string, path: string, body?: unknown) =>
    service.call(method, path, { token, ...(body !== undefined && { body }) })
  const staffId = (name: string) =>
    business.staff.find((one) => one.name.startsWith(name))?.id ?? derivedId(name)
  const hold = async (name: string, starts_at: string, more: object = {}) => {
    const place = 'location' in more ? String(more.location) : 'Mitte'
    const { location: _, ...rest } = more as { location?: string }
    const { body, status } = await call('POST', '/bookings/hold', {
      ...offer(business, name, place),
      starts_at,
      ...rest,
    })
    if (status !== 201) throw new Error(JSON.stringify(body))
    return String(body.hold_id)
  }
  const book = async (
    name: string,
    starts_at: string,
    { client = ada, ...more }: { client?: object; staff_id?: string; location?: string } = {},
  ) => {
    const custom = business.services.find((one) => one.name === name)?.custom_fields ?? []
    const { body, status } = await call('POST', '/bookings', {
      hold_id: await hold(name, starts_at, more),
      client,
      custom_field_values: custom
        .filter(({ required }) => required)
        .map(({ id, options }) => ({ field_id: id, value: options?.[0] ?? 'A trim' })),
    })
    if (status !== 201) throw new Error(JSON.stringify(body))
    return String(body.id)
  }
  return { business, call, staffId, hold, book }
}
