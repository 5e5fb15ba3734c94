/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { findMiscounted, readRows } from '../support/checker.ts'
import { type Cluster, startCluster } from '../support/cluster.ts'
import { commandLine } from '../support/command-line.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import { multipart, planFields } from '../support/import-form.ts'
import { goodPassword, sameOrigin } from '../support/person.ts'

const rows = 2_000
/** Number of clients in a transaction of an import. */
const perBatch = 50

onOneEngine('sqlite', 'an import of clients in the console whose server is killed', (engine) => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster(engine, { NODE_ENV: 'test' })
  })
  afterAll(() => cluster.stop())
  const call = httpClients()
  const imported = () =>
    readRows(cluster.databaseUrl, `select address from clients where address like 'imported-%'`)

  test('keeps whole batches, and the same file sent again adds the rest once', async () => {
    const { id: businessId } = cluster.business
    const holdfast = commandLine(cluster.databaseUrl, { NODE_ENV: 'test' })
    const made = await holdfast.json(
      ...(['user', 'create', 'ada@example.com', '--role', 'owner', '--business', businessId] as const),
    )
    const { url } = made.link as { url: string }
    const form = { token: new URL(url).hash.slice(1), password: goodPassword }
    // the answer leads on, and its cookie would be lost
    const logIn = await fetch(`${cluster.address(0)}/console/link`, {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(form), headers: sameOrigin },
    })
    const cookie = logIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const send = (parts: Record<string, string | Buffer>) => {
      const { body, type } = multipart(parts)
      return call(cluster.address(0), 'POST', '//console/clients/import', {
        ...{ rawBody: body, headers: { ...sameOrigin, cookie, 'content-type': type } },
      })
    }
    const lines = Array.from({ length: rows }, (_each, n) => `Ann,Imported ${n},imported-${n}@example.com`)
    const file = Buffer.from(['First name,Last name,Email', ...lines].join('\n'))
    const plan = await send({ file })
    expect([plan.status, String(plan.body)]).toEqual([200, expect.stringContaining('import-counts')])
    expect(await imported()).toEqual([]) // a plan writes nothing

    const lost = send({ ...planFields(plan), do: 'import' }).then(
      ({ status }) => status,
      () => 'no answer',
    )
    await eventually('the first batches', async () => ((await imported()).length > 0 ? true : undefined))
    const [server] = cluster.servers
    await server?.kill()
    expect(await lost).toBe('no answer')
    const done = (await imported()).length
    expect(done % perBatch).toBe(0)
    expect(done).toBeLessThan(rows)

    cluster.servers.splice(0, 1, await cluster.start())
    const again = await send({ file })
    const whole = await send({ ...planFields(again), do: 'import' })
    expect(whole.status).toBe(200)
    expect(String(whole.body)).toContain('import-counts')
    const all = (await imported()).map(({ address }) => String(address))
    expect(all).toHaveLength(rows)
    expect(new Set(all).size).toBe(rows)
    expect(await findMiscounted(cluster.databaseUrl)).toEqual([])
  })
})
