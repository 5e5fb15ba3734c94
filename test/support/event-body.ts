import { Value } from 'typebox/value'
import { EventBody } from '../../src/webhooks/event-schemas.ts'

/** Checks that a value has exactly the fields of an event's body. */
export function matchesEventBody(value: unknown): boolean {
  const cleaned: unknown = Value.Clean(EventBody, structuredClone(value))
  return JSON.stringify(cleaned) === JSON.stringify(value) && Object.keys(cleaned as object).length > 0
}
