/** @module-tag long */
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Engine } from '../../src/database/database.ts'
import { findErrors } from '../support/checker.ts'
import { startCluster, type Cluster } from '../support/cluster.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import { onOneEngine, testIn } from '../support/long.ts'
import { startNotedLoad } from '../support/noted-load.ts'
import { userForPostgres } from '../support/postgres-process.ts'
import { startOwnPostgres } from '../support/postgres-server.ts'
import { makeSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { execute } from '../support/statements.ts'
import type { TestDatabase } from '../support/test-database.ts'

const call = httpClients()

/**
 * Creates a database on the disk: the file of SQLite with its log, or the tables and indexes of PostgreSQL without its
 * log.
 */
async function databaseOn(disk: SmallDisk, engine: Engine): Promise<TestDatabase> {
  if (engine === 'sqlite') {
    return { url: `sqlite:${join(disk.directory, 'holdfast.db')}`, drop: () => disk.remove() }
  }
  const postgres = await startOwnPostgres({ synchronous_commit: 'on' })
  if (!postgres) throw new Error('no PostgreSQL can be started here')
  const space = join(disk.directory, 'space')
  mkdirSync(space)
  const { uid, gid } = await userForPostgres()
  if (uid !== undefined && gid !== undefined) chownSync(space, uid, gid)
  await execute(postgres.url, `create tablespace small location '${space}'`)
  await execute(postgres.url, 'create database holdfast tablespace small')
  const url = new URL(postgres.url)
  url.pathname = '/holdfast'
  const drop = async () => {
    await postgres.stop()
    await disk.remove()
  }
  return { url: url.href, drop }
}

onOneEngine('sqlite', 'a database whose disk is full', (engine) => {
  // PostgreSQL needs a separate server
  testIn(engine === 'sqlite')(
    'refuses changes by 503, is not ready, still answers reads, and recovers without loss',
    async () => {
      const disk = await makeSmallDisk(64)
      if (!disk) {
        console.warn('*** NOT TESTED: a full disk. This process may not mount a file system of its own.')
        return
      }
      const cluster: Cluster = await startCluster(engine, {}, { database: await databaseOn(disk, engine) })
      try {
        const load = await startNotedLoad(cluster, call)
        const done = () => load.answered() - load.refused.length
        const moreIsDone = async () => {
          const before = done()
          await eventually('changes', () => done() > before + 200 || undefined)
        }
        await moreIsDone()
        disk.fill()
        await eventually('refusals', () => load.refused.length > 100 || undefined)
        for (const address of cluster.addresses) {
          const read = await call(address, 'GET', '/services', { token: cluster.business.business_key })
          expect(read.status).toBe(200)
          expect((await call(address, 'GET', '//healthz')).status).toBe(200)
          const unready = { status: 503, body: { status: 'not_ready', reason: 'the database has no room' } }
          const { status, body } = await eventually('no room', async () => {
            const ready = await call(address, 'GET', '//readyz')
            return ready.status === 200 ? undefined : ready
          })
          expect({ status, body }).toEqual(unready)
        }
        disk.clear()
        for (const address of cluster.addresses) {
          await eventually('room', async () => {
            const { status } = await call(address, 'GET', '//readyz')
            return status === 200 || undefined
          })
        }
        await moreIsDone()
        await load.stop()
        expect(load.unexpected).toEqual([])
        expect(new Set(load.refused.map((refusal) => refusal.slice(0, 3)))).toEqual(new Set(['503']))
        expect(await findErrors(cluster.databaseUrl, load.acknowledged)).toEqual([])
      } finally {
        await cluster.stop()
      }
    },
  )
})
