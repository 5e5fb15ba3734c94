import type { OperatorActor } from './actor.ts'

/**
 * Who acts from the command line: the operator, for every business on every plan. No token stands for
 * it, so nothing that arrives over the network can be it.
 */
export const operator: OperatorActor = {
  type: 'operator',
  keyId: 'operator',
  ownerId: '00000000-0000-0000-0000-000000000000',
  reach: { everything: true },
  plan: 'enterprise',
  lastFour: 'none',
  allowedOrigins: null,
  ownLimits: { perMinute: null, perHour: null },
}
