import type { components } from './api-types.ts'

type Schemas = components['schemas']

/** The problem documents of operations. */
type OperationProblem = {
  [Name in keyof Schemas]: Name extends `${string}Problem` ? Schemas[Name] : never
}[keyof Schemas]

/** Refused before a request reaches an operation, so no operation names it. */
interface EarlyProblem<Code extends string, Status extends number> {
  type: `/problems/${Code}`
  title: string
  status: Status
  detail: string
  code: Code
  request_id: string
}

/** Every problem document (RFC 9457), distinguished by `code`. */
export type Problem =
  | OperationProblem
  | EarlyProblem<'method_not_allowed', 405>
  | EarlyProblem<'request_timeout', 408>
  | EarlyProblem<'headers_too_large', 431>

export type ProblemCode = Problem['code']

/** The problem with this code, or with one of these. */
export type ProblemOf<Code extends ProblemCode> = Extract<Problem, { code: Code }>

/** An error response. `problem.code` identifies the reason. `problem.type` is the URL of a page about it. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError'
  readonly problem: Problem
  readonly response: Response

  constructor(problem: Problem, response: Response) {
    super(`${problem.code}: ${problem.detail}`)
    this.problem = problem
    this.response = response
  }
}

/** A response that is neither a success nor a problem document: from a proxy, or not from Holdfast. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError'
  readonly response: Response

  constructor(response: Response) {
    super(`The answer is ${response.status.toString()} without a problem document.`)
    this.response = response
  }
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

/** The result of a call: `data`, or `error`. */
interface Outcome {
  data?: unknown
  error?: unknown
  response: Response
}

/** The data of a successful call. */
type DataOf<Result> = Result extends { data: infer Data } ? Data : never

/** Returns the data of a call. Throws a HoldfastError for a problem, an UnexpectedAnswerError for anything else. */
export async function orThrow<Result extends Outcome>(call: Promise<Result>): Promise<DataOf<Result>> {
  const { data, error, response } = await call
  if (response.ok) return data as DataOf<Result>
  throw isProblem(error) ? new HoldfastError(error, response) : new UnexpectedAnswerError(response)
}
