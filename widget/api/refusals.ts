import type { ProblemDocument } from './api-types.ts'

/** The service refused the request. */
export class Refused extends Error {
  readonly problem: ProblemDocument
  readonly retryAfterSeconds: number | null

  constructor(problem: ProblemDocument, retryAfterSeconds: number | null) {
    super(problem.detail)
    this.problem = problem
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Twice no response. */
export class Unreachable extends Error {}

/** The problem code; null for any other error. */
export function codeOf(error: unknown): string | null {
  return error instanceof Refused ? error.problem.code : null
}

/** Whether one response cannot hold what was asked for: `too_many_slots` of `GET /availability`. */
export function isTooMany(error: unknown): boolean {
  return error instanceof Refused && error.problem.errors?.[0]?.code === 'too_many_slots'
}
