import { spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import { freePort } from '../test/support/free-port.ts'
import { endingWithUs } from './children.ts'
import { operationsOfFloyd } from './floyd-ground.ts'
import type { World } from './operations.ts'
import { ownDatabase } from './support/own-database.ts'
import {
  backendsOf,
  firstSlotMs,
  peopleOfService,
  residentMegabytes,
  services,
  type Target,
  usedSeconds,
} from './targets.ts'

/*
 * Floyd Engine (github.com/floyd-run/engine, Node and PostgreSQL), the other open booking service with holds. Measured
 * from a checkout of its sources after `pnpm install`, in production mode with an API key, next to Holdfast.
 */

const startsWithinMs = 30_000

/** Starts a checkout on an empty database, and creates a world like that of Holdfast there. */
export async function startFloyd(checkout: string, postgresUrl: string): Promise<Target> {
  await using undo = new AsyncDisposableStack()
  const database = await ownDatabase(postgresUrl, 9)
  undo.defer(() => database.drop())
  const port = await freePort()
  const options: SpawnOptions = {
    cwd: join(checkout, 'apps/server'),
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      NODE_NO_WARNINGS: '1',
      DATABASE_URL: database.url,
      PORT: String(port),
      FLOYD_API_KEY: 'bench',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  }
  const program = ['--import', 'tsx'] // in its own process, as its command tsx starts another
  const migration = spawn(process.execPath, [...program, 'src/scripts/migrate.ts'], options)
  const [code] = (await once(endingWithUs(migration), 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${checkout} is no checkout of Floyd Engine with its packages installed`)
  const child = endingWithUs(spawn(process.execPath, [...program, 'src/index.ts'], options))
  const exited = once(child, 'exit')
  undo.defer(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const address = `http://127.0.0.1:${port}`
  const world = await makeWorld(address)
  const pid = child.pid ?? 0
  const stack = undo.move()
  return {
    ...{ name: 'Floyd', does: operationsOfFloyd, addresses: [address], worlds: [world] },
    ...{ databaseUrl: database.url, storeUrl: database.url },
    processorSeconds: async () => ({
      service: usedSeconds([pid]),
      database: usedSeconds(await backendsOf(database.url)),
    }),
    command: () => Promise.reject(new Error('it has no such commands')),
    megabytes: () => residentMegabytes(pid),
    restart: () => Promise.reject(new Error('it is not restarted')),
    stop: () => stack.disposeAsync(),
  }
}

async function makeWorld(address: string): Promise<World> {
  const endMs = performance.now() + startsWithinMs
  for (;;) {
    const isUp = await request(`${address}/v1/ledgers`, { headers: { authorization: 'Bearer bench' } }).catch(
      () => null,
    )
    await isUp?.body.dump()
    if (isUp?.statusCode === 200) break
    if (performance.now() > endMs) throw new Error('Floyd Engine does not answer')
    await pause(100)
  }
  const make = async (path: string, body: object = {}): Promise<string> => {
    const answer = await request(`${address}/v1/ledgers${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer bench', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 201) throw new Error(`POST ${path} answered ${answer.statusCode}: ${text}`)
    return (JSON.parse(text) as { data: { id: string } }).data.id
  }
  const ledgerId = await make('')
  // open at all times, in a grid like that of our services
  const config = {
    schema_version: 1,
    default_availability: 'open',
    constraints: { grid: { interval_minutes: 15 } },
  }
  const policyId = await make(`/${ledgerId}/policies`, { name: 'Open', config })
  const [serviceIds, staffIds]: [string[], string[][]] = [[], []]
  for (let index = 0; index < services; index += 1) {
    const resourceIds: string[] = []
    for (let person = 0; person < peopleOfService; person += 1)
      resourceIds.push(await make(`/${ledgerId}/resources`, { timezone: 'UTC' }))
    serviceIds.push(await make(`/${ledgerId}/services`, { name: `Service ${index}`, policyId, resourceIds }))
    staffIds.push(resourceIds)
  }
  return {
    ...{ businessKey: 'bench', publishableKey: 'bench', locationId: ledgerId, ledgerId },
    ...{ serviceIds, staffIds, firstSlotMs: firstSlotMs() },
  }
}
