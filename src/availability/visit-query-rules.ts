import type { FieldError } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { maxCapacity } from '../catalogue/service-rules.ts'
import { maxItems } from './visit-rules.ts'

/** Part of the query `items`. */
interface AskedItem {
  service_id: string
  staff_id?: string
  party_size?: number
  starts: 'after' | 'with'
}

const maxEcho = 80

/** Returns errors of the query `items`, which name the first wrong part. */
export function askedItemsErrors(text: string): FieldError[] {
  const parts = text.split(',')
  if (parts.length > maxItems) {
    return [{ pointer: '', code: 'too_many', detail: `must have at most ${maxItems} services` }]
  }
  for (const [index, part] of parts.entries()) {
    const detail = partError(part, index)
    if (detail === undefined) continue
    return [
      {
        pointer: '',
        code: 'invalid_format',
        detail: `part ${index + 1}, "${part.slice(0, maxEcho)}": ${detail}`,
      },
    ]
  }
  return []
}

function partError(part: string, index: number): string | undefined {
  const { together, service, staff, party } = piecesOf(part)
  if (together && index === 0) return 'the first service has no ~, because nothing is before it'
  if (!isUuid(service)) {
    return 'must begin with the UUID of a service: <service>, <service>:<staff member> or <service>*<party size>'
  }
  if (staff !== undefined && !isUuid(staff)) return 'must have the UUID of a staff member after the colon'
  if (party === undefined || (/^[1-9]\d{0,2}$/.test(party) && Number(party) <= maxCapacity)) return undefined
  return `must have a whole number from 1 to ${maxCapacity} after the *`
}

function piecesOf(part: string) {
  const together = part.startsWith('~')
  const [named = '', ...parties] = part.slice(together ? 1 : 0).split('*')
  const [service = '', ...people] = named.split(':')
  return {
    ...{ together, service },
    staff: people.length > 0 ? people.join(':') : undefined,
    party: parties.length > 0 ? parties.join('*') : undefined,
  }
}

/** Returns the query `items` of services: the reverse of `readAskedItems`. */
export function itemsQuery(items: readonly AskedItem[]): string {
  return items
    .map(({ service_id, staff_id, party_size = 1, starts }) =>
      [
        starts === 'with' ? '~' : '',
        service_id,
        staff_id === undefined ? '' : `:${staff_id}`,
        party_size > 1 ? `*${party_size}` : '',
      ].join(''),
    )
    .join()
}

/** Parses the query `items`: `<service>[:<staff member>][*<party size>]`, separated by commas. */
export function readAskedItems(text: string): AskedItem[] {
  return text.split(',').map((part) => {
    const { together, service, staff, party } = piecesOf(part)
    return {
      service_id: service.toLowerCase(),
      ...(staff !== undefined && { staff_id: staff.toLowerCase() }),
      ...(party !== undefined && { party_size: Number(party) }),
      starts: together ? 'with' : 'after',
    }
  })
}
