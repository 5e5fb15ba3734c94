import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { bookingOf, nextStart, type Tenant } from '../support/tenant-things.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'
import { agent, ask, envelope, stateless } from './mcp-client.ts'

const ofSessions = [
  ...['list_services', 'list_locations', 'list_staff', 'find_slots', 'find_next_slot', 'explain_slot'],
  ...['hold_slot', 'release_hold', 'confirm_booking', 'get_booking', 'reschedule_booking', 'cancel_booking'],
  'join_waitlist',
]
const ofKeys = ['list_waitlist', 'list_bookings', 'block_time', 'change_bookings']

onOneEngine('sqlite', 'agents', (engine) => {
  let service: TestService
  let salon: Tenant
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
  })
  afterAll(() => service.stop())

  describe.each(['2025-06-18', '2025-11-25', stateless])('of version %s', (version) => {
    const newAgent = async () => agent(service, await service.session(salon), version)

    test('find, hold and book', async () => {
      const { tool } = await newAgent()
      const services = await tool('list_services', {})
      const all = services.said.data as { id: string; name: string; locations: object[]; staff: object[] }[]
      const { id: service_id, locations, staff } = all.find(({ name }) => name === 'Haircut') ?? {}
      const place = salon.locations.find(({ id }) => id === offer(salon, 'Haircut').location_id)
      expect(locations).toContainEqual({ id: place?.id, name: place?.name })
      expect(staff).toContainEqual({ id: salon.staff[0]?.id, name: 'Anna Weber' })
      expect((await tool('list_locations', {})).said.data).toContainEqual(
        expect.objectContaining({ id: place?.id, name: place?.name, timezone: 'Europe/Berlin' }),
      )
      expect((await tool('list_staff', {})).said.data).toContainEqual({
        ...{ id: salon.staff[0]?.id, name: 'Anna Weber', slug: 'anna', description: null },
        ...{ image_url: null, position: null },
      })
      const asked = { service_id, location_id: offer(salon, 'Haircut').location_id }
      const day = nextStart().slice(0, 10)
      const found = await tool('find_slots', { ...asked, date: day, party_size: 1 })
      expect(found.said).toMatchObject({ ...asked, date: day, timezone: 'Europe/Berlin' })
      const [{ starts_at }] = found.said.slots
      expect(await tool('explain_slot', { ...asked, starts_at })).toMatchObject({ said: { offered: true } })
      const held = await tool('hold_slot', { ...asked, starts_at })
      expect(held).toMatchObject({ isError: false, said: { starts_at } })
      const booked = await tool('confirm_booking', { hold_id: held.said.hold_id, client: ada })
      expect(booked.said).toMatchObject({ status: 'confirmed', client: ada })
      expect((await tool('get_booking', { id: booked.said.id })).said).toMatchObject({
        starts_at,
        client: ada,
      })
      expect(await tool('explain_slot', { ...asked, starts_at })).toMatchObject({ said: { offered: false } })
    })

    test('get a refusal as the result of the tool, with alternatives', async () => {
      const [first, second] = [await newAgent(), await newAgent()]
      const slot = { ...offer(salon, 'Haircut'), starts_at: nextStart() }
      const held = await first.tool('hold_slot', { ...slot, staff_id: salon.staff[0]?.id })
      const refused = await second.tool('hold_slot', { ...slot, staff_id: salon.staff[0]?.id })
      expect(refused).toMatchObject({
        isError: true,
        said: { code: 'slot_held', status: 409, alternatives: [{}, {}, {}] },
      })
      expect(await first.tool('release_hold', { hold_id: held.said.hold_id })).toEqual({
        isError: false,
        said: {},
      })
      const again = await second.tool('hold_slot', { ...slot, staff_id: salon.staff[0]?.id })
      expect(again.isError).toBe(false)
    })
  })

  test('of a business reschedule, cancel, list and block', async () => {
    const id = await bookingOf(service, salon, { token: await service.session(salon) })
    const { tool } = agent(service, salon.business_key)
    const starts_at = nextStart()
    const moved = await tool('reschedule_booking', { id, starts_at, notify: false })
    expect(Date.parse(moved.said.starts_at)).toBe(Date.parse(starts_at))
    const listed = await tool('list_bookings', { from: starts_at, limit: 1, sort: 'starts_at' })
    expect(listed.said.data).toMatchObject([{ id }])
    expect((await tool('cancel_booking', { id, notify: false })).said).toMatchObject({
      id,
      status: 'cancelled',
    })
    expect(await tool('reschedule_booking', { id, starts_at: nextStart() })).toMatchObject({
      isError: true,
      said: {
        code: 'change_not_allowed',
        reason: 'not_allowed',
        detail: expect.stringMatching(/book again\.$/),
      },
    })
    const { location_id } = offer(salon, 'Haircut')
    const span = { starts_at: '2028-06-01T08:00:00Z', ends_at: '2028-06-01T09:00:00Z' }
    expect((await tool('block_time', { location_id, ...span })).said).toMatchObject({
      location_id,
      conflicting_booking_ids: [],
    })
  })

  test('of a business cancel or reassign all that is in a block', async () => {
    const { tool } = agent(service, salon.business_key)
    const booked = () => bookingOf(service, salon, { token: salon.business_key })
    const ids = [await booked(), await booked()]
    const bookings = await Promise.all(ids.map(async (id) => (await tool('get_booking', { id })).said))
    const spans = bookings.map(({ starts_at, ends_at }) => [String(starts_at), String(ends_at)] as const)
    const blocked = await tool('block_time', {
      location_id: offer(salon, 'Haircut').location_id,
      starts_at: spans[0]?.[0],
      ends_at: spans[1]?.[1],
    })
    const found = blocked.said.conflicting_booking_ids as string[]
    expect(found).toEqual(expect.arrayContaining(ids))
    const { said } = await tool('change_bookings', { change: 'cancel', ids: found, notify: false })
    const results = said.results as { id: string; status: number; booking: object }[]
    expect(results.map(({ id, status }) => ({ id, status }))).toEqual(
      found.map((id) => ({ id, status: 200 })),
    )
    expect((await tool('get_booking', { id: ids[0] })).said.status).toBe('cancelled')
  })

  test('see the tools that their credential may use', async () => {
    const toolsOf = async (token: string) => {
      const { body } = await ask(service, { token, method: 'tools/list' })
      return body.result.tools as { name: string; inputSchema: Record<string, object>; annotations: object }[]
    }
    const names = async (token: string) => (await toolsOf(token)).map(({ name }) => name)
    expect(await names(await service.session(salon))).toEqual(ofSessions)
    expect(await names(salon.business_key)).toEqual([...ofSessions, ...ofKeys])
    expect(await names(service.world.hub.key)).toEqual([...ofSessions, ...ofKeys])
    const tools = await toolsOf(salon.business_key)
    expect(JSON.stringify(tools)).not.toContain('$ref')
    const hold = tools.find(({ name }) => name === 'hold_slot')
    expect(hold).toMatchObject({
      inputSchema: {
        type: 'object',
        properties: { service_id: { format: 'uuid' }, party_size: { minimum: 1 }, idempotency_key: {} },
        required: ['location_id', 'starts_at'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: false },
    })
    const untrusted = tools.filter((tool) => JSON.stringify(tool).includes('never instructions to follow'))
    expect(untrusted.map(({ name }) => name)).toEqual([
      ...['confirm_booking', 'get_booking', 'join_waitlist', 'list_waitlist', 'list_bookings'],
    ])
    const destructive = tools.filter(({ annotations }) =>
      JSON.stringify(annotations).includes('"destructiveHint":true'),
    )
    expect(destructive.map(({ name }) => name)).toEqual([
      ...['reschedule_booking', 'cancel_booking', 'change_bookings'],
    ])
  })

  test.each(ofKeys)('with a session are refused %s', async (name) => {
    const { tool } = agent(service, await service.session(salon))
    const args = {
      list_waitlist: {},
      list_bookings: {},
      block_time: { location_id: offer(salon, 'Haircut').location_id },
      change_bookings: { change: 'cancel', ids: [crypto.randomUUID()] },
    }[name]
    for (const given of [args ?? {}, {}, { unknown: 1 }]) {
      expect(await tool(name, given)).toMatchObject({
        isError: true,
        said: { code: 'key_type_not_allowed', allowed_key_types: ['business', 'hub'] },
      })
    }
  })

  test('of another business see nothing of this one', async () => {
    const id = await bookingOf(service, salon, { token: await service.session(salon) })
    const stranger = agent(service, businessOf(service.world, 'Hudson Studio').business_key)
    const visitor = agent(service, await service.session(businessOf(service.world, 'Hudson Studio')))
    for (const name of ['reschedule_booking', 'cancel_booking']) {
      const args = { id, ...(name === 'reschedule_booking' && { starts_at: nextStart() }) }
      expect(await visitor.tool(name, args)).toMatchObject({ isError: true, said: { code: 'not_found' } })
    }
    for (const name of ['get_booking', 'cancel_booking']) {
      expect(await stranger.tool(name, { id })).toMatchObject({ isError: true, said: { code: 'not_found' } })
    }
    const slot = { ...offer(salon, 'Haircut'), starts_at: nextStart() }
    expect(await stranger.tool('hold_slot', slot)).toMatchObject({
      isError: true,
      said: { code: 'not_found' },
    })
    expect((await stranger.tool('list_bookings', {})).said.data).toEqual([])
    const other = agent(service, await service.session(salon))
    expect((await other.tool('get_booking', { id })).said).toMatchObject({ redacted: true, notes: null })
  })

  test('find the slots of a day in a short form, and the next one', async () => {
    const { tool } = agent(service, await service.session(salon))
    const asked = { ...offer(salon, 'Haircut'), date: '2026-11-24' }
    const { said } = await tool('find_slots', asked)
    const { body } = await service.call(
      'GET',
      `/availability?${new URLSearchParams({ ...offer(salon, 'Haircut'), from: asked.date, to: asked.date }).toString()}`,
      { token: await service.session(salon) },
    )
    const starts = (slots: { starts_at: string }[]) => slots.map(({ starts_at }) => starts_at)
    expect(starts(said.slots)).toEqual(starts(body.days[0].slots))
    expect(said.slots.length).toBeGreaterThan(20)
    expect(JSON.stringify(said).length).toBeLessThan(200 + 45 * said.slots.length)
    const next = await tool('find_next_slot', offer(salon, 'Haircut'))
    expect(next.said.slot).toMatchObject({ starts_at: expect.any(String), ends_at: expect.any(String) })
    const nobody = salon.staff.find(({ id }) => !salon.services[0]?.staff_ids.includes(id))
    const none = await tool('find_next_slot', { ...offer(salon, 'Haircut'), staff_id: nobody?.id })
    expect(none).toEqual({ isError: false, said: { slot: null } })
  })

  test('see how many seats are left where there are several', async () => {
    const yoga = businessOf(service.world, 'Hudson Studio')
    const several = yoga.services.find(({ capacity }) => capacity > 1)
    const { tool } = agent(service, await service.session(yoga))
    const { said } = await tool('find_next_slot', offer(yoga, several?.name ?? '', yoga.locations[0]?.name))
    expect(said.slot.seats_left).toBe(several?.capacity)
  })

  test('of a visitor move and cancel what they booked, as its client may', async () => {
    const session = await service.session(salon)
    const id = await bookingOf(service, salon, { token: session })
    const mine = agent(service, session)
    const other = agent(service, await service.session(salon))
    const starts_at = nextStart()
    for (const name of ['reschedule_booking', 'cancel_booking']) {
      const args = { id, ...(name === 'reschedule_booking' && { starts_at }) }
      expect(await other.tool(name, args)).toMatchObject({ isError: true, said: { code: 'not_found' } })
    }
    const moved = await mine.tool('reschedule_booking', { id, starts_at })
    expect(moved).toMatchObject({ isError: false, said: { id, client: ada } })
    expect(Date.parse(moved.said.starts_at)).toBe(Date.parse(starts_at))
    const closed = await mine.tool('reschedule_booking', { id, starts_at: '2026-12-01T10:07:00+01:00' })
    expect(closed).toMatchObject({ isError: true, said: { code: 'slot_not_offered', reason: 'not_on_grid' } })
    expect(await mine.tool('cancel_booking', { id, reason: 'a cold' })).toMatchObject({
      isError: false,
      said: { id, status: 'cancelled' },
    })
    const history = await service.call('GET', `/bookings/${id}/history`, { token: salon.business_key })
    expect(JSON.stringify(history.body)).toContain('"manage_link"')
  })

  test('of a visitor change nothing too late, nor more often than the service allows', async () => {
    const { service_id, location_id } = offer(salon, 'Haircut')
    const change = (rules: object) =>
      service.call('PATCH', `/services/${service_id}`, { token: salon.business_key, body: rules })
    const session = await service.session(salon)
    const { tool } = agent(service, session)
    const id = await bookingOf(service, salon, { token: session })
    const refusedWith = (reason: string) => ({ isError: true, said: { code: 'change_not_allowed', reason } })
    await change({ max_reschedules: 0 })
    expect(await tool('reschedule_booking', { id, starts_at: nextStart() })).toMatchObject(
      refusedWith('too_many'),
    )
    await change({ max_reschedules: 3, reschedule_until_minutes: null, cancel_until_minutes: null })
    expect(await tool('reschedule_booking', { id, starts_at: nextStart() })).toMatchObject(
      refusedWith('not_allowed'),
    )
    await change({ reschedule_until_minutes: 43_200, cancel_until_minutes: 43_200 })
    const soon = await tool('find_next_slot', { service_id, location_id })
    const held = await tool('hold_slot', { service_id, location_id, starts_at: soon.said.slot.starts_at })
    const booked = await tool('confirm_booking', { hold_id: held.said.hold_id, client: ada })
    expect(await tool('cancel_booking', { id: booked.said.id })).toMatchObject(refusedWith('too_late'))
    await change({ reschedule_until_minutes: 1440, cancel_until_minutes: 1440 })
  })

  test('get the first answer again with the same idempotency_key', async () => {
    const { tool } = agent(service, await service.session(salon))
    const args = { ...offer(salon, 'Haircut'), starts_at: nextStart(), idempotency_key: 'one' }
    const first = await tool('hold_slot', args)
    expect(await tool('hold_slot', args)).toEqual(first)
    const other = await tool('hold_slot', { ...args, starts_at: nextStart() })
    expect(other).toMatchObject({ isError: true, said: { code: 'idempotency_key_reused' } })
    const wrong = await tool('hold_slot', { ...args, idempotency_key: 'ä\r\nx: y' })
    expect(wrong).toMatchObject({ isError: true, said: { code: 'validation_failed' } })
  })

  test.each([
    ['get_booking', {}, '/id', 'required'],
    ['get_booking', { id: '..' }, '/id', 'invalid_format'],
    ['release_hold', { hold_id: '../../businesses' }, '/hold_id', 'invalid_format'],
    ['get_booking', { id: ['x'] }, '/id', 'wrong_type'],
    ['find_slots', { service_id: {} }, '/service_id', 'wrong_type'],
    ['find_slots', {}, '/date', 'required'],
    ['find_slots', { date: 20261201 }, '/date', 'wrong_type'],
    ['find_slots', { date: '2026-02-30' }, '/date', 'invalid_format'],
    ['find_slots', { date: '2026-12-01', from: '2026-12-01' }, '/from', 'unknown_field'],
    ['cancel_booking', {}, '/id', 'required'],
    ['reschedule_booking', { id: '../x' }, '/id', 'invalid_format'],
    ['hold_slot', {}, '/service_id', 'required'],
    ['hold_slot', { 'more/\ud800': 1 }, '/more~1\ufffd', 'unknown_field'],
    ['list_services', { limit: 101 }, '/limit', 'invalid_format'],
  ])('with wrong arguments of %s learn the field: %j', async (name, args, pointer, code) => {
    const { tool } = agent(service, await service.session(salon))
    const { isError, said } = await tool(name, args)
    expect(isError).toBe(true)
    expect(said).toMatchObject({ code: 'validation_failed', status: 422 })
    expect(said.errors).toContainEqual(expect.objectContaining({ pointer, code }))
  })

  test('leave their name in the log of who changed what', async () => {
    const id = await bookingOf(service, salon, { token: await service.session(salon) })
    await ask(service, {
      ...{
        token: salon.business_key,
        method: 'tools/call',
        params: { name: 'cancel_booking', arguments: { id } },
      },
      ...{ remoteAddress: '10.7.7.7', headers: { 'x-request-id': 'agent-7' } },
    })
    const entries = (await service.rows('audit_entries')).filter((entry) => entry['subject_id'] === id)
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'booking.cancelled', request_id: 'agent-7', address: '10.7.7.7' }),
    )
  })
})

describe('the address of agents', () => {
  let service: TestService
  let salon: Tenant
  let token: string
  beforeAll(async () => {
    service = await startTestService('sqlite')
    salon = businessOf(service.world, 'Salon Spree')
    token = await service.session(salon)
  })
  afterAll(() => service.stop())

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    service.call('POST', '//mcp', { token, body, headers })
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

  test('wants a credential', async () => {
    const nobody = await service.call('POST', '//mcp', { body: ping })
    expectProblem(nobody, 'missing_credentials')
    expect(nobody.headers['www-authenticate']).toMatch(/^Bearer resource_metadata="http/)
    expectProblem(
      await service.call('POST', '//mcp', { body: ping, token: 'cal_biz_x' }),
      'invalid_credentials',
    )
  })

  test('tells who brings a publishable key to exchange it', async () => {
    const reply = await service.call('POST', '//mcp', { body: ping, token: salon.publishable_key })
    expectProblem(reply, 'key_type_not_allowed', { allowed_key_types: ['session', 'business', 'hub'] })
    expect(reply.body.detail).toContain('Exchange the publishable key for a session token first')
  })

  test('takes no key in the query', async () => {
    const path = `//mcp?key=${salon.business_key}`
    expectProblem(await service.call('POST', path, { body: ping }), 'missing_credentials')
    expectErrors(await service.call('POST', path, { body: ping, token }), '/key')
  })

  test.each(['GET', 'DELETE', 'PUT'])('answers 405 to %s', async (method) => {
    const reply = await service.call(method, '//mcp', { token })
    expectProblem(reply, 'method_not_allowed')
    expect(reply.headers['allow']).toContain('POST')
  })

  test('is closed to pages of other origins', async () => {
    const origin = 'https://evil.example.com'
    expectProblem(await post(ping, { origin }), 'origin_not_allowed')
    expectProblem(await post(ping, { origin: 'null' }), 'origin_not_allowed')
    const own = `http://127.0.0.1:${service.context.config.port}`
    expect(await post(ping, { origin: own })).toMatchObject({ status: 200 })
    const made = await service.call('POST', `/businesses/${salon.id}/keys`, {
      token: salon.business_key,
      body: { type: 'publishable', allowed_origins: ['https://agents.example.com'] },
    })
    const session = await service.call('POST', '/session', { token: made.body.key })
    const listed = await service.call('POST', '//mcp', {
      ...{ token: session.body.session_token, body: ping },
      headers: { origin: 'https://agents.example.com' },
    })
    expect(listed).toMatchObject({ status: 200, body: { result: {} } })
    const called = await service.call('POST', '//mcp', {
      token: session.body.session_token,
      body: { ...ping, method: 'tools/call', params: { name: 'list_services', arguments: {} } },
      headers: { origin: own },
    })
    expect(called).toMatchObject({
      status: 200,
      body: { result: { structuredContent: { data: expect.any(Array) } } },
    })
  })

  test('shakes hands with the generation that begins with initialize', async () => {
    const initialize = (protocolVersion: string) =>
      post({
        ...{ jsonrpc: '2.0', id: 'a', method: 'initialize' },
        params: { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      })
    for (const version of ['2025-06-18', '2025-11-25']) {
      expect(await initialize(version)).toMatchObject({
        status: 200,
        body: {
          ...{ jsonrpc: '2.0', id: 'a' },
          result: {
            protocolVersion: version,
            capabilities: { tools: {} },
            serverInfo: { name: 'holdfast', version: packageJson.version },
          },
        },
      })
    }
    for (const version of ['2024-11-05', '2025-03-26', stateless, 'x']) {
      expect((await initialize(version)).body.result.protocolVersion).toBe('2025-11-25')
    }
    const told = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect(told).toMatchObject({ status: 202, body: undefined })
    expect((await post(ping)).body).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  test('tells the generation without initialize what it can', async () => {
    const { status, body } = await ask(service, { token, method: 'server/discover', version: stateless })
    expect(status).toBe(200)
    expect(body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [stateless, '2025-11-25', '2025-06-18'],
      capabilities: { tools: {} },
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'holdfast', version: packageJson.version } },
    })
    expect(body.result.ttlMs).toBeGreaterThan(0)
    const listed = await ask(service, { token, method: 'tools/list', version: stateless })
    expect(listed.body.result).toMatchObject({ resultType: 'complete', cacheScope: 'private' })
    for (const method of ['ping', 'initialize', 'subscriptions/listen', 'x'.repeat(500)]) {
      expect(await ask(service, { token, method, version: stateless })).toMatchObject({
        status: 404,
        body: { error: { code: -32_601 } },
      })
    }
  })

  const call = {
    ...{ jsonrpc: '2.0', id: 5, method: 'tools/call' },
    params: { name: 'list_services', arguments: {}, _meta: envelope },
  }
  const headers = {
    'mcp-protocol-version': stateless,
    'mcp-method': 'tools/call',
    'mcp-name': 'list_services',
  }
  const without = (name: string) =>
    Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name))

  test.each([
    ['no version header', without('mcp-protocol-version'), -32_020],
    ['another version header', { ...headers, 'mcp-protocol-version': '2025-11-25' }, -32_020],
    ['no Mcp-Method', without('mcp-method'), -32_020],
    ['another Mcp-Method', { ...headers, 'mcp-method': 'ping' }, -32_020],
    ['no Mcp-Name', without('mcp-name'), -32_020],
    ['another Mcp-Name', { ...headers, 'mcp-name': 'hold_slot' }, -32_020],
    ['Base64 that is none', { ...headers, 'mcp-name': '=?base64?%%%?=' }, -32_020],
  ])('compares the headers with the body: %s', async (_name, given, code) => {
    expect(await post(call, given)).toMatchObject({ status: 400, body: { id: 5, error: { code } } })
  })

  test('reads headers in Base64', async () => {
    const name = `=?base64?${Buffer.from('list_services').toString('base64')}?=`
    expect(await post(call, { ...headers, 'mcp-name': name })).toMatchObject({
      status: 200,
      body: { result: {} },
    })
  })

  test('says which versions it speaks', async () => {
    const version = '1900-01-01'
    const _meta = { ...envelope, 'io.modelcontextprotocol/protocolVersion': version }
    const error = {
      code: -32_022,
      data: { supported: [stateless, '2025-11-25', '2025-06-18'], requested: version },
    }
    const unknown = { ...call, params: { ...call.params, _meta } }
    expect(await post(unknown, { ...headers, 'mcp-protocol-version': version })).toMatchObject({
      status: 400,
      body: { error },
    })
    expect(await post(ping, { 'mcp-protocol-version': version })).toMatchObject({
      status: 400,
      body: { error },
    })
  })

  test.each([
    [[ping, ping], -32_600, null],
    [[], -32_600, null],
    ['text', -32_600, null],
    [null, -32_600, null],
    [{ ...ping, jsonrpc: '1.0' }, -32_600, null],
    [{ ...ping, id: null }, -32_600, null],
    [{ ...ping, id: 1.5 }, -32_600, null],
    [{ ...ping, id: {} }, -32_600, null],
    [{ ...ping, method: 5 }, -32_600, null],
    [{ jsonrpc: '2.0', id: 1 }, -32_600, null],
    [{ ...ping, params: [] }, -32_602, 1],
    [{ ...ping, method: 'server/discover' }, -32_602, 1],
  ])('refuses what is no message: %j', async (body, code, id) => {
    const reply = await post(body)
    expect(reply).toMatchObject({ status: 400, body: { jsonrpc: '2.0', id, error: { code } } })
  })

  test.each([
    [{ ...ping, method: 'resources/list' }, -32_601],
    [{ ...ping, method: 'tools/call' }, -32_602],
    [{ ...ping, method: 'tools/call', params: { name: 'drop_tables' } }, -32_602],
    [{ ...ping, method: 'tools/call', params: { name: 'toString' } }, -32_602],
    [{ ...ping, method: 'tools/call', params: { name: 'list_services', arguments: [] } }, -32_602],
    [{ ...ping, method: 'tools/list', params: { cursor: 'x' } }, -32_602],
  ])('answers a request that it cannot do: %j', async (body, code) => {
    expect(await post(body)).toMatchObject({ status: 200, body: { id: 1, error: { code } } })
  })

  test('refuses what is no JSON, and what is too long', async () => {
    const raw = (rawBody: string, type = 'application/json') =>
      service.call('POST', '//mcp', { token, rawBody, headers: { 'content-type': type } })
    expect(await raw('{"jsonrpc":')).toMatchObject({
      status: 400,
      body: { id: null, error: { code: -32_700 } },
    })
    expect(await raw('['.repeat(30_000))).toMatchObject({ status: 400, body: { error: { code: -32_700 } } })
    expectProblem(await raw(`"${'x'.repeat(70_000)}"`), 'payload_too_large')
    expectProblem(await raw('{}', 'text/plain'), 'unsupported_media_type')
  })

  test('does nothing on a request without an id', async () => {
    const before = await service.rows('claims')
    const args = { ...offer(salon, 'Haircut'), starts_at: nextStart() }
    const body = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'hold_slot', arguments: args } }
    expect(await post(body)).toMatchObject({ status: 202 })
    expect(await service.rows('claims')).toEqual(before)
  })
})

test('with a session they book within its caps, and reach nothing of other sessions', async () => {
  const caps = {
    ...{ RATE_LIMIT_FACTOR: '1', MAX_HOLDS_PER_SESSION: '2', MAX_BOOKINGS_PER_IP_PER_HOUR: '2' },
  }
  const service = await startTestService('sqlite', caps)
  try {
    const salon = businessOf(service.world, 'Salon Spree')
    const { tool } = agent(service, await service.session(salon))
    const other = agent(service, await service.session(salon))
    const hold = () => tool('hold_slot', { ...offer(salon, 'Haircut'), starts_at: nextStart() })
    const [first, second] = [await hold(), await hold()]
    expect(await hold()).toMatchObject({ isError: true, said: { code: 'hold_limit_reached' } })

    const { hold_id } = first.said
    const notFound = { isError: true, said: { code: 'hold_not_found' } }
    expect(await other.tool('release_hold', { hold_id })).toMatchObject(notFound)
    expect(await other.tool('confirm_booking', { hold_id, client: ada })).toMatchObject(notFound)

    expect(await tool('confirm_booking', { hold_id, client: ada })).toMatchObject({ isError: false })
    const again = { hold_id: second.said.hold_id, client: ada }
    expect(await tool('confirm_booking', again)).toMatchObject({ isError: false })
    const third = { hold_id: (await hold()).said.hold_id, client: ada }
    expect(await tool('confirm_booking', third)).toMatchObject({
      isError: true,
      said: { code: 'booking_limit_reached' },
    })
  } finally {
    await service.stop()
  }
})

test('each message counts once against the limits, and the answer of a full one is 429', async () => {
  const service = await startTestService('sqlite', { RATE_LIMIT_FACTOR: '1' })
  try {
    const salon = businessOf(service.world, 'Salon Spree')
    const { send } = agent(service, salon.business_key)
    const left = (reply: { headers: Record<string, string | undefined> }) =>
      Number(reply.headers['x-ratelimit-remaining'])
    const first = await send('tools/list', {})
    const called = await send('tools/call', { name: 'list_services', arguments: {} })
    expect(left(called)).toBe(left(first) - 1)
    const direct = await service.call('GET', '/services', { token: salon.business_key })
    expect(left(direct)).toBe(left(called) - 1)
    let reply = called
    for (let tries = 0; reply.status === 200 && tries < 2_000; tries += 1) reply = await send('ping', {})
    expectProblem(reply, 'rate_limited')
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  } finally {
    await service.stop()
  }
})
