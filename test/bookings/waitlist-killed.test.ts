import { beforeEach, expect } from 'vitest'
import { readRows } from '../support/checker.ts'
import { replaceByDying, startCluster, type Cluster } from '../support/cluster.ts'
import { eventually, patientClients } from '../support/http-client.ts'
import { onOneEngine, testIn } from '../support/long.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { execute } from '../support/statements.ts'

const call = patientClients()
const dayMs = 86_400_000

/** Statements of a sweep that offers a time, in their order. The last one comes after the commit. */
const steps = {
  'before the sweep': 'update waitlist_sweeps set due_at',
  'before the turn': `update "waitlist_entries" set "status"`,
  'before the offer': 'insert into "waitlist_offers"',
  'after the commit': 'delete from "waitlist_sweeps"',
}

onOneEngine('sqlite', 'offers of servers that are killed', (engine) => {
  let cluster: Cluster
  let receiver: MailServer
  let variables: Record<string, string>
  beforeEach(async () => {
    receiver = await startMailServer()
    variables = { NODE_ENV: 'test', ...mailVariables(receiver.url), PUBLIC_URL: '' }
    cluster = await startCluster(engine, variables)
    return async () => {
      await cluster.stop()
      await receiver.close()
    }
  })

  const send = (method: string, path: string, body?: object) =>
    call(cluster.address(0), method, path, { token: cluster.business.business_key, ...(body && { body }) })
  const rows = (query: string) => readRows(cluster.databaseUrl, query)

  for (const [step, text] of Object.entries(steps)) {
    testIn(step === 'after the commit')(`${step} are made once by the next, with one email`, async () => {
      const hour = new Date().getUTCHours()
      const at = (hours: number) => `${String((hour + hours) % 24).padStart(2, '0')}:00`
      // the servers have the real clock, so the quiet hours must not be now in any zone
      await send('PATCH', `/businesses/${cluster.business.id}`, {
        quiet_hours: { from: at(8), to: at(9) },
      })
      const dying = await replaceByDying(cluster, text, variables)
      const room = cluster.business.services.find(({ name }) => name === 'Meeting room')
      const date = new Date(Date.now() + 7 * dayMs).toISOString().slice(0, 10)
      const last = new Date(Date.now() + 14 * dayMs).toISOString().slice(0, 10)
      await send('POST', '/waitlist', {
        ...{ service_id: room?.id, location_id: room?.location_ids[0], from: date, to: last },
        client: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
      })
      expect(await dying.process.ended).toMatchObject({ signal: 'SIGKILL' })
      const made = step === 'after the commit' ? 1 : 0
      expect(await rows('select * from waitlist_offers')).toHaveLength(made)

      // other tests prove that a lease ends after a minute
      await execute(cluster.databaseUrl, `update waitlist_sweeps set due_at = '2020-01-01T00:00:00.000Z'`)
      await execute(
        cluster.databaseUrl,
        `update waitlist_mails set next_attempt_at = '2020-01-01T00:00:00.000Z' where status = 'queued'`,
      )
      cluster.servers.splice(0, Infinity, await cluster.start())
      await eventually('the emails', async () => {
        const sent = await rows(`select * from waitlist_mails where status = 'sent'`)
        return sent.length >= 2 ? sent : undefined
      })
      const offers = await rows('select * from waitlist_offers')
      expect(offers).toHaveLength(1)
      expect(await rows(`select * from waitlist_entries where status = 'offered'`)).toHaveLength(1)
      const kinds = (await rows('select kind from waitlist_mails')).map(({ kind }) => kind)
      expect(kinds.toSorted()).toEqual(['joined', 'offered'])
      const claims = await rows('select id, ended_at from claims where booked_at is null')
      expect(claims.filter(({ id }) => id === offers[0]?.['id'])).toHaveLength(1)
      // a message comes at most once more, with the same Message-ID
      const ids = new Set(receiver.to('ada@example.com').map(({ headers }) => headers['message-id']))
      expect(ids.size).toBe(2)
    })
  }
})
