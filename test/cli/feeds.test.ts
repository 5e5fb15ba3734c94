import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { cellsOf, commandLine, type CommandLine } from '../support/command-line.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf } from '../support/test-service.ts'

onOneEngine('sqlite', 'feeds at the command line', (engine) => {
  let database: TestDatabase
  let world: DemoWorld
  let holdfast: CommandLine
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    world = await demoWorld(database.url)
    holdfast = commandLine(database.url)
  })
  afterAll(() => database.drop())

  test('are made, listed, rotated and deleted', async () => {
    const [member] = businessOf(world, 'Salon Spree').staff
    const made = await holdfast.text('feed', 'create', '--staff', member?.id ?? '', '--detail', 'full')
    const [, id = '', url = ''] = /^feed (\S+)\n(http\S+\/feeds\/[\w-]{43}\.ics)\n/.exec(made) ?? []
    expect(made).toContain('PUBLIC_URL is not set here, so the URL is based on HOST and PORT.')
    const list = await holdfast.text('feed', 'list', '--business', 'Salon Spree')
    expect(cellsOf(list)[1]?.slice(0, 3)).toEqual([id, member?.name, 'full'])
    expect(list).not.toContain('.ics')
    const rotated = await holdfast.text('feed', 'rotate', id)
    expect(rotated).toContain(`feed ${id}\nhttp`)
    expect(rotated).not.toContain(url)
    const publicly = commandLine(database.url, { PUBLIC_URL: 'https://booking.example.com' })
    const again = await publicly.text('feed', 'rotate', id)
    expect(again).toContain(`feed ${id}\nhttps://booking.example.com/feeds/`)
    expect(again).not.toContain('PUBLIC_URL')
    expect(await holdfast.text('feed', 'delete', id)).toBe(`feed ${id} is deleted\n`)
    expect(await holdfast.text('feed', 'list')).toContain('(none)')
  })
})
