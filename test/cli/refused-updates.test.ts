import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { readRows } from '../support/checker.ts'
import { commandLine, type CommandLine } from '../support/command-line.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { businessOf } from '../support/test-service.ts'

const unknown = '01990000-0000-7000-8000-000000000000'
let database: TestDatabase
let world: DemoWorld
let holdfast: CommandLine

beforeAll(async () => {
  database = await createTestDatabase('sqlite')
  world = await demoWorld(database.url)
  holdfast = commandLine(database.url)
})
afterAll(() => database.drop())

test.each([
  [
    ['business', 'update', 'ID', '--limit-per-minute', '0'],
    /whole number of requests from 1 to 1000000; "0"/,
  ],
  [['business', 'update', 'ID', '--max-services', '0'], /catalogue limit .* "0" is not valid/],
  [['business', 'update', 'ID', '--max-staff', '10001'], /from 1 to 10000, or "none"/],
  [['business', 'update', 'ID', '--limit-per-hour', '1.5'], /"1.5" is not valid/],
  [['business', 'update', 'ID', '--limit-per-hour', '1000001'], /"1000001" is not valid/],
  [['business', 'update', 'ID', '--brand-name', ''], /name is one line of 1 to 200/],
  [['business', 'update', 'ID', '--timezone', 'Europe/Pars'], /did you mean Europe\/Paris\?/],
  [['business', 'update', 'ID', '--brand-color', 'red'], /#1a2b3c/],
  [['business', 'update', 'ID'], /Nothing to change: give --name/],
  [['hub', 'update', 'HUB'], /Nothing to change: give --name or --plan/],
  [['hub', 'update', 'HUB', '--name', 'two\nlines'], /one line/],
])('what cannot be is refused with the reason and changes nothing: %j', async (args, reason) => {
  const all = 'select * from businesses order by id'
  const before = await readRows(database.url, all)
  const named = args.map((arg) =>
    arg === 'ID' ? businessOf(world, 'Salon Spree').id : arg === 'HUB' ? world.hub.id : arg,
  )
  await holdfast.refuses(named, 2, reason)
  expect(await readRows(database.url, all)).toEqual(before)
})

test.each([
  [['business', 'show', unknown], /no business .* "holdfast business list" shows them/],
  [['business', 'update', unknown, '--name', 'X'], /no business/],
  [['business', 'list', '--hub', unknown], /no hub .* "holdfast hub list" shows them/],
  [['hub', 'update', unknown, '--plan', 'pro'], /no hub/],
])('an id that resembles none is refused with the command that lists them: %j', (args, reason) =>
  holdfast.refuses(args, 2, reason),
)
