import type { ProblemDocument } from './api-types.ts'

/** Thrown if the service refused the request. */
export class Refused extends Error {
  readonly problem: ProblemDocument
  readonly retryAfterSeconds: number | null

  constructor(problem: ProblemDocument, retryAfterSeconds: number | null) {
    super(problem.detail)
    this.problem = problem
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Thrown after two requests without a response. */
export class Unreachable extends Error {}

/** Returns the problem code; null for any other error. */
export function codeOf(error: unknown): string | null {
  return error instanceof Refused ? error.problem.code : null
}

/** Returns true if the result exceeds one response: `too_many_slots` of `GET /availability`. */
export function isTooMany(error: unknown): boolean {
  return error instanceof Refused && error.problem.errors?.[0]?.code === 'too_many_slots'
}
