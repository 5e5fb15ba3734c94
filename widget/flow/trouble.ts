import { codeOf, Unreachable } from '../api/refusals.ts'

/** Why the flow cannot continue. */
export interface Trouble {
  kind: 'unreachable' | 'misconfigured' | 'busy' | 'unknown'
  code: string
}

const misconfigured = ['invalid_credentials', 'origin_not_allowed', 'key_type_not_allowed']

/** The message for an error that no step can handle; at the start, what is not found is the key. */
export function troubleOf(error: unknown, isStart = false): Trouble {
  const code = codeOf(error)
  if (code === null) {
    return { kind: error instanceof Unreachable ? 'unreachable' : 'unknown', code: 'unreachable' }
  }
  if (code === 'rate_limited') return { kind: 'busy', code }
  const isMisconfigured = misconfigured.includes(code) || (isStart && code === 'not_found')
  return { kind: isMisconfigured ? 'misconfigured' : 'unknown', code }
}
