import { once } from 'node:events'
import { createConnection, createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { Engine } from '../src/database/database.ts'
import { Turns } from '../src/turns.ts'

/** A request costs more than its turns, and more again where PostgreSQL computes for it. */
const [cost, costOnPostgres] = [2, 2.2]
const forEver = () => new Promise<never>(() => undefined)

/** Turns on a clock of their own: work passes time, pauses are noted, and whoever is to come meanwhile comes. */
function makeTurns(engine: Engine = 'sqlite') {
  let nowMs = 0
  const pauses: number[] = []
  const arrivals: (() => void)[] = []
  const turns = new Turns(engine, {
    nowMs: () => nowMs,
    yield: () => {
      for (const arrive of arrivals.splice(0)) arrive()
      return Promise.resolve()
    },
    pause: (milliseconds) => {
      pauses.push(milliseconds)
      nowMs += milliseconds
      return Promise.resolve()
    },
  })
  const compute = (steps: number[]) =>
    turns.share(async (turn) => {
      for (const stepMs of steps) {
        nowMs += stepMs
        await turn.over()
      }
      await turn.giveWay()
    })
  return { turns, pauses, arrivals, compute, pass: (milliseconds: number) => (nowMs += milliseconds) }
}

test('alone, a computation never pauses', async () => {
  const { turns, pauses, compute } = makeTurns()
  const answered = turns.arrived()
  await compute([5, 5, 5])
  answered()
  expect(pauses).toEqual([])
})

test('beside others, each turn is paid for with as long for each of them', async () => {
  const { turns, pauses, compute } = makeTurns()
  for (let request = 0; request < 5; request += 1) turns.arrived()
  await compute([1, 1, 3, 1, 2])
  expect(pauses).toEqual([5 * 4 * cost, 3 * 4 * cost])
})

test('what PostgreSQL computes for it beside is paid for too', async () => {
  const { turns, pauses, compute } = makeTurns('postgres')
  for (let request = 0; request < 2; request += 1) turns.arrived()
  await compute([5])
  expect(pauses).toEqual([5 * costOnPostgres])
})

test('those that arrive while it computes count, those that were answered do not', async () => {
  const { turns, pauses, arrivals, compute } = makeTurns()
  turns.arrived()
  const answered = turns.arrived()
  arrivals.push(() => turns.arrived(), answered)
  await compute([4])
  expect(pauses).toEqual([4 * cost])
})

test('computations beside nothing but each other do not pause', async () => {
  const { turns, pauses, compute } = makeTurns()
  for (let request = 0; request < 3; request += 1) turns.arrived()
  void turns.share(forEver)
  void turns.share(forEver)
  await compute([8])
  expect(pauses).toEqual([])
})

test('beside somebody else, computations give way to each other too', async () => {
  const { turns, pauses, compute } = makeTurns()
  for (let request = 0; request < 3; request += 1) turns.arrived()
  void turns.share(forEver)
  await compute([8])
  expect(pauses).toEqual([16 * cost])
})

test('a wait for a busy database counts for no more than eight milliseconds', async () => {
  const { turns, pauses, compute } = makeTurns()
  for (let request = 0; request < 2; request += 1) turns.arrived()
  await compute([5_000])
  expect(pauses).toEqual([8 * cost])
})

test('beside very many, it still gets its share of one in seventeen', async () => {
  const { turns, pauses, compute } = makeTurns()
  for (let request = 0; request < 1_000; request += 1) turns.arrived()
  await compute([6])
  expect(pauses).toEqual([6 * 16 * cost])
})

test('what a pause took too long is not asked for again', async () => {
  let nowMs = 0
  const pauses: number[] = []
  const turns = new Turns('sqlite', {
    nowMs: () => nowMs,
    yield: () => Promise.resolve(),
    pause: (milliseconds) => {
      pauses.push(milliseconds)
      nowMs += milliseconds + 3
      return Promise.resolve()
    },
  })
  for (let request = 0; request < 2; request += 1) turns.arrived()
  await turns.share(async (turn) => {
    for (let step = 0; step < 2; step += 1) {
      nowMs += 5
      await turn.over()
    }
  })
  expect(pauses).toEqual([5 * cost, 5 * cost - 3])
})

test('a computation that fails stops counting', async () => {
  const { turns, pauses, compute } = makeTurns()
  for (let request = 0; request < 2; request += 1) turns.arrived()
  await expect(turns.share(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await compute([6])
  expect(pauses).toEqual([6 * cost])
})

test('who came to the socket during the turn has arrived when others are counted', async () => {
  const turns = new Turns('sqlite')
  const order: string[] = []
  const arrivals: Record<string, () => void> = {
    computing: () => {
      turns.arrived()
      void turns.share(async (turn) => {
        other.write('other') // reaches the server's socket at once, and is read when the loop asks again
        for (const startedMs = performance.now(); performance.now() - startedMs < 5;);
        await turn.giveWay()
        order.push('goes on')
      })
    },
    other: () => {
      turns.arrived()
      order.push('other')
    },
  }
  const server = createServer((socket) => socket.on('data', (text) => arrivals[String(text)]?.()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const connect = async () => {
    const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  const other = await connect()
  const asker = await connect()
  asker.write('computing')
  await expect.poll(() => order).toEqual(['other', 'goes on'])
  other.destroy()
  asker.destroy()
  server.close()
})
