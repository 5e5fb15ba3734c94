import { expect } from 'vitest'
import { Value } from 'typebox/value'
import { EventBody } from '../../src/webhooks/event-schemas.ts'

/** Checks that a value has exactly the fields of an event's body. */
export function matchesEventBody(value: unknown): boolean {
  const cleaned: unknown = Value.Clean(EventBody, structuredClone(value))
  return JSON.stringify(cleaned) === JSON.stringify(value) && Object.keys(cleaned as object).length > 0
}

interface ShownItem {
  service: { id: string; name: string }
  staff: unknown
  starts_at: string
  ends_at: string
}

/** Returns the items of an event about a booking that the API shows. */
export function eventItems({ items }: Record<string, unknown>): unknown[] {
  return (items as ShownItem[]).map(({ service, staff, starts_at, ends_at }) => ({
    ...{ id: service.id, name: service.name },
    ...{ starts_at, ends_at, staff },
  }))
}

/** Returns a booking that a session sees as keys see it: with rooms, the no-show mark and the ID of the client. */
export function asKeysSee(body: Record<string, unknown>): Record<string, unknown> {
  const items = (body['items'] as object[]).map((item) => ({ ...item, resources: [] }))
  const client = { ...(body['client'] as object), id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string }
  return { ...body, client, items, no_show: false }
}
