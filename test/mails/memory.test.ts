import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { readRows } from '../support/checker.ts'
import { startCluster } from '../support/cluster.ts'
import { isWhole, longTest, onOneEngine } from '../support/long.ts'
import { startMailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { execute } from '../support/statements.ts'

const hourMs = 3_600_000
const count = isWhole ? 10_000 : 1_000

onOneEngine('sqlite', 'a server that sends many reminders', (engine) => {
  longTest('needs no more memory for the second half than for the first', { timeout: 900_000 }, async () => {
    let taken = 0
    const receiver = await startMailServer()
    receiver.beforeReply = () => {
      taken += 1
      receiver.mails.length = 0 // nobody reads them
    }
    // with little room V8 keeps no garbage, so retained memory shows
    const variables = {
      ...{ NODE_ENV: 'test', NODE_OPTIONS: '--max-old-space-size=120' },
      ...mailVariables(receiver.url),
      PUBLIC_URL: '',
    }
    const cluster = await startCluster(engine, variables)
    await Promise.all(cluster.servers.map((server) => server.stop()))
    await execute(cluster.databaseUrl, manyBookings(cluster.business))
    const server = await cluster.start()
    cluster.servers.splice(0, Infinity, server)
    const seen: { taken: number; megabytes: number }[] = []
    while (taken < count) {
      seen.push({ taken, megabytes: residentMegabytes(server.process.pid) })
      await new Promise((later) => setTimeout(later, 100))
    }
    const [sent] = await readRows(
      cluster.databaseUrl,
      `select count(*) as n from mails where kind = 'reminder'`,
    )
    expect([taken, Number(sent?.['n'])]).toEqual([count, count])
    const most = (from: number, to: number) =>
      Math.max(
        ...seen.filter((one) => one.taken >= from && one.taken <= to).map(({ megabytes }) => megabytes),
      )
    const [early, late] = [most(0, count / 2), most(count / 2, count)]
    console.log(`${engine}, ${count} reminders: ${early} MB in the first half, ${late} MB in the second`)
    expect(late).toBeLessThan(early + 60)
    await cluster.stop()
    await receiver.close()
  })
})

/** All of one minute a day ahead, each of a different client, booked long ago. */
function manyBookings(business: {
  id: string
  services: { id: string }[]
  locations: { id: string }[]
  staff: { id: string }[]
}): string {
  const startMs = Date.now() + 24 * hourMs - 60_000
  const at = (ms: number) => `'${new Date(ms).toISOString()}'`
  const booked = at(Date.now() - 72 * hourMs)
  const rows = Array.from({ length: count }, (_, number) => {
    const id = `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
    const email = `client-${number}@example.com`
    const ids = [id, business.id, business.services[0]?.id, business.locations[0]?.id, business.staff[0]?.id]
    return `(${ids.map((one) => `'${one}'`).join()}, ${at(startMs)}, ${at(startMs + hourMs)}, 'confirmed', 'Ada', 'Lovelace',
      '${email}', 'ada lovelace', '[]', '${business.id}', ${booked}, ${booked}, 1, '${id}', 0, ${booked}, ${booked}, 1)`
  })
  return `insert into bookings (id, business_id, service_id, location_id, staff_id, starts_at, ends_at, status,
    client_first_name, client_last_name, client_email, client_search, custom_field_values_json, owner_id, scheduled_at,
    confirmed_at, manage_generation, manage_digest, client_reschedules, created_at, updated_at, version)
    values ${rows.join(',\n')}`
}

/** Resident memory of a process, on Linux. */
function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}
