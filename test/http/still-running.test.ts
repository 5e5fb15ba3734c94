import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { respondOnce } from '../../src/database/idempotency.ts'
import type { Context } from '../../src/bookings/context.ts'
import { eventually } from '../support/eventually.ts'
import { longTest } from '../support/long.ts'
import { engines, startTestService, type TestService } from '../support/test-service.ts'

/** Starts a keyed request whose work continues until it is released. */
function slowRequest(name: string) {
  const { promise: letGo, resolve: end, reject: fail } = Promise.withResolvers<undefined>()
  let running = 0
  let done = 0
  const respond = (context: Context) =>
    respondOnce(context, {
      key: { caller_id: '01990000-0000-7000-8000-000000000000', route: 'POST /x', idempotency_key: name },
      digest: name,
      run: (store) =>
        context.db.transaction(async (tx) => {
          running += 1
          await letGo
          const result = (done += 1)
          await store(tx, result)
          return result
        }),
      present: (result) => ({ status: 201, etag: null, body: `{"result":${result}}` }),
    })
  return { respond, running: () => running, end: () => end(undefined), fail, done: () => done }
}

describe.concurrent.each(engines)('a repetition that meets the first still running (%s)', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  const stored = async (key: string) =>
    (await service.rows('idempotency_records')).filter((row) => row.idempotency_key === key).length

  const refused = { code: 'idempotency_in_flight' }

  // real time is the subject, whatever the engine
  longTest('is refused after five seconds, and gets the response once there is one', async () => {
    const request = slowRequest('too slow')
    const first = request.respond(service.context)
    await eventually('it runs', () => request.running() === 1 || undefined)
    const startedMs = performance.now()
    await expect(request.respond(service.context)).rejects.toMatchObject(refused)
    expect(performance.now() - startedMs).toBeGreaterThan(4_900)
    request.end()
    const { response } = await first
    expect(await request.respond(service.context)).toEqual({ response, replayed: true })
    expect(request.done()).toBe(1)
  })

  // a SQLite file has one server
  describe.runIf(engine === 'postgres')('on another server', () => {
    /** The same database as another process sees it, without knowledge of the requests running here. */
    const other = (): Context => {
      const reads = service.context.db.reads.withoutPlugins()
      const db = Object.create(service.context.db, { reads: { value: reads } }) as Context['db']
      return { ...service.context, db }
    }

    test('is undone when the first has stored its response, and gets that', async () => {
      const request = slowRequest('on another')
      const both = [request.respond(service.context), request.respond(other())]
      await eventually('both run', () => request.running() === 2 || undefined)
      request.end()
      const [one, two] = await Promise.all(both)
      expect(one?.response).toEqual(two?.response)
      expect([one?.replayed, two?.replayed].toSorted()).toEqual([false, true])
      expect(await stored('on another')).toBe(1)
    })

    test('does the work when the first fails', async () => {
      const failing = slowRequest('fails')
      const following = slowRequest('fails')
      const first = failing.respond(service.context)
      const repeated = following.respond(other())
      await eventually('both run', () => failing.running() + following.running() === 2 || undefined)
      failing.fail(new Error('no luck'))
      await expect(first).rejects.toThrow('no luck')
      following.end()
      expect(await repeated).toMatchObject({ replayed: false })
    })
  })
})
