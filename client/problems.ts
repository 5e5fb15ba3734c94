import type { components } from './api-types.ts'

type Schemas = components['schemas']

/** Every problem document (RFC 9457) of an operation; `code` tells them apart. */
export type Problem = {
  [Name in keyof Schemas]: Name extends `${string}Problem` ? Schemas[Name] : never
}[keyof Schemas]

export type ProblemCode = Problem['code']

/** An error response. `problem.code` says why; `problem.type` is the address of a page about it. */
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
