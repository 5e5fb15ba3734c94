import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { cellsOf, commandLine, type CommandLine } from '../support/command-line.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf } from '../support/test-service.ts'

onOneEngine('sqlite', 'busy calendars at the command line', (engine) => {
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
    expect(again.stderr).toContain(
      'holdfast: <url> is already the address of a busy calendar of this staff member',
    )
    receiver.answer = (response) => response.end('nothing')
    await holdfast.refuses(
      ['busy-calendar', 'fetch', id],
      1,
      /is not a calendar .* Times from the last successful fetch still apply/,
    )
    expect(await holdfast.run('busy-calendar', 'fetch', id, '--json')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^\{"error":\{"message":"What is at the address is not a calendar/),
    })
    expect(await holdfast.text('busy-calendar', 'remove', id)).toBe(`busy calendar ${id} is removed\n`)
    expect(await holdfast.text('busy-calendar', 'list')).toContain('(none)')
  })

  test('what is no calendar is not added; one whose server is busy is, with a warning', async () => {
    const [member] = businessOf(world, 'Salon Spree').staff
    const add = ['busy-calendar', 'add', `${receiver.address}/other.ics`, '--staff', member?.id ?? '']
    receiver.answer = (response) => response.end('BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n')
    await holdfast.refuses(add, 1, /was not added\. The file of the calendar ends in the middle\./)
    expect(await holdfast.text('busy-calendar', 'list')).toContain('(none)')
    receiver.answer = (response) => response.writeHead(503).end()
    const added = await holdfast.run(...add)
    expect(added).toMatchObject({
      code: 0,
      stderr: 'warning: The server answered 503. Servers keep trying.\n',
    })
    expect(added.stdout).toMatch(/^busy calendar \S+ at \S+\nIt does not affect availability yet\.\n$/)
    const id = added.stdout.split(' ')[2] ?? ''
    await holdfast.refuses(['busy-calendar', 'fetch', id], 1, /^holdfast: The server answered 503\.\n$/)
    await holdfast.text('busy-calendar', 'remove', id)
  })
})
