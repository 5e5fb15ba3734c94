import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { answerOnce } from '../../src/idempotency/answer-once.ts'
import { Flights } from '../../src/idempotency/flights.ts'
import { eventually } from '../support/eventually.ts'
import { engines, startTestService, type TestService } from '../support/test-service.ts'

/** A keyed request whose work goes on until it is let go, and counts how often it was done. */
function slowRequest(name: string) {
  const { promise: letGo, resolve: end, reject: fail } = Promise.withResolvers<undefined>()
  const { promise: running, resolve: begun } = Promise.withResolvers<undefined>()
  let done = 0
  const ask = (context: Context) =>
    answerOnce(context, {
      key: { caller_id: '01990000-0000-7000-8000-000000000000', route: 'POST /x', idempotency_key: name },
      digest: name,
      run: ({ db }) =>
        db.transaction(async () => {
          begun(undefined)
          await letGo
          return (done += 1)
        }),
      present: (result) => ({ status: 201, etag: null, body: `{"result":${result}}` }),
    })
  return { ask, running, end: () => end(undefined), fail, done: () => done }
}

describe.concurrent.each(engines)('a repetition that meets the first still running (%s)', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  const refused = { code: 'idempotency_in_flight' }

  test('is refused after five seconds, and gets the answer once there is one', async () => {
    const request = slowRequest('too slow')
    const first = request.ask(service.context)
    await request.running
    const startedMs = performance.now()
    await expect(request.ask(service.context)).rejects.toMatchObject(refused)
    expect(performance.now() - startedMs).toBeGreaterThan(4_900)
    request.end()
    const { answer } = await first
    expect(await request.ask(service.context)).toEqual({ answer, replayed: true })
    expect(request.done()).toBe(1)
  })

  // a SQLite file has one server
  describe.runIf(engine === 'postgres')('on another server', () => {
    const other = () => ({ ...service.context, flights: new Flights() })
    const looks = () => service.statements.filter((text) => text.includes('pg_try_advisory_xact_lock')).length
    const looksOften = async (times: number) => {
      const before = looks()
      await eventually('looks', 5_000, () => looks() >= before + times || undefined)
    }

    test('looks again and again, keeps no statement waiting, and gets the answer', async () => {
      const request = slowRequest('on another')
      const first = request.ask(service.context)
      await request.running
      const repetition = request.ask(other())
      await looksOften(4)
      request.end()
      expect(await repetition).toEqual({ answer: (await first).answer, replayed: true })
      expect(request.done()).toBe(1)
    })

    test('does the work when the first fails', async () => {
      const failing = slowRequest('fails')
      const following = slowRequest('fails')
      const first = failing.ask(service.context)
      await failing.running
      const repetition = following.ask(other())
      failing.fail(new Error('no luck'))
      await expect(first).rejects.toThrow('no luck')
      following.end()
      expect(await repetition).toMatchObject({ replayed: false })
      expect(following.done()).toBe(1)
    })

    test('is refused after five seconds', async () => {
      const request = slowRequest('too slow there')
      const first = request.ask(service.context)
      await request.running
      const startedMs = performance.now()
      await expect(request.ask(other())).rejects.toMatchObject(refused)
      expect(performance.now() - startedMs).toBeLessThan(6_500)
      request.end()
      await first
    })
  })
})
