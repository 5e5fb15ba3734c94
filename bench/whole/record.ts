import { AsyncLocalStorage } from 'node:async_hooks'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { monotonicMs } from '../../src/clock.ts'
import { createContext } from '../../src/create-context.ts'
import { aroundTransactions, type StatementListener } from '../../src/database/database.ts'
import { reads, type Operation } from './plan.ts'
import { Requests, type World } from './requests.ts'
import { repeated, type Send } from './visitors.ts'

/** One statement that a request sent, and whether it was within a transaction. */
export interface Step {
  sql: string
  values: readonly unknown[]
  isWithin: boolean
}

/** What the service sends to its database for some requests of each operation, and what it answers. */
export interface Recording {
  /** A list of steps for each repetition. */
  scripts: Map<Operation, Step[][]>
  /** The last answer of each route, such as `POST /api/v1/session`. */
  answers: Record<string, string>
}

/** Reads can be repeated on the same rows: for them a few scripts are enough. */
const readScripts = 50
/** A machine on which that takes longer gets through fewer of them in a round, too. */
const longestMs = 3_000
const leastScripts = 50
const edges = ['begin', 'commit', 'rollback']

/** Runs the service in this process over a database and records the statements of each operation's requests. */
export async function record(
  databaseUrl: string,
  world: World,
  {
    operations,
    scripts,
    variables,
  }: { operations: readonly Operation[]; scripts: number; variables: Record<string, string> },
): Promise<Recording> {
  const recorded = new AsyncLocalStorage<{ steps: Step[]; isWithin: boolean }>()
  const onStatement: StatementListener = (sql, values) => {
    const store = recorded.getStore()
    if (store && !edges.includes(sql)) store.steps.push({ sql, values, isWithin: store.isWithin })
  }
  const config = readConfig({
    NODE_ENV: 'production',
    LOG_LEVEL: 'error',
    TRUST_PROXY: '127.0.0.0/8',
    DATABASE_URL: databaseUrl,
    RATE_LIMIT_FACTOR: '999999',
    ...variables, // where requests are counted decides which statements there are
  })
  const context = await createContext(config, { onStatement })
  const db = aroundTransactions(context.db, async (_tx, work) => {
    const store = recorded.getStore()
    if (!store) return work()
    store.isWithin = true
    return work().finally(() => {
      store.isWithin = false
    })
  })
  const app = await createApp({ ...context, db }, { onStatement })
  const result: Recording = { scripts: new Map(), answers: {} }
  const send: Send = async ({ method, path, token, network, body }) => {
    const { statusCode, body: text } = await app.server.inject({
      method,
      url: path,
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': network },
      ...(body && { payload: body }),
    })
    result.answers[routeOf(method, path)] = text
    return { status: statusCode, body: text }
  }
  try {
    const requests = new Requests(world)
    for (const operation of operations) {
      const { prepare, once } = repeated(operation, requests, [...world.holds])
      const count = reads.includes(operation) ? readScripts : scripts
      await prepare([send], count)
      const all: Step[][] = []
      const startedMs = monotonicMs()
      const isEnough = () => all.length >= leastScripts && monotonicMs() - startedMs > longestMs
      for (let turn = 0; turn < count && !isEnough(); turn += 1) {
        const store = { steps: [], isWithin: false }
        await recorded.run(store, () => once(send, turn))
        all.push(store.steps)
      }
      result.scripts.set(operation, all)
    }
  } finally {
    await app.stop()
  }
  return result
}

/** `/bookings/{id}` as Fastify writes it, and no query. */
function routeOf(method: string, path: string): string {
  const [plain = ''] = path.split('?')
  return `${method} ${plain.replace(/\/[0-9a-f-]{36}$/, '/:id')}`
}
