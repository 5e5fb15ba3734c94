import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { commandLine, type CommandLine } from '../support/command-line.ts'
import { demoWorld, startHoldfast } from '../support/holdfast-process.ts'
import { onOneEngine } from '../support/long.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'
import { eventually } from '../support/eventually.ts'
import { readRows } from '../support/checker.ts'
import { businessOf } from '../support/test-service.ts'

onOneEngine('sqlite', 'clients as CSV from the command line', (engine) => {
  let database: TestDatabase
  let world: DemoWorld
  let holdfast: CommandLine
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    world = await demoWorld(database.url)
    holdfast = commandLine(database.url)
  })
  afterAll(() => database.drop())

  test('are planned, imported with --apply, and exported', async () => {
    const at = ['--business', businessOf(world, 'Thames Barbers').id]
    const file = join(mkdtempSync(join(inject('filesDirectory'), 'csv-')), 'clients.csv')
    writeFileSync(file, 'Client,Mobile,Since\n"Lovelace, Ada",020 7946 0000,2019\n,,2020\n')
    const plan = await holdfast.text('client', 'import', file, ...at)
    expect(plan).toMatch(/^Nothing was changed; --apply imports/)
    expect(plan).toContain('new: 1, changed: 0, unchanged: 0, repeated rows: 0, failed: 1')
    expect(plan).toContain('row 3: first name is required')
    const list = () => holdfast.text('client', 'export-list', ...at)
    expect(await list()).not.toContain('Ada')
    const apply = ['client', 'import', file, ...at, '--column', 'Since=note', '--apply']
    expect(await holdfast.json(...apply)).toMatchObject({ dry_run: false, created: 1, failed: 1 })
    expect(await holdfast.json(...apply)).toMatchObject({ created: 0, unchanged: 1, failed: 1 })
    expect(await list()).toContain('Ada,Lovelace,,020 7946 0000,Since: 2019,')
    await holdfast.refuses(['client', 'import', file, ...at, '--column', 'Age=note'], 2, /no heading of "Age/)
    await holdfast.refuses(['client', 'import', file, ...at, '--column', 'Since=age'], 2, /must be one of/)
    await holdfast.refuses(['client', 'import', `${file}.no`, ...at], 2, /cannot be read/)
  })
})

onOneEngine('sqlite', 'an import that is killed', (engine) => {
  test('leaves whole batches, and a repeat completes it', async () => {
    const database = await createMigratedDatabase(engine)
    const { id } = businessOf(await demoWorld(database.url), 'Thames Barbers')
    const file = join(mkdtempSync(join(inject('filesDirectory'), 'csv-')), 'clients.csv')
    const people = Array.from({ length: 2_000 }, (_each, n) => `Ada,Of ${n},ada-${n}@example.com,Note ${n}`)
    writeFileSync(file, ['First name,Last name,Email,Notes', ...people].join('\n'))
    const notes = async () => {
      const query = `select notes from clients where business_id = '${id}' and notes like 'Note %'`
      return (await readRows(database.url, query)).map((row) => row['notes'])
    }
    const args = ['client', 'import', file, '--business', id, '--apply']
    const killed = startHoldfast(args, { variables: { DATABASE_URL: database.url } })
    await eventually('the first batch', async () => (await notes()).length > 0 || undefined)
    killed.signal('SIGKILL')
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
    const before = (await notes()).length
    expect([before % 50, before < 2_000]).toEqual([0, true])
    const again = await commandLine(database.url).json(...args)
    expect(again).toMatchObject({ created: 2_000 - before, unchanged: before, failed: 0 })
    expect(new Set(await notes()).size).toBe(2_000)
    expect(await notes()).toHaveLength(2_000)
    await database.drop()
  })
})
