import { EventEmitter } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { boundUnreadAnswers } from '../../src/http/unread-answers.ts'

type Done = (error: Error | null, payload?: unknown) => void
type Hook = (request: unknown, reply: unknown, payload: unknown, done: Done) => void

test('answers to clients that have gone do not count as unread', () => {
  let hook: Hook | undefined
  const app = { addHook: (_name: string, added: Hook) => (hook = added) }
  boundUnreadAnswers(app as unknown as FastifyInstance) // it needs no more of the app
  const answer = (isGone: boolean) => {
    const raw = Object.assign(new EventEmitter(), { closed: isGone, destroyed: isGone })
    let refused: Error | null = null
    hook?.({ ip: '192.0.2.1' }, { raw, removeHeader: () => undefined }, Buffer.alloc(10_000_000), (error) => {
      refused = error
    })
    return refused
  }
  for (let gone = 0; gone < 20; gone += 1) expect(answer(true)).toBeNull()
  expect(answer(false)).toBeNull()
  expect(answer(false)).toBeInstanceOf(Error) // 20 MB of one address
})
