import { Problem } from '../errors.ts'
import type { Caller } from './actor.ts'
import type { TokenType } from './token-format.ts'

/**
 * Refuses a caller whose key type, plan or origin does not allow the route, in this order:
 * key_type_not_allowed, plan_required, origin_not_allowed. Business and hub keys need Enterprise
 * for every route.
 */
export function assertMayCall(
  actor: Caller,
  allowedTypes: readonly TokenType[],
  origin: string | undefined,
): void {
  if (!allowedTypes.includes(actor.type)) {
    const last = allowedTypes.at(-1) ?? ''
    const list = allowedTypes.length > 1 ? `${allowedTypes.slice(0, -1).join(', ')} or ${last}` : last
    throw new Problem(
      'key_type_not_allowed',
      `A ${actor.type} token may not do this; it needs one of type ${list}.`,
      {
        extensions: { allowed_key_types: allowedTypes },
      },
    )
  }
  if ((actor.type === 'business' || actor.type === 'hub') && actor.plan !== 'enterprise') {
    throw new Problem(
      'plan_required',
      `${actor.type === 'hub' ? 'Hub' : 'Business'} keys need the Enterprise plan.`,
      {
        extensions: { required_plan: 'enterprise' },
      },
    )
  }
  if (origin !== undefined && actor.allowedOrigins && !actor.allowedOrigins.includes(origin)) {
    throw new Problem(
      'origin_not_allowed',
      'The website that sends this request is not among those allowed for the key.',
    )
  }
}
