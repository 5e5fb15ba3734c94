import { readFileSync } from 'node:fs'
import { stripeEvents } from '../../src/payments/stripe-events.ts'
import { stripePermissions } from '../../src/payments/stripe-values.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depositWorld, type DepositWorld } from '../support/deposits.ts'
import { demoWorld, runHoldfast } from '../support/holdfast-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { blocksOf, documentAt } from './documents.ts'

const blocks = blocksOf(documentAt('docs/guides/deposits.md'))
const json = blocks
  .filter(({ language }) => language === 'json')
  .map(({ text }) => JSON.parse(text) as Record<string, unknown>)

let world: DepositWorld
beforeAll(async () => {
  world = await depositWorld('sqlite')
})
afterAll(() => world.stop())

test('a service with the deposit of the guide can be made', async () => {
  const token = world.business.key
  const location = await world.service.call('POST', '/locations', { token, body: { name: 'Main street' } })
  const own = { name: 'Massage', duration_minutes: 30, location_ids: [location.body.id] }
  expect(
    await world.service.call('POST', '/services', { token, body: { ...own, ...json[0] } }),
  ).toMatchObject({
    status: 201,
    body: json[0],
  })
})

test('a service with the fees of the guide can be made', async () => {
  const token = world.business.key
  const location = await world.service.call('POST', '/locations', { token, body: { name: 'Side street' } })
  const own = { name: 'Massage', duration_minutes: 30, location_ids: [location.body.id] }
  expect(
    await world.service.call('POST', '/services', { token, body: { ...own, ...json[2] } }),
  ).toMatchObject({ status: 201, body: json[2] })
})

test('the guide names the permissions of the key and the events of the endpoint', () => {
  const [, setUp = ''] = readFileSync('docs/guides/deposits.md', 'utf8').split('## Set up Stripe')
  const [section = ''] = setUp.split('## ')
  const names = [...section.matchAll(/`([a-z_]+\.[a-z_.]+)`/g)].map(([, name]) => name)
  expect(names.toSorted()).toEqual([...stripeEvents].toSorted())
  for (const name of stripePermissions) expect(section).toContain(name)
})

test('a payment looks as the guide shows it', async () => {
  const { id, sessionId } = await world.due()
  world.service.clock.advance(180)
  await world.paid(sessionId)
  expect((await world.shown(id)).payment).toEqual(json[1])
})

test('the command of the guide works', async () => {
  const [command] = blocks.filter(({ language }) => language === 'sh')
  const [npx, holdfast, ...args] = (command?.text ?? '').trim().split(' ')
  expect([npx, holdfast]).toEqual(['npx', 'holdfast'])
  const database = await createTestDatabase('sqlite')
  await demoWorld(database.url)
  expect(await runHoldfast(args, { variables: { DATABASE_URL: database.url } })).toMatchObject({ code: 0 })
  await database.drop()
})
