/** @module-tag long */
import { beforeEach, expect } from 'vitest'
import { readRows } from '../support/checker.ts'
import { book, clientOf, replaceByDying, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { eventually, patientClients } from '../support/http-client.ts'
import { longTest, onOneEngine } from '../support/long.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { execute } from '../support/statements.ts'

const call = patientClients()

/** Statements between the steps of an email. */
const lease = 'due as materialized'
const write = 'update "mails" set "status"'

onOneEngine('sqlite', 'mails of servers that are killed', (engine) => {
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

  /** Books at a server that dies at a statement, and lets another take over. */
  async function bookAndDie(text: string): Promise<void> {
    const dying = await replaceByDying(cluster, text, variables)
    // the answer may be lost with the server
    await book(clientOf(cluster, call), cluster.business.business_key, slot(1)).catch(() => undefined)
    expect(await dying.process.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(await readRows(cluster.databaseUrl, 'select * from mails')).toHaveLength(1)
  }
  const takeOver = async () => {
    // other tests prove that a lease ends after a minute
    const past = `update mails set next_attempt_at = '2020-01-01T00:00:00.000Z' where status = 'queued'`
    await execute(cluster.databaseUrl, past)
    cluster.servers.splice(0, Infinity, await cluster.start())
    await eventually('the record', async () => {
      const [mail] = await readRows(cluster.databaseUrl, 'select * from mails')
      return mail?.['status'] === 'sent' ? mail : undefined
    })
  }

  longTest('between the commit and the sending are sent by the next', async () => {
    await bookAndDie(lease)
    expect(receiver.mails).toEqual([])
    await takeOver()
    expect(receiver.mails).toHaveLength(1)
  })

  longTest('between the sending and its record come once more, with the same Message-ID', async () => {
    await bookAndDie(write)
    expect(receiver.mails).toHaveLength(1)
    await takeOver()
    const ids = receiver.mails.map(({ headers }) => headers['message-id'])
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })
})
