import { expect } from 'vitest'
import { type ProblemCode, problemKinds } from '../../src/base/errors.ts'
import type { Reply } from './test-service.ts'

const knownMembers = ['type', 'title', 'status', 'detail', 'code', 'request_id']

/** Expects the problem document of this code with exactly these extra members. */
export function expectProblem(reply: Reply, code: ProblemCode, beside: Record<string, unknown> = {}): void {
  const { status } = problemKinds[code]
  expect(reply).toMatchObject({
    status,
    headers: { 'content-type': expect.stringMatching(/^application\/problem\+json\b/) },
    body: { type: `/problems/${code}`, status, code, request_id: reply.headers['x-request-id'], ...beside },
  })
  expect(reply.body.title).toMatch(/\w/)
  expect(reply.body.detail).toMatch(/\w/)
  expect(Object.keys(reply.body as object).toSorted()).toEqual(
    [...knownMembers, ...Object.keys(beside)].toSorted(),
  )
}

/** Expects a 422 with faults at exactly these pointers, in any order. */
export function expectErrors(reply: Reply, ...pointers: string[]): void {
  expectProblem(reply, 'validation_failed', { errors: expect.any(Array) })
  const errors = reply.body.errors as { pointer: string; code: string; detail: string }[]
  expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual(pointers.toSorted())
  for (const error of errors) {
    expect(error).toEqual({ pointer: error.pointer, code: expect.any(String), detail: expect.any(String) })
    expect(error.code).toMatch(/^[a-z_]+$/)
    expect(error.detail).toMatch(/\w/)
  }
}
