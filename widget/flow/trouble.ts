import { codeOf, Unreachable } from '../api/refusals.ts'

/** Why the flow cannot continue. */
export interface Trouble {
  kind: 'unreachable' | 'misconfigured' | 'busy' | 'unknown'
  code: string
}

const misconfigured = [
  'missing_credentials',
  'invalid_credentials',
  'origin_not_allowed',
  'key_type_not_allowed',
]

/** The message for an error that no step can handle. */
export function troubleOf(error: unknown): Trouble {
  const code = codeOf(error)
  if (code === null) {
    return { kind: error instanceof Unreachable ? 'unreachable' : 'unknown', code: 'unreachable' }
  }
  if (code === 'rate_limited') return { kind: 'busy', code }
  return { kind: misconfigured.includes(code) ? 'misconfigured' : 'unknown', code }
}
