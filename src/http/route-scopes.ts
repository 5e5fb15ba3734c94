import type { RouteOptions } from 'fastify'
import type { KeyScope } from '../base/key-scopes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scopes that open the route to a limited key, unless its tag and method decide. Any one is enough. */
    scopes?: readonly KeyScope[]
  }
}

interface Needs {
  read: readonly KeyScope[]
  write: readonly KeyScope[]
}

const bookings: Needs = { read: ['read:bookings'], write: ['write:bookings'] }

/** Programs that read bookings need the names of services, places and people. */
const catalogue: Needs = { read: ['catalogue', 'read:bookings'], write: ['catalogue'] }

const webhooks: Needs = { read: ['webhooks'], write: ['webhooks'] }

/** The scopes of an operation, by the tag of its route. Operations of other tags need `all`. */
const needsByTag: Partial<Record<string, Needs>> = {
  Availability: catalogue,
  Holds: bookings,
  Bookings: bookings,
  'Waiting list': bookings,
  'Manage link': bookings,
  Clients: { read: ['read:clients'], write: ['write:clients'] },
  Catalogue: catalogue,
  Coupons: catalogue,
  Businesses: { read: catalogue.read, write: [] },
  Webhooks: webhooks,
}

/** Returns the scopes that open a route to a limited key. Any one is enough. Empty: only `all` opens it. */
export function scopesOfRoute({
  method,
  schema,
  config,
}: Pick<RouteOptions, 'schema' | 'config'> & { method: string | string[] }): readonly KeyScope[] {
  if (config?.scopes) return config.scopes
  const needs = needsByTag[schema?.tags?.[0] ?? '']
  const reads = [method].flat().every((one) => one === 'GET' || one === 'HEAD')
  return needs?.[reads ? 'read' : 'write'] ?? []
}

/** True if a key with these scopes may use a route that `needed` opens. Null allows everything. */
export function coversScopes(scopes: readonly KeyScope[] | null, needed: readonly KeyScope[]): boolean {
  if (scopes === null || scopes.includes('all')) return true
  return needed.some((one) => scopes.some((own) => own === one || own === one.replace('read:', 'write:')))
}
