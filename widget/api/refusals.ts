import type { ProblemDocument } from './api-types.ts'

/** The service said no. */
export class Refused extends Error {
  readonly problem: ProblemDocument
  readonly retryAfterSeconds: number | null

  constructor(problem: ProblemDocument, retryAfterSeconds: number | null) {
    super(problem.detail)
    this.problem = problem
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** There was no answer, or one of a server in trouble, twice. */
export class Unreachable extends Error {}

/** The code of a refusal; null for everything else. */
export function codeOf(error: unknown): string | null {
  return error instanceof Refused ? error.problem.code : null
}
