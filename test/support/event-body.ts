import { Value } from 'typebox/value'
import { EventBody } from '../../src/webhooks/event-schemas.ts'

/** Whether a value has the fields of an event's body, and no others. */
export function matchesEventBody(value: unknown): boolean {
  const cleaned: unknown = Value.Clean(EventBody, structuredClone(value))
  return JSON.stringify(cleaned) === JSON.stringify(value) && Object.keys(cleaned as object).length > 0
}
