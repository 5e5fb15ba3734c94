import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLine, type CommandLine } from '../support/command-line.ts'
import { onOneEngine } from '../support/long.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'

onOneEngine('sqlite', 'what a command is about', (engine) => {
  let database: TestDatabase
  let holdfast: CommandLine
  let twins: string[]
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    holdfast = commandLine(database.url)
    await holdfast.text('hub', 'create', 'Salons of Europe')
    for (const name of ['Salon Spree', 'Spa']) {
      await holdfast.text('business', 'create', name, '--timezone', 'UTC', '--hub', 'Salons of Europe')
      await holdfast.text('location', 'create', 'Mitte', '--business', name)
      await holdfast.text('staff', 'create', 'Anna', '--business', name)
      const service = ['service', 'create', 'Massage', '--business', name, '--duration', '30']
      await holdfast.text(...service, '--location', 'Mitte', '--staff', 'Anna')
    }
    await holdfast.text('location', 'create', 'Harbour', '--business', 'Spa')
    const { data } = await holdfast.json('location', 'list')
    const locations = data as { id: string; name: string }[]
    twins = locations.filter(({ name }) => name === 'Mitte').map(({ id }) => id)
  })
  afterAll(() => database.drop())

  test.each([
    ['hub update', ['hub', 'update', 'Salons of Europe', '--plan', 'enterprise']],
    ['business show', ['business', 'show', 'Spa']],
    ['business update', ['business', 'update', 'Spa', '--plan', 'pro']],
    ['key create of a hub', ['key', 'create', '--hub', 'Salons of Europe']],
    ['key create', ['key', 'create', '--business', 'Spa', '--type', 'publishable']],
    ['session create', ['session', 'create', '--business', 'Spa']],
    ['location update', ['location', 'update', 'Harbour', '--address', 'Quay 1']],
    [
      'block create',
      ['block', 'create', '--location', 'Harbour', '--from', '2027-01-01 09:00', '--to', '2027-01-02 09:00'],
    ],
    ['client block', ['client', 'block', 'ada@example.com', '--business', 'Spa']],
    ['client unblock', ['client', 'unblock', 'ada@example.com', '--business', 'Spa']],
    [
      'webhook create of a hub',
      ['webhook', 'create', '--hub', 'Salons of Europe', '--url', 'http://127.0.0.1:9/'],
    ],
    ['booking list', ['booking', 'list', '--business', 'Spa', '--service', 'Massage', '--staff', 'Anna']],
    ['block list', ['block', 'list', '--business', 'Spa', '--location', 'Mitte']],
  ])('is found by its name: %s', async (_what, args) => {
    await holdfast.json(...args)
  })

  test('a name that several have is refused with the ids of all', async () => {
    const [one = '', other = ''] = twins
    for (const args of [
      ['location', 'update', 'Mitte', '--active'],
      ['booking', 'list', '--location', 'Mitte'],
    ]) {
      const ids = `(${one}, ${other}|${other}, ${one})`
      await holdfast.refuses(args, 2, new RegExp(`"Mitte" can be 2 of them\\. Use the id: ${ids}\\.`))
    }
    await holdfast.text('location', 'update', one, '--active')
  })

  test('a list says whose it is: in its title for one business, in a column for several', async () => {
    await holdfast.text('webhook', 'create', '--business', 'Spa', '--url', 'http://127.0.0.1:9/')
    for (const [word, plural] of [
      ['location', 'Locations'],
      ['staff', 'Staff members'],
      ['service', 'Services'],
      ['booking', 'Bookings'],
      ['block', 'Blocks'],
      ['webhook', 'Webhooks'],
      ['mail', 'Mails'],
    ] as const) {
      const own = await holdfast.text(word, 'list', '--business', 'Spa')
      expect(own.split('\n')[0]).toBe(`${plural} of Spa:`)
      expect(own).not.toContain('BUSINESS')
      const all = await holdfast.text(word, 'list')
      expect(all.split('\n')[0]).toBe(`${plural} of all businesses:`)
      if (word !== 'booking' && word !== 'mail') expect(all).toMatch(/BUSINESS.*\n(.*\n)*.* Spa /)
    }
    expect(await holdfast.text('client', 'list', '--business', 'Spa')).toMatch(/^Blocked clients of Spa:\n/)
    expect(await holdfast.text('key', 'list', '--hub', 'Salons of Europe')).toMatch(
      /^Keys of the hub Salons of Europe:\nID /,
    )
    expect(await holdfast.text('key', 'list')).toMatch(/^All keys:\nID .* OF .*\n(.*\n)*.* Spa /)
    expect(await holdfast.text('block', 'list')).toContain('  location Harbour')
    expect(await holdfast.text('business', 'list')).toMatch(/^All businesses:\n/)
    expect(await holdfast.text('hub', 'list')).toMatch(/^All hubs:\n/)
  })
})
