import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { readRows } from '../support/checker.ts'
import { runCommand } from '../support/command-line.ts'
import { demoWorld, runHoldfast } from '../support/holdfast-process.ts'
import { httpClients } from '../support/http-client.ts'
import { onOneEngine } from '../support/long.ts'
import { type ServerProcess, startServer, withoutLimits } from '../support/server-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { ada } from '../support/test-service.ts'

const call = httpClients()

onOneEngine('sqlite', 'holdfast demo', (engine) => {
  let database: TestDatabase
  let first: DemoWorld
  let second: DemoWorld
  let server: ServerProcess
  beforeAll(async () => {
    database = await createTestDatabase(engine)
    first = await demoWorld(database.url)
    server = await startServer(database.url, withoutLimits)
    // in a separate process while the server is running
    const again = await runHoldfast(['demo', '--json'], { variables: { DATABASE_URL: database.url } })
    expect(again, again.stderr).toMatchObject({ code: 0, stderr: '' })
    second = JSON.parse(again.stdout) as DemoWorld
  })
  afterAll(async () => {
    await server.stop()
    await database.drop()
  })

  test('prints exactly the fields that scripts rely on', () => {
    expect(Object.keys(first)).toEqual(['hub', 'businesses'])
    expect(Object.keys(first.hub).toSorted()).toEqual(['id', 'key', 'name', 'plan'])
    for (const business of first.businesses) {
      expect(Object.keys(business).toSorted()).toEqual(
        [
          ['id', 'hub_id', 'name', 'plan', 'timezone', 'business_key', 'publishable_key'],
          ['locations', 'staff', 'services'],
        ]
          .flat()
          .toSorted(),
      )
      for (const location of business.locations) {
        expect(Object.keys(location).toSorted()).toEqual(['id', 'name', 'timezone'])
      }
      for (const member of business.staff) expect(Object.keys(member).toSorted()).toEqual(['id', 'name'])
      for (const service of business.services) {
        expect(Object.keys(service).toSorted()).toEqual(
          [
            ['id', 'name', 'duration_minutes', 'capacity', 'deposit'],
            ['location_ids', 'staff_ids', 'custom_fields'],
          ]
            .flat()
            .toSorted(),
        )
      }
    }
  })

  test('makes an Enterprise hub with two businesses, and one Pro and one Growth business outside it', () => {
    expect(first.hub.plan).toBe('enterprise')
    const outline = first.businesses.map(({ hub_id, plan, timezone }) => [hub_id, plan, timezone])
    expect(outline).toEqual([
      [first.hub.id, 'enterprise', 'Europe/Berlin'],
      [first.hub.id, 'enterprise', 'America/New_York'],
      [null, 'pro', 'Asia/Kolkata'],
      [null, 'growth', 'Europe/London'],
    ])
  })

  test('gives every business two locations, three people and five services', () => {
    const currencies = ['EUR', 'USD', 'INR', 'GBP']
    for (const [index, { locations, staff, services, timezone }] of first.businesses.entries()) {
      const everywhere = locations.map(({ id }) => id)
      const [one, two, three] = staff.map(({ id }) => id)
      const deposit = { amount: 2500, currency: currencies[index] }
      expect(locations).toHaveLength(2)
      expect(locations).toMatchObject([{ timezone }, { name: 'Online', timezone }])
      expect(services).toMatchObject([
        { name: 'Haircut', duration_minutes: 30, capacity: 1, deposit: null, staff_ids: [one, two] },
        { name: 'Consultation', duration_minutes: 60, capacity: 1, deposit: null, staff_ids: [] },
        { name: 'Yoga class', duration_minutes: 60, capacity: 8, deposit: null, staff_ids: [three] },
        { name: 'Meeting room', duration_minutes: 60, capacity: 1, deposit: null, staff_ids: [] },
        { name: 'Treatment', duration_minutes: 90, capacity: 1, deposit, staff_ids: [two, three] },
      ])
      expect(services.map(({ location_ids }) => location_ids)).toEqual(Array(5).fill(everywhere))
      expect(services.map(({ custom_fields }) => custom_fields.map(({ required }) => required))).toEqual([
        [],
        [true, false],
        [],
        [],
        [],
      ])
    }
  })

  test('stores what the printed data does not show: buffer, grid, horizon, hours, one white label', async () => {
    const services = await readRows(
      database.url,
      `select distinct name, buffer_before_minutes, buffer_after_minutes, slot_interval_minutes, max_advance_days
         from services where name in ('Haircut', 'Consultation') order by name`,
    )
    const common = { buffer_before_minutes: 0, slot_interval_minutes: 15, max_advance_days: null }
    expect(services.map((row) => ({ ...row }))).toEqual([
      { ...common, name: 'Consultation', buffer_after_minutes: 10 },
      { ...common, name: 'Haircut', buffer_after_minutes: 0 },
    ])
    const open = await readRows(database.url, `select name from locations where weekly_hours_json is null`)
    expect(open.map(({ name }) => name)).toEqual(Array(4).fill('Online'))
    const branded = await readRows(
      database.url,
      `select timezone from businesses where brand_name is not null`,
    )
    expect(branded.map(({ timezone }) => timezone)).toEqual(['Europe/Berlin'])
  })

  test('gives the first business rooms, and services with steps, needs and terms', async () => {
    const [salon] = first.businesses
    const [, ben] = salon?.staff ?? []
    const rooms = await readRows(
      database.url,
      `select name, quantity, business_id from resources order by name`,
    )
    expect(rooms.map((row) => ({ ...row }))).toEqual([
      { name: 'Basin', quantity: 1, business_id: salon?.id },
      { name: 'Massage room', quantity: 2, business_id: salon?.id },
    ])
    const token = salon?.business_key ?? ''
    const { body } = await call(server.address, 'GET', '/services', { token })
    const services = body.data as { name: string }[]
    const steps = (...minutes: number[]) =>
      minutes.map((length, index) => ({ minutes: length, staffed: index !== 1 }))
    expect(services.find(({ name }) => name === 'Colour')).toMatchObject({
      ...{ duration_minutes: 90, steps: steps(30, 35, 25) },
      needs: [{ quantity: 1, during: 'staffed' }],
      terms: [{ staff_id: ben?.id, price: { amount: 6_300, currency: 'EUR' }, steps: steps(40, 35, 30) }],
    })
    expect(services.find(({ name }) => name === 'Massage')).toMatchObject({
      ...{ duration_minutes: 60, steps: null },
      needs: [{ quantity: 1, during: 'all' }],
    })
  })

  test('run again, it gives the same ids and new keys', () => {
    expect(second).toEqual({
      hub: { ...first.hub, key: second.hub.key },
      businesses: first.businesses.map((business, index) => ({
        ...business,
        business_key: second.businesses[index]?.business_key,
        publishable_key: second.businesses[index]?.publishable_key,
      })),
    })
    const keysOf = (world: DemoWorld) => [
      world.hub.key,
      ...world.businesses.flatMap((business) => [business.business_key, business.publishable_key]),
    ]
    expect(new Set([...keysOf(first), ...keysOf(second)]).size).toBe(18)
  })

  test('all its keys work, but for business keys below Enterprise', async () => {
    for (const world of [first, second]) {
      expect(await statusOf(world.hub.key, 'GET', '/services')).toBe('200')
      for (const { plan, business_key, publishable_key } of world.businesses) {
        expect(await statusOf(publishable_key, 'POST', '/session')).toBe('201')
        const expected = plan === 'enterprise' ? '200' : '403 plan_required'
        expect(await statusOf(business_key, 'GET', '/services')).toBe(expected)
      }
    }
  })

  test('every service of every business can be held with what it prints', async () => {
    const day = new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10)
    for (const { publishable_key, services, locations } of second.businesses) {
      const session = await call(server.address, 'POST', '/session', { token: publishable_key })
      const token = String(session.body.session_token)
      for (const [index, service] of services.entries()) {
        const starts_at = `${day}T${String(8 + 2 * index).padStart(2, '0')}:00:00Z`
        const body = { service_id: service.id, location_id: locations[1]?.id, starts_at }
        const hold = await call(server.address, 'POST', '/bookings/hold', { token, body })
        expect(hold.status).toBe(201)
        const required = service.custom_fields.filter((field) => field.required)
        const custom_field_values = required.map(({ id }) => ({ field_id: id, value: 'a first talk' }))
        const conversion = { hold_id: hold.body.hold_id, client: ada, custom_field_values }
        const booked = await call(server.address, 'POST', '/bookings', { token, body: conversion })
        if (service.deposit === null) expect(booked.status).toBe(201)
      }
    }
  })

  test('prints lines for people without --json', async () => {
    const ran = await runCommand(['demo'], { DATABASE_URL: database.url })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout.match(/cal_(hub|biz|pub)_\w{38}/g)).toHaveLength(9)
  })

  test('in production it wants to be asked twice', async () => {
    const variables = { DATABASE_URL: database.url, NODE_ENV: 'production' }
    const refused = await runCommand(['demo'], variables)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('--yes')
    expect(await runCommand(['demo', '--yes'], variables)).toMatchObject({ code: 0 })
  })

  async function statusOf(token: string, method: string, path: string): Promise<string> {
    const { status, body } = await call(server.address, method, path, { token })
    return status < 400 ? String(status) : `${status} ${String(body.code)}`
  }
})
