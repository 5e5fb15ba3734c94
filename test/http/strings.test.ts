import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readName } from '../../src/cli/business-options.ts'
import { expectErrors } from '../support/expect-problem.ts'
import { bookingOf, holdOf, type Tenant, unknownId } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, startTestService, type TestService } from '../support/test-service.ts'

const astronaut = '\u{1f469}\u{1f680}' // two code points, four UTF-16 units

onOneEngine('sqlite', 'strings', (engine) => {
  let service: TestService
  let salon: Tenant
  let token: string
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    token = await service.session(salon)
  })
  afterAll(() => service.stop())

  const book = async (client: object, more: object = {}) =>
    service.call('POST', '/bookings', {
      token,
      body: { hold_id: await holdOf(service, salon, { token }), client: { ...ada, ...client }, ...more },
    })
  const refuse = (client: object, more: object = {}) =>
    service.call('POST', '/bookings', {
      token,
      body: { hold_id: unknownId, client: { ...ada, ...client }, ...more },
    })

  test('are trimmed and kept in Unicode NFC', async () => {
    const booked = await book(
      { first_name: ' \u00a0Zoe\u0308\t', last_name: '\nA\u030angstro\u0308m ', email: ' zoe@example.com ' },
      { notes: '\n  Cafe\u0301 \t' },
    )
    expect(booked).toMatchObject({
      status: 201,
      body: {
        client: { first_name: 'Zo\u00eb', last_name: '\u00c5ngstr\u00f6m', email: 'zoe@example.com' },
        notes: 'Caf\u00e9',
      },
    })
    const [row] = (await service.rows('bookings')).filter(({ id }) => id === booked.body.id)
    expect(row).toMatchObject({ client_first_name: 'Zo\u00eb', notes: 'Caf\u00e9' })
    const read = await service.call('GET', `/bookings/${booked.body.id}`, { token })
    expect(read.body).toEqual(booked.body)
  })

  test('are measured in code points, after trimming and composing', async () => {
    const first_name = astronaut.repeat(50)
    expect(await book({ first_name })).toMatchObject({ status: 201, body: { client: { first_name } } })
    expectErrors(await refuse({ first_name: `${first_name}x` }), '/client/first_name')
    expect((await book({ last_name: `  ${'e\u0301'.repeat(100)}  ` })).body.client.last_name).toHaveLength(
      100,
    )
    expectErrors(await refuse({ last_name: 'e\u0301'.repeat(101) }), '/client/last_name')
    const notes = astronaut.repeat(500)
    expect(await book({}, { notes })).toMatchObject({ status: 201, body: { notes } })
    expectErrors(await refuse({}, { notes: `${notes}.` }), '/notes')
  })

  test('a name of 200 emoji is a name, one of 201 is not', async () => {
    const name = '\u{1f680}'.repeat(200)
    const named = (text: string) =>
      service.call('POST', '/businesses', {
        token: service.world.hub.key,
        body: { name: text, timezone: 'Europe/Berlin' },
      })
    expect(await named(name)).toMatchObject({ status: 201, body: { name } })
    expectErrors(await named(`${name}\u{1f680}`), '/name')
    expect(readName(name)).toBe(name)
    expect(() => readName(`${name}\u{1f680}`)).toThrow('200')
  })

  test.each([' ', '\n', '\u00a0', ''])('the name %j is empty', async (name) => {
    expectErrors(
      await refuse({ first_name: name, last_name: name }),
      '/client/first_name',
      '/client/last_name',
    )
  })

  const forbidden = {
    'U+0000': 'a\u0000b',
    'a NUL alone': '\u0000',
    'a high surrogate': 'a\ud83d',
    'a low surrogate': '\ude80b',
    'swapped surrogates': '\ude80\ud83d',
    'an escape character': 'a\u001b[31m',
    'a carriage return': 'a\rb',
    'a backspace': 'a\bb',
    'a delete character': 'a\u007fb',
    'a C1 control character': 'a\u0085b',
  }

  describe.each(Object.entries(forbidden))('with %s', (_what, text) => {
    test('are refused in every field of a booking, by name', async () => {
      const reply = await refuse(
        { first_name: text, last_name: text, email: `${text}@example.com`, phone: text },
        { notes: text },
      )
      const fields = ['first_name', 'last_name', 'email', 'phone'].map((name) => `/client/${name}`)
      expectErrors(reply, ...fields, '/notes')
    })

    test('are refused in a custom field, as an answer and in a list', async () => {
      const custom_field_values = [
        { field_id: unknownId, value: text },
        { field_id: unknownId, value: ['fine', text] },
        { field_id: text, value: 'fine' },
      ]
      const pointers = ['0/value', '1/value', '2/field_id']
      expectErrors(
        await refuse({}, { custom_field_values }),
        ...pointers.map((at) => `/custom_field_values/${at}`),
      )
    })

    test('are refused in ids, instants and changes', async () => {
      const held = { service_id: text, location_id: text, staff_id: text, starts_at: text }
      const reply = await service.call('POST', '/bookings/hold', { token, body: held })
      expectErrors(reply, ...Object.keys(held).map((name) => `/${name}`))
      const changed = { status: text, notes: text }
      const patched = await service.call('PATCH', `/bookings/${unknownId}`, {
        token: salon.business_key,
        body: changed,
      })
      expectErrors(patched, '/status', '/notes')
    })

    test('are refused as the names of fields', async () => {
      const name = text.toWellFormed()
      expectErrors(await refuse({ [text]: 1 }, { [text]: 1 }), `/client/${name}`, `/${name}`)
    })
  })

  test('new lines and tabs are fine in notes, and in no name', async () => {
    for (const notes of ['Ring twice.\n\tThen wait.', 'From Windows:\r\nThanks']) {
      expect(await book({}, { notes })).toMatchObject({ status: 201, body: { notes } })
    }
    for (const blank of ['\n', '\t']) {
      expectErrors(await refuse({ first_name: `A${blank}B` }), '/client/first_name')
    }
  })

  test('of any script are kept as they are', async () => {
    for (const first_name of [
      "O'Brien\\",
      '</script><b>',
      '=1+1',
      '李小龍',
      'مريم',
      '🏳️‍🌈',
      '%00',
      "'; drop table x",
    ]) {
      const booked = await book({ first_name })
      expect(booked).toMatchObject({ status: 201, body: { client: { first_name } } })
    }
  })

  const emails: [string, boolean][] = [
    ['ada@example.com', true],
    [`${'a'.repeat(242)}@example.com`, true],
    [`${'a'.repeat(243)}@example.com`, false],
    ['ada@@example.com', false],
    ['ada@example@com', false],
    ['ada@example', false],
    ['ada.example.com', false],
    ['@example.com', false],
    ['ada@', false],
    ['ada@.com', false],
    ['ada@example.', false],
    ['ada@example..com', false],
    ['a da@example.com', false],
    ['ada@exa mple.com', false],
    ['ada@exämple.com', true],
    ['', false],
  ]

  test.each(emails)('the e-mail address %j holds: %s', async (email, holds) => {
    if (holds) expect(await book({ email })).toMatchObject({ status: 201, body: { client: { email } } })
    else expectErrors(await refuse({ email }), '/client/email')
  })

  const phones: [string, boolean][] = [
    ['+49 (30) 123-45.67', true],
    ['0'.repeat(32), true],
    ['0'.repeat(33), false],
    ['+49 30 ext. 5', false],
    ['()', false],
    ['٠١٢', false],
  ]

  test.each(phones)('the phone number %j holds: %s', async (phone, holds) => {
    if (holds) expect(await book({ phone })).toMatchObject({ status: 201, body: { client: { phone } } })
    else expectErrors(await refuse({ phone }), '/client/phone')
  })

  test('the client of a booking is found by the e-mail address, whatever its case', async () => {
    const id = await bookingOf(service, salon, {
      token,
      body: { client: { ...ada, email: 'Unique@Example.com' } },
    })
    const found = await service.call('GET', '/bookings?email=unique@example.COM', {
      token: salon.business_key,
    })
    expect(found.body.data).toMatchObject([{ id }])
  })
})
