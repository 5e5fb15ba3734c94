import type { FieldError } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'

export const minSlugLength = 3
export const maxSlugLength = 60

/**
 * Checks the name of a business, service or person in links. Publishable keys never match, because they
 * contain `_`.
 */
export function slugErrors(text: string): FieldError[] {
  const hasForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text)
  if (hasForm && text.length >= minSlugLength && text.length <= maxSlugLength && !isUuid(text)) return []
  const detail = `must have ${minSlugLength} to ${maxSlugLength} lower-case letters from a to z, digits and single hyphens between them, such as salon-spree`
  return [{ pointer: '', code: 'invalid_format', detail }]
}

/** Paths below the page of a business that are not services. */
const taken = ['start']

/** Checks the slug of a service or staff member. */
export function itemSlugErrors(text: string): FieldError[] {
  if (!taken.includes(text)) return slugErrors(text)
  return [{ pointer: '', code: 'not_allowed', detail: `must not be ${text}, which has a meaning in links` }]
}

/** Converts a name into the alphabet of slugs: letters from a to z and digits, with hyphens between them. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** Returns the error for a slug that another item has. */
export function slugTaken(whose: string): FieldError {
  return { pointer: '/slug', code: 'repeated', detail: `is already the name in links of ${whose}` }
}
