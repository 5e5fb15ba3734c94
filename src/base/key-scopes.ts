/** Parts of the API that a business or hub key can be limited to. `write:` includes `read:` of the same noun. */
export const keyScopes = [
  'read:bookings',
  'write:bookings',
  'read:clients',
  'write:clients',
  'catalogue',
  'webhooks',
  'all',
] as const

export type KeyScope = (typeof keyScopes)[number]
