import { codeOf, Unreachable } from '../api/refusals.ts'

/** The reason why the flow cannot continue. */
export interface Trouble {
  kind: 'unreachable' | 'misconfigured' | 'busy' | 'unknown'
  code: string
}

const misconfigured = ['invalid_credentials', 'origin_not_allowed', 'key_type_not_allowed']

/** Returns the message for an error that no step can handle. At the start, not_found concerns the key. */
export function troubleOf(error: unknown, isStart = false): Trouble {
  const code = codeOf(error)
  if (code === null) {
    return { kind: error instanceof Unreachable ? 'unreachable' : 'unknown', code: 'unreachable' }
  }
  if (code === 'rate_limited') return { kind: 'busy', code }
  const isMisconfigured = misconfigured.includes(code) || (isStart && code === 'not_found')
  return { kind: isMisconfigured ? 'misconfigured' : 'unknown', code }
}
