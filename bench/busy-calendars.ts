import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { constants, setPriority } from 'node:os'
import { request } from 'undici'
import { endless, manyExceptions } from '../test/calendars/hostile-files.ts'
import { endingWithUs } from './children.ts'
import { Load, type Outcome } from './load.ts'
import { median, type Plan } from './measure.ts'
import type { Engine } from './operations.ts'
import { postgresFor, startTarget, type Target, thisCheckout } from './targets.ts'

/*
 * The cost of hostile busy calendars for clients who book, at 100 holds a second. First runs without a calendar, and
 * next to another process that never rests, at the lowest priority. The latter is the cost of any work on this machine.
 * Then runs a minute and a half without. In the next one the server reads a calendar until it is cut off after 2
 * seconds. Finally the server reads one after the other. A server looks for new calendars once a minute, and retries
 * one that was cut off after six hours.
 */

/** The rate of a busy day. With all cores busy, the reader takes time that others do not use. */
const pace = { perSecond: 100, atOnce: 32 }
/** For each person: enough for some minutes of reading. */
const perPerson = 5
/** Duration in which one hostile calendar is read. */
const oneSeconds = 90
const files = [...Object.values(endless), manyExceptions]

/** Prints for each engine the times of holds and the memory, with and without hostile calendars. */
export async function measureBesideCalendars({ engines, rounds, seconds }: Plan): Promise<void> {
  await using undo = new AsyncDisposableStack()
  const postgresUrl = await postgresFor(engines, undo)
  console.log(
    `${pace.perSecond} holds a second, without and beside hostile calendars, and beside a loop. Medians of ${rounds} turns of ${seconds} s.`,
  )
  const rows: object[] = []
  for (const engine of engines) rows.push(...(await rowsOf(engine, postgresUrl, { rounds, seconds })))
  console.table(rows)
}

async function rowsOf(
  engine: Engine,
  postgresUrl: string | undefined,
  { rounds, seconds }: Pick<Plan, 'rounds' | 'seconds'>,
): Promise<object[]> {
  await using undo = new AsyncDisposableStack()
  const load = new Load()
  undo.defer(() => load.stop())
  let fetched = 0
  const server = createServer((_request, response) => {
    response.writeHead(200).end(files[fetched++ % files.length])
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.defer(() => {
    server.close()
  })
  const settings = { NODE_ENV: 'test' } // may fetch from here
  const target = await startTarget(thisCheckout, engine, {
    postgresUrl,
    number: 0,
    settings,
  })
  undo.defer(() => target.stop())
  const { name, addresses, worlds } = target
  const [world] = worlds
  if (!world) throw new Error('the target has no business')
  const order = { target: name, world, addresses, operation: 'hold', keyed: true, bare: false, ...pace }
  const rowOf = async (calendars: string, turns = { rounds, seconds }): Promise<object> => {
    const before = fetched
    const seen: Outcome[] = []
    for (let round = 0; round < turns.rounds; round += 1)
      seen.push(await load.run({ ...order, seconds: turns.seconds }))
    const failed = seen.flatMap(({ errors }) => Object.values(errors)).reduce((sum, one) => sum + one, 0)
    if (failed > 0) process.exitCode = 1
    return {
      ...{ engine, calendars },
      'p50 ms': median(seen.map(({ p50Ms }) => p50Ms)).toFixed(1),
      'p99 ms': median(seen.map(({ p99Ms }) => p99Ms)).toFixed(1),
      MB: target.megabytes().toFixed(0),
      ...{ failed, fetched: fetched - before },
    }
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.ics`
  await load.run({ ...order, seconds }) // code that has run often is faster
  const rows = [await rowOf('none'), await besideLoop(() => rowOf('none, a loop beside'))]
  const long = { rounds: 1, seconds: oneSeconds }
  rows.push(await rowOf(`none in ${oneSeconds} s`, long))
  await addCalendars(target, url, 1)
  rows.push(await rowOf(`one hostile in ${oneSeconds} s`, long))
  await addCalendars(target, url)
  await once(server, 'request') // within a minute
  return [...rows, await rowOf('hostile, all along')]
}

/** Runs something next to a process that never rests, at the lowest priority. */
async function besideLoop<Result>(run: () => Promise<Result>): Promise<Result> {
  const loop = endingWithUs(spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }))
  await once(loop, 'spawn')
  setPriority(loop.pid ?? 0, constants.priority.PRIORITY_LOW)
  try {
    return await run()
  } finally {
    loop.kill('SIGKILL')
  }
}

/** Adds calendars, at most as many as each person can have. */
async function addCalendars({ addresses, worlds }: Target, url: string, max = Infinity): Promise<void> {
  const headers = {
    authorization: `Bearer ${worlds[0]?.businessKey ?? ''}`,
    'content-type': 'application/json',
  }
  const call = async (path: string, body?: object) => {
    const method = body ? 'POST' : 'GET'
    const answer = await request(`${addresses[0] ?? ''}/api/v1${path}`, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}`)
    return (await answer.body.json()) as { data: { id: string }[] }
  }
  const known = (await call('/busy-calendars')).data.length
  const staff = (await call('/staff?limit=100')).data
  const wanted = staff.flatMap(({ id }) => Array<string>(perPerson).fill(id)).slice(known, known + max)
  for (const staff_id of wanted) await call('/busy-calendars', { staff_id, url })
}
