import { readdirSync, readFileSync } from 'node:fs'
import { demoWorld } from '../test/support/holdfast-process.ts'
import { startReplicatedPostgres } from '../test/support/replicated-postgres.ts'
import { startServer } from '../test/support/server-process.ts'

/* The relief of the primary by a replica: the CPU time of both during requests for availability. */

const requests = 4_000
const atOnce = 8
const dayMs = 86_400_000

/** Prints CPU time without DATABASE_READ_URL and with it. Requests are counted in the Redis of TEST_REDIS_URL. */
export async function measureReplica(): Promise<void> {
  const postgres = await startReplicatedPostgres()
  const [standby] = postgres.standbys()
  if (!standby) throw new Error('there is no standby')
  try {
    const [business] = (await demoWorld(postgres.url)).businesses
    const [service] = business?.services ?? []
    const location_id = service?.location_ids[0]
    if (!business || !service || location_id === undefined) throw new Error('the demo world has no service')
    const place = { service_id: service.id, location_id }
    const rows: object[] = []
    for (const readUrl of ['', standby.url]) {
      const server = await startServer(postgres.url, {
        REDIS_URL: process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379',
        REDIS_KEY_PREFIX: `bench-replica-${process.pid}:`,
        ...(readUrl && { DATABASE_READ_URL: readUrl }),
      })
      const ask = async (index: number) => {
        const day = new Date(Date.now() + (1 + (index % 20)) * dayMs).toISOString().slice(0, 10)
        const query = new URLSearchParams({ ...place, from: day, to: day })
        const headers = { authorization: `Bearer ${business.business_key}` }
        const answer = await fetch(`${server.address}/api/v1/availability?${query.toString()}`, { headers })
        await answer.arrayBuffer()
        if (!answer.ok) throw new Error(`an answer of ${answer.status}`)
      }
      for (let index = 0; index < requests; index += atOnce) await askTogether(ask, index)
      const before = [postgres.primary(), standby].map(({ process }) => processorMs(process.pid()))
      for (let index = 0; index < requests; index += atOnce) await askTogether(ask, index)
      const after = [postgres.primary(), standby].map(({ process }) => processorMs(process.pid()))
      const [primaryMs = 0, standbyMs = 0] = after.map((ms, index) => ms - (before[index] ?? 0))
      rows.push({
        DATABASE_READ_URL: readUrl === '' ? 'none' : 'a standby',
        'primary ms': primaryMs,
        'standby ms': standbyMs,
      })
      await server.stop()
    }
    console.log(`Processor time of PostgreSQL for ${requests} requests for a day of availability, by a key.`)
    console.table(rows)
  } finally {
    await postgres.stop()
  }
}

async function askTogether(ask: (index: number) => Promise<void>, from: number): Promise<void> {
  await Promise.all(Array.from({ length: atOnce }, (_, place) => ask(from + place)))
}

/** CPU time of a process and its children, in milliseconds. The kernel counts hundredths of a second. */
function processorMs(pid: number): number {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const ticks = all.map((name) => {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return Number(name) === pid || Number(fields[1]) === pid ? Number(fields[11]) + Number(fields[12]) : 0
    } catch {
      return 0 // it has just ended
    }
  })
  return ticks.reduce((sum, count) => sum + count, 0) * 10
}
