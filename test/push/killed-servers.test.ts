/** @module-tag long */
import { beforeEach, expect } from 'vitest'
import { readRows } from '../support/checker.ts'
import { book, clientOf, replaceByDying, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { runHoldfast } from '../support/holdfast-process.ts'
import { eventually, patientClients } from '../support/http-client.ts'
import { longTest, onOneEngine } from '../support/long.ts'
import { goodPassword, sameOrigin } from '../support/person.ts'
import { pushDevice } from '../support/push-device.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { execute } from '../support/statements.ts'

const call = patientClients()
const variables = { NODE_ENV: 'test', PUBLIC_URL: '' }

/** Statements between the steps of a notification. */
const lease = 'select device_id, occasion from pushes'
const write = 'update "pushes" set'

onOneEngine('sqlite', 'notifications of servers that are killed', (engine) => {
  let cluster: Cluster
  let receiver: Receiver
  beforeEach(async () => {
    receiver = await startReceiver()
    cluster = await startCluster(engine, variables)
    return async () => {
      await cluster.stop()
      await receiver.stop()
    }
  })

  /** Sends a form of the console. Returns the answer's cookie. */
  async function send(path: string, fields: Record<string, string>, cookie = ''): Promise<string> {
    const answer = await fetch(`${cluster.address(0)}${path}`, {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) },
      headers: { ...sameOrigin, cookie },
    })
    expect(answer.status).toBeLessThan(400)
    return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  }

  /** Subscribes a device of a new owner. */
  async function subscribe() {
    const create = ['user', 'create', 'owner@example.com', '--role', 'owner', '--json', '--business']
    const { stdout } = await runHoldfast([...create, cluster.business.name], {
      variables: { ...variables, DATABASE_URL: cluster.databaseUrl },
    })
    const [token = ''] = /cal_lnk_\w+/.exec(stdout) ?? []
    const cookie = await send('/console/link', { token, password: goodPassword })
    const device = pushDevice(receiver.address)
    await send('/console/notifications/devices', device.subscription, cookie)
    return device
  }

  /** Books at a server that dies at a statement. */
  async function bookAndDie(text: string): Promise<void> {
    const dying = await replaceByDying(cluster, text, variables)
    // the answer may be lost with the server
    await book(clientOf(cluster, call), cluster.business.business_key, slot(1)).catch(() => undefined)
    expect(await dying.process.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(await readRows(cluster.databaseUrl, 'select * from pushes')).toHaveLength(1)
  }

  async function takeOver(): Promise<void> {
    const past = `update pushes set next_attempt_at = '2020-01-01T00:00:00.000Z' where next_attempt_at is not null`
    await execute(cluster.databaseUrl, past)
    cluster.servers.splice(0, Infinity, await cluster.start())
    await eventually('the record', async () => {
      const [push] = await readRows(cluster.databaseUrl, 'select * from pushes')
      return push?.['next_attempt_at'] === null ? push : undefined
    })
  }

  longTest('between the commit and the sending are sent by the next', async () => {
    const device = await subscribe()
    await bookAndDie(lease)
    expect(receiver.received).toEqual([])
    await takeOver()
    expect(receiver.received.map(device.read)).toMatchObject([
      { title: expect.stringContaining('New booking') },
    ])
  })

  longTest('between the sending and its record replace their first copy', async () => {
    const device = await subscribe()
    await bookAndDie(write)
    expect(receiver.received).toHaveLength(1)
    await takeOver()
    const [first, second] = receiver.received.map(device.read)
    expect(second).toEqual(first)
    expect(first?.['tag']).toBeDefined()
  })
})
