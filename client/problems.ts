import type { BasicProblem, Schemas } from './api-types.ts'

/** The problem documents of operations. */
type OperationProblem = {
  [Name in keyof Schemas]: Name extends `${string}Problem` ? Schemas[Name] : never
}[keyof Schemas]

/** Every problem document (RFC 9457), distinguished by `code`. */
export type Problem =
  | OperationProblem
  // refused before a request reaches an operation, so no operation names them
  | BasicProblem<'method_not_allowed', 405>
  | BasicProblem<'request_timeout', 408>
  | BasicProblem<'headers_too_large', 431>

export type ProblemCode = Problem['code']

/** The problem with this code, or with one of these. */
export type ProblemOf<Code extends ProblemCode> = Extract<Problem, { code: Code }>

/**
 * An error response. `code` identifies the reason, and `problem.type` is the path of a page about it. `problem` has the
 * members of its code, such as `alternatives`.
 */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError'
  readonly code: ProblemCode
  /** The HTTP status. */
  readonly status: number
  /**
   * The faults of a `validation_failed` by field, such as `fields['client.email']`. Entries of a list have a number:
   * `fields['items.0.service_id']`. Empty for other codes.
   */
  readonly fields: Readonly<Record<string, string>>
  readonly problem: Problem
  readonly response: Response

  constructor(problem: Problem, response: Response) {
    super(`${problem.code}: ${problem.detail}`)
    this.code = problem.code
    this.status = problem.status
    this.fields = fieldsOf(problem)
    this.problem = problem
    this.response = response
    hide(this)
  }

  /** True if it has one of these codes. Then `problem` has the type of its code. */
  is<Code extends ProblemCode>(...codes: Code[]): this is { code: Code; problem: ProblemOf<Code> } {
    return (codes as ProblemCode[]).includes(this.code)
  }
}

/** A response that is neither a success nor a problem document: from a proxy, or not from Holdfast. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError'
  /** The HTTP status. */
  readonly status: number
  readonly response: Response

  constructor(response: Response) {
    super(
      `The answer of ${response.url} is ${response.status.toString()}, and not from Holdfast. ${
        [502, 503, 504].includes(response.status) ? 'A proxy could not reach the server.' : 'Check `baseUrl`.'
      }`,
    )
    this.status = response.status
    this.response = response
    hide(this)
  }
}

/** Keeps the response out of logs, where it would fill a hundred lines. */
function hide(error: { response: Response }): void {
  Object.defineProperty(error, 'response', { enumerable: false })
}

function fieldsOf(problem: Problem): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const { pointer, detail } of 'errors' in problem ? problem.errors : []) {
    const name = pointer.slice(1).split('/').map(unescaped).join('.')
    fields[name] = name in fields ? `${fields[name] ?? ''} ${detail}` : detail
  }
  return fields
}

/** RFC 6901, section 4. */
function unescaped(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}

export function isProblem(value: unknown): value is Problem {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    'type' in value &&
    value.type === `/problems/${String(value.code)}`
  )
}
