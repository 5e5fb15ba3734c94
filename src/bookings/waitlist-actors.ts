import { operator, type WidgetActor } from '../access/actor.ts'
import type { EntryRow } from './waitlist-rules.ts'

/** Acts for an entry when a time is held for it. No cap of visitors counts it. */
export function holderOf({ id, business_id }: Pick<EntryRow, 'id' | 'business_id'>) {
  return { ...operator, ownerId: id, scope: { businessId: business_id } }
}

/** Acts for the client of an entry who books the offered time: with the rules for visitors. */
export function clientOf({ id, business_id }: Pick<EntryRow, 'id' | 'business_id'>): WidgetActor {
  return {
    ...{ type: 'session', keyId: id, ownerId: id, scope: { businessId: business_id } },
    ...{ plan: 'growth', lastFour: 'none', allowedOrigins: null, expiresAt: null, trustedNetworks: [] },
    ownLimits: { perMinute: null, perHour: null },
  }
}
