import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { cellsOf, commandLine, type CommandLine } from '../support/command-line.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'
import { businessOf, onEachEngine } from '../support/test-service.ts'

onEachEngine('busy calendars at the command line', (engine) => {
  let database: TestDatabase
  let world: DemoWorld
  let holdfast: CommandLine
  let receiver: Receiver
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    world = await demoWorld(database.url)
    holdfast = commandLine(database.url)
    receiver = await startReceiver()
  })
  afterAll(() => Promise.all([database.drop(), receiver.stop()]))

  test('are added, listed, fetched and removed', async () => {
    const [member] = businessOf(world, 'Salon Spree').staff
    receiver.answer = (response) => response.end('BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n')
    const url = `${receiver.address}/secret.ics`
    const added = await holdfast.text('busy-calendar', 'add', url, '--staff', member?.id ?? '')
    const { host } = new URL(url)
    expect(added).toMatch(/^busy calendar \S+ at \S+\nIts times are known until /)
    const id = added.split(' ')[2] ?? ''
    const list = await holdfast.text('busy-calendar', 'list', '--business', 'Salon Spree')
    expect(cellsOf(list)[1]?.slice(0, 3)).toEqual([id, member?.name, host])
    expect(added + list).not.toContain('secret')
    const again = await holdfast.run('busy-calendar', 'add', url, '--staff', member?.id ?? '')
    expect(again.code).not.toBe(0)
    expect(again.stderr).toContain('is already the address of a busy calendar of this staff member')
    receiver.answer = (response) => response.end('nothing')
    expect(await holdfast.text('busy-calendar', 'fetch', id)).toContain('is not a calendar')
    expect(await holdfast.text('busy-calendar', 'remove', id)).toBe(`busy calendar ${id} is removed\n`)
    expect(await holdfast.text('busy-calendar', 'list')).toContain('(none)')
  })
})
