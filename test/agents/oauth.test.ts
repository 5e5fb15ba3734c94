import { afterEach, describe, expect, test } from 'vitest'
import { issueLink, setPersonDisabled } from '../../src/access/person.ts'
import { programOf } from '../../src/access/program.ts'
import { jobs } from '../../src/server.ts'
import type { PersonRole } from '../../src/database/tables.ts'
import { textOf } from '../support/console.ts'
import { goodPassword, logInNewPerson, sendForm } from '../support/person.ts'
import {
  callTool,
  codeFor,
  connectProgram,
  decide,
  exchange,
  mcp,
  refresh,
  register,
  registerProgram,
  requestOf,
  returnTo,
  sendOAuth,
  type TestTokens,
  toolNames,
} from '../support/program.ts'
import { nextStart } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

const site = 'https://book.example.com'

const reading = [
  ...['list_services', 'list_locations', 'list_staff', 'find_slots', 'find_next_slot', 'explain_slot'],
  ...['get_booking', 'list_bookings'],
]
const booking = ['hold_slot', 'release_hold', 'confirm_booking', 'reschedule_booking', 'cancel_booking']
const managing = ['block_time', 'change_bookings']
const ofWaitlist = ['join_waitlist', 'list_waitlist']

onOneEngine('sqlite', 'a program', (engine) => {
  let here: TestService
  const start = async (variables: Record<string, string> = {}) => {
    here = await startTestService(engine, { PUBLIC_URL: site, ...variables })
    return here
  }
  afterEach(() => here.stop())
  const salon = () => businessOf(here.world, 'Salon Spree')
  const otherBusiness = () => {
    const other = here.world.businesses.find(({ id }) => id !== salon().id)
    if (!other) throw new Error('the demo world has one business')
    return other
  }
  const person = (role: PersonRole = 'owner', email = `${role}@example.com`, more = {}) =>
    logInNewPerson(here, { email, role, place: { businessId: salon().id }, ...more })
  const own = () => ({ businessId: salon().id })

  test('finds the way to a person from a 401 of /mcp', async () => {
    await start()
    const refused = await mcp(here, undefined, 'tools/list')
    expect(refused.status).toBe(401)
    const metadata = `${site}/.well-known/oauth-protected-resource/mcp`
    expect(refused.headers['www-authenticate']).toBe(`Bearer resource_metadata="${metadata}"`)
    expect(refused.headers['access-control-allow-origin']).toBe('*')
    expect(refused.headers['access-control-expose-headers']).toContain('WWW-Authenticate')
    const wrong = await mcp(here, 'cal_oat_nothing', 'tools/list')
    expect(wrong.headers['www-authenticate']).toBe(
      `Bearer error="invalid_token", resource_metadata="${metadata}"`,
    )
    for (const path of ['', '/mcp']) {
      const { body } = await here.call('GET', `//.well-known/oauth-protected-resource${path}`)
      expect(body).toMatchObject({ resource: `${site}/mcp`, authorization_servers: [site] })
    }
    const { body } = await here.call('GET', '//.well-known/oauth-authorization-server')
    expect(body).toMatchObject({
      issuer: site,
      authorization_endpoint: `${site}/console/authorize`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    })
    // other routes are as before
    expect((await here.call('GET', '/services')).headers['www-authenticate']).toBe('Bearer')
  })

  test('acts for a person in one business, and no further than its scope', async () => {
    await start()
    const owner = await person()
    const program = await registerProgram(here)
    const back = await decide(here, owner, program, { ...own(), scope: 'read' })
    expect(back.status).toBe(303)
    const to = new URL(back.headers['location'] ?? '')
    expect(`${to.origin}${to.pathname}`).toBe(returnTo)
    expect(Object.fromEntries(to.searchParams)).toMatchObject({ state: 'a state', iss: site })
    const { body, headers } = await exchange(here, program, to.searchParams.get('code') ?? '')
    expect(headers).toMatchObject({ 'cache-control': 'no-store' })
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'read' })
    const { access_token: token } = body as TestTokens
    expect(await toolNames(here, token)).toEqual(expect.arrayContaining([...reading, 'list_waitlist']))
    expect(await toolNames(here, token)).not.toEqual(expect.arrayContaining(['hold_slot']))
    const starts_at = nextStart()
    const wanted = { ...offer(salon(), 'Haircut'), starts_at }
    expect(await callTool(here, token, 'hold_slot', wanted)).toMatchObject({
      ...{ status: 403, code: 'insufficient_scope', required_scopes: ['book'] },
    })
    expect(await here.rows('claims')).toEqual([])
    const booker = (await connectProgram(here, owner, { ...own(), scope: 'book' })).tokens
    expect((await toolNames(here, booker.access_token)).toSorted()).toEqual(
      [...reading, ...booking, ...ofWaitlist].toSorted(),
    )
    expect(booker.scope).toBe('read book')
    const { hold_id } = await callTool(here, booker.access_token, 'hold_slot', wanted)
    const booked = await callTool(here, booker.access_token, 'confirm_booking', { hold_id, client: ada })
    expect(booked).toMatchObject({ status: 'confirmed' })
    const block = { starts_at, ends_at: starts_at.replace('T1', 'T2'), staff_id: salon().staff[0]?.id }
    expect(await callTool(here, booker.access_token, 'block_time', block)).toMatchObject({ status: 403 })
    const manager = (await connectProgram(here, owner, own())).tokens.access_token
    expect((await toolNames(here, manager)).toSorted()).toEqual(
      [...reading, ...booking, ...ofWaitlist, ...managing].toSorted(),
    )
    const [entry] = (await here.rows('audit_entries')).filter(({ action }) => action === 'booking.created')
    expect(entry).toMatchObject({ actor_type: 'person', actor_id: owner.userId })
    expect(entry?.['actor_name']).toMatch(/ \(Agent\)$/)
  })

  test('has the rights of the role of its person', async () => {
    await start()
    const [employee] = salon().staff
    const staff = await person('staff', 'staff@example.com', { staffId: employee?.id })
    const { access_token: token } = (await connectProgram(here, staff, own())).tokens
    expect((await toolNames(here, token)).toSorted()).toEqual(
      [...reading, ...booking, ...managing].toSorted(),
    )
    expect(await callTool(here, token, 'list_waitlist')).toMatchObject({ code: 'key_type_not_allowed' })
    const other = salon().staff.find(({ id }) => id !== employee?.id)
    const times = { starts_at: '2026-11-20T17:00:00+01:00', ends_at: '2026-11-20T18:00:00+01:00' }
    expect(await callTool(here, token, 'block_time', { staff_id: other?.id, ...times })).toMatchObject({
      status: 422,
      errors: [{ pointer: '/staff_id' }],
    })
    expect(await callTool(here, token, 'block_time', { staff_id: employee?.id, ...times })).toMatchObject({
      staff_id: employee?.id,
    })
    const desk = (await connectProgram(here, await person('front_desk'), own())).tokens.access_token
    expect(await toolNames(here, desk)).toContain('list_waitlist')
  })

  test('sees nothing of another business, and its token works at /mcp only', async () => {
    await start()
    const owner = await person()
    const { tokens } = await connectProgram(here, owner, own())
    const other = otherBusiness()
    const theirs = offer(other, other.services[0]?.name ?? '')
    expect(await callTool(here, tokens.access_token, 'find_next_slot', theirs)).toMatchObject({ status: 404 })
    const program = await registerProgram(here)
    expect((await decide(here, owner, program, { businessId: other.id })).status).toBe(422)
    expect(await here.rows('program_codes')).toHaveLength(1) // the one of the first program
    for (const path of ['/services', '/bookings', '/users/me'])
      expect(await here.call('GET', path, { token: tokens.access_token })).toMatchObject({
        status: 401,
        body: { code: 'invalid_credentials' },
      })
    expect((await mcp(here, tokens.refresh_token, 'tools/list')).status).toBe(401)
    // the console's cookie opens no tools
    const byCookie = await owner.call('POST', '//mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect(byCookie.status).toBe(403)
  })

  test('of a person of a hub acts in the chosen business only', async () => {
    await start()
    const hubId = here.world.hub.id
    const boss = await logInNewPerson(here, { email: 'boss@example.com', role: 'owner', place: { hubId } })
    const { tokens } = await connectProgram(here, boss, own())
    const { data } = await callTool(here, tokens.access_token, 'list_services')
    const theirs = (await here.rows('services')).filter(({ business_id }) => business_id === salon().id)
    const ids = (rows: Record<string, unknown>[]) => rows.map(({ id }) => String(id)).toSorted()
    expect(ids(data as Record<string, unknown>[])).toEqual(ids(theirs))
  })

  test('loses everything with an hour, a revocation, and the access of its person', async () => {
    await start()
    const owner = await person()
    const works = async (token: string) => (await mcp(here, token, 'tools/list')).status === 200
    const { tokens, program } = await connectProgram(here, owner, own())
    here.clock.advance(3_599)
    expect(await works(tokens.access_token)).toBe(true)
    here.clock.advance(1)
    expect(await works(tokens.access_token)).toBe(false)
    const next = (await refresh(here, program.id, tokens.refresh_token)).body as TestTokens
    expect(await works(next.access_token)).toBe(true)
    const [grant] = await here.rows('program_grants')
    const removal = `/console/account/programs/${String(grant?.['id'])}/remove`
    const page = await here.call('GET', '//console/account', {
      headers: { cookie: owner.cookie, host: 'localhost' },
    })
    expect(textOf(page)).toContain('Connected programs')
    const stranger = await person('owner', 'second@example.com')
    await sendForm(here, removal, {}, stranger)
    expect(await works(next.access_token)).toBe(true)
    expect((await sendForm(here, removal, {}, owner)).body).toContain('The program is disconnected.')
    expect(await works(next.access_token)).toBe(false)
    expect(await refresh(here, program.id, next.refresh_token)).toMatchObject({
      body: { error: 'invalid_grant' },
    })

    const manager = await person('manager')
    const places = await here.rows('user_places')
    const place = places.find(({ user_id }) => user_id === manager.userId)?.['id']
    const connected = (await connectProgram(here, manager, own())).tokens
    expect(await works(connected.access_token)).toBe(true)
    await owner.call('PATCH', `/users/${String(place)}`, { disabled: true })
    expect(await works(connected.access_token)).toBe(false)
    await owner.call('PATCH', `/users/${String(place)}`, { disabled: false })
    expect(await works(connected.access_token)).toBe(false)

    const byOwner = (await connectProgram(here, stranger, own())).tokens.access_token
    const { link } = await issueLink(here.context, 'second@example.com')
    await sendForm(here, '/console/link', { token: link.token, password: `${goodPassword} again` })
    expect(await works(byOwner)).toBe(false)
    const last = (await connectProgram(here, owner, own())).tokens.access_token
    await setPersonDisabled(here.context, 'owner@example.com', true)
    expect(await works(last)).toBe(false)
    const actions = (await here.rows('audit_entries')).map(({ action }) => action)
    expect(actions.filter((one) => one === 'program.allowed')).toHaveLength(4)
    expect(actions.filter((one) => one === 'program.revoked')).toHaveLength(4)
  })

  test('of anybody is disconnected by an owner of the business, and of no other', async () => {
    await start()
    const [owner, manager] = [await person(), await person('manager')]
    const { tokens } = await connectProgram(here, manager, own())
    const [grant] = await here.rows('program_grants')
    const id = String(grant?.['id'])
    const other = otherBusiness()
    const rival = await logInNewPerson(here, {
      ...{ email: 'rival@example.com', role: 'owner' as const, place: { businessId: other.id } },
    })
    const path = (businessId: string) => `/console/developers/programs/${id}/remove?business=${businessId}`
    const remove = (by: { cookie: string }, businessId: string) =>
      sendForm(here, path(businessId), { at_business: businessId }, by)
    expect((await remove(rival, other.id)).status).toBe(404)
    expect((await remove(manager, salon().id)).status).toBe(404)
    expect((await mcp(here, tokens.access_token, 'tools/list')).status).toBe(200)
    const shown = await here.call('GET', `//console/developers?business=${salon().id}`, {
      headers: { cookie: owner.cookie, host: 'localhost' },
    })
    expect(textOf(shown)).toContain('Connected programs')
    expect((await remove(owner, salon().id)).status).toBe(303)
    expect((await mcp(here, tokens.access_token, 'tools/list')).status).toBe(401)
  })

  describe('cannot misuse', () => {
    test('a code: it works once, for a minute, for its program, address and verifier', async () => {
      await start()
      const owner = await person()
      const [program, thief] = [await registerProgram(here), await registerProgram(here)]
      const fresh = () => codeFor(here, owner, program, own())
      const invalid = { status: 400, body: { error: 'invalid_grant' } }
      const attempts = [
        async () => exchange(here, { ...program, id: thief.id }, await fresh()),
        async () => exchange(here, { ...program, verifier: thief.verifier }, await fresh()),
        async () => exchange(here, { ...program, verifier: program.challenge }, await fresh()),
        async () => exchange(here, program, await fresh(), { redirect_uri: `${returnTo}/other` }),
        async () => exchange(here, program, 'cal_oac_nothing'),
      ]
      for (const attempt of attempts) expect(await attempt()).toMatchObject(invalid)
      expect(await here.rows('program_grants')).toEqual([])
      const late = await fresh()
      here.clock.advance(60)
      expect(await exchange(here, program, late)).toMatchObject(invalid)
      // a failed attempt uses the code up
      const code = await fresh()
      expect(await exchange(here, { ...program, verifier: thief.verifier }, code)).toMatchObject(invalid)
      expect(await exchange(here, program, code)).toMatchObject(invalid)
      // reuse takes the tokens back
      const replayed = await fresh()
      const { access_token } = (await exchange(here, program, replayed)).body as TestTokens
      expect((await mcp(here, access_token, 'tools/list')).status).toBe(200)
      expect(await exchange(here, program, replayed)).toMatchObject(invalid)
      expect((await mcp(here, access_token, 'tools/list')).status).toBe(401)
      const twice = await fresh()
      const both = await Promise.all([exchange(here, program, twice), exchange(here, program, twice)])
      expect(both.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
      expect(await here.rows('program_grants')).toEqual([])
    })

    test('a refresh token: each works once, and reuse ends the grant', async () => {
      await start()
      const owner = await person()
      const { program, tokens } = await connectProgram(here, owner, { ...own(), scope: 'book' })
      const thief = await registerProgram(here)
      const second = await refresh(here, program.id, tokens.refresh_token)
      expect(second).toMatchObject({ status: 200, body: { scope: 'read book' } })
      const { refresh_token, access_token } = second.body as TestTokens
      const narrow = (await refresh(here, program.id, refresh_token, { scope: 'read' })).body as TestTokens
      expect(narrow.scope).toBe('read')
      expect(await toolNames(here, narrow.access_token)).not.toContain('hold_slot')
      expect(await refresh(here, program.id, narrow.refresh_token, { scope: 'manage' })).toMatchObject({
        ...{ status: 400, body: { error: 'invalid_scope' } },
      })
      expect((await mcp(here, access_token, 'tools/list')).status).toBe(200)
      expect(await refresh(here, program.id, tokens.refresh_token)).toMatchObject({
        ...{ status: 400, body: { error: 'invalid_grant' } },
      })
      expect((await mcp(here, access_token, 'tools/list')).status).toBe(401)
      expect(await refresh(here, program.id, narrow.refresh_token)).toMatchObject({ status: 400 })
      const again = await connectProgram(here, owner, own())
      expect(await refresh(here, thief.id, again.tokens.refresh_token)).toMatchObject({ status: 400 })
      expect((await mcp(here, again.tokens.access_token, 'tools/list')).status).toBe(401)
    })

    test('the revocation of another program', async () => {
      await start()
      const owner = await person()
      const { program, tokens } = await connectProgram(here, owner, own())
      const thief = await registerProgram(here)
      const revoke = (client_id: string, token: string) =>
        sendOAuth(here, '/oauth/revoke', { client_id, token })
      expect(await revoke(thief.id, tokens.refresh_token)).toMatchObject({ status: 200 })
      expect((await mcp(here, tokens.access_token, 'tools/list')).status).toBe(200)
      expect(await revoke(program.id, tokens.access_token)).toMatchObject({ status: 200 })
      expect((await mcp(here, tokens.access_token, 'tools/list')).status).toBe(401)
      expect((await refresh(here, program.id, tokens.refresh_token)).status).toBe(200)
      expect(await revoke(program.id, tokens.refresh_token)).toMatchObject({ status: 200 })
      expect(await here.rows('program_grants')).toEqual([])
    })

    test('the page: only a click of the person leads on, and only to a registered address', async () => {
      await start()
      const owner = await person()
      const program = await registerProgram(here)
      const look = (query: string, cookie: string | undefined = owner.cookie) =>
        here.call('GET', `//console/authorize?${query}`, { headers: { host: 'localhost', cookie } })
      for (const changed of [
        { client_id: undefined },
        { client_id: program.id.replace(/^./, 'f') },
        { redirect_uri: 'https://evil.example.com/callback' },
        { redirect_uri: `${returnTo}/more` },
        { redirect_uri: `${returnTo}?more=1` },
        { redirect_uri: 'http://agent.example.com/callback' },
      ]) {
        const page = await look(requestOf(program, changed))
        expect([changed, page.status]).toEqual([changed, 400])
        expect(page.body).not.toContain('example.com/callback')
      }
      const faults: [Record<string, string | undefined>, string][] = [
        [{ response_type: 'token' }, 'unsupported_response_type'],
        [{ response_type: undefined }, 'invalid_request'],
        [{ code_challenge: undefined }, 'invalid_request'],
        [{ code_challenge_method: 'plain' }, 'invalid_request'],
        [{ code_challenge_method: undefined }, 'invalid_request'],
        [{ response_mode: 'fragment' }, 'invalid_request'],
        [{ resource: 'https://other.example.com/mcp' }, 'invalid_target'],
        [{ scope: 'admin' }, 'invalid_scope'],
      ]
      for (const [changed, error] of faults) {
        const page = await look(requestOf(program, changed))
        expect([changed, page.status, page.headers['location']]).toEqual([changed, 400, undefined])
        expect(page.body).toContain(`error=${error}`)
      }
      expect(await look(`${requestOf(program)}&state=second`)).toMatchObject({ status: 400 })
      const fine = await look(requestOf(program, { resource: `${site}/mcp` }))
      expect(fine.status).toBe(200)
      expect(fine.headers['content-security-policy']).toContain(
        "form-action 'self' https://agent.example.com;",
      )
      expect(fine.headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(textOf(fine)).toContain('Agent wants to act for you')
      const before = await look(requestOf(program), '')
      expect(before.status).toBe(200)
      expect(textOf(before)).toContain('Password')
      const denied = await decide(here, owner, program, { ...own(), decision: 'deny' })
      expect(Object.fromEntries(new URL(denied.headers['location'] ?? '').searchParams)).toEqual({
        ...{ error: 'access_denied', state: 'a state', iss: site },
      })
      expect(await here.rows('program_grants')).toEqual([])
    })

    test('the form: not from another website, without a log-in, or beyond what was asked', async () => {
      await start()
      const owner = await person()
      const program = await registerProgram(here)
      const fields = { request: requestOf(program), business: salon().id, scope: 'manage', decision: 'allow' }
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { origin: 'https://evil.example.com' },
        {},
      ] as Record<string, string>[])
        expect(
          (await sendForm(here, '/console/authorize', fields, { cookie: owner.cookie, headers })).status,
        ).toBe(403)
      expect(textOf(await sendForm(here, '/console/authorize', fields))).toContain('Password')
      const beyond = await decide(here, owner, program, { ...own(), changed: { scope: 'read' } })
      expect(beyond.status).toBe(422)
      const unnamed = await decide(here, owner, program, { ...own(), scope: '' })
      expect(unnamed.status).toBe(422)
      expect(await here.rows('program_grants')).toEqual([])
    })

    test('its name: it is text, without signs that disguise it', async () => {
      await start()
      const owner = await person()
      const client_name = `<script>alert(1)</script>\u202e evil\n\u0000${'x'.repeat(200)}`
      const program = await registerProgram(here, { client_name, redirect_uris: [returnTo] })
      const page = await here.call('GET', `//console/authorize?${requestOf(program)}`, {
        headers: { host: 'localhost', cookie: owner.cookie },
      })
      expect(page.body).toContain('&lt;script&gt;')
      expect(page.body).not.toMatch(/<script>alert|\u202e|\u0000/)
      expect((await programOf(here.context, program.id))?.name).toHaveLength(100)
    })
  })

  test('registers addresses of https, of this computer and of programs, and nothing else', async () => {
    await start()
    const refused = [
      ...[
        'http://example.com/cb',
        'javascript:alert(1)',
        'data:text/html,x',
        'file:///etc/passwd',
        'ftp://a.b/',
      ],
      ...[
        'https://user:secret@example.com/',
        'https://example.com/#part',
        'https://a;b.example/',
        '/relative',
        '',
      ],
      ...[
        'mailto:a@example.com',
        'https://example.com/ä',
        'http://localhost.evil.com/',
        'intent://x',
        'https:',
      ],
      `https://example.com/${'a'.repeat(500)}`,
    ]
    for (const uri of refused)
      expect([uri, (await register(here, { redirect_uris: [uri] })).body]).toEqual([
        uri,
        { error: 'invalid_redirect_uri', error_description: expect.any(String) as string },
      ])
    const allowed = [
      ...[
        'https://agent.example.com/cb?x=1',
        'http://127.0.0.1/cb',
        'http://localhost:3000/cb',
        'http://[::1]/cb',
      ],
      ...['com.example.app:/cb', 'cursor://anysphere.cursor-mcp/oauth/callback'],
    ]
    const made = await register(here, {
      redirect_uris: allowed,
      token_endpoint_auth_method: 'client_secret_post',
    })
    expect(made).toMatchObject({
      status: 201,
      body: { redirect_uris: allowed, token_endpoint_auth_method: 'none', client_name: 'agent.example.com' },
    })
    expect(made.body).not.toHaveProperty('client_secret')
    const program = await registerProgram(here, {
      client_name: 'CLI',
      redirect_uris: ['http://127.0.0.1/cb'],
    })
    const owner = await person()
    const any = { redirect_uri: 'http://127.0.0.1:49152/cb' }
    const code = await codeFor(here, owner, program, { ...own(), changed: any })
    expect((await exchange(here, program, code, any)).status).toBe(200)
    for (const redirect_uri of [
      'http://localhost:49152/cb',
      'http://127.0.0.1:1/other',
      'https://127.0.0.1/cb',
    ])
      expect((await decide(here, owner, program, { ...own(), changed: { redirect_uri } })).status).toBe(400)
    for (const [metadata, error] of [
      [{}, 'invalid_redirect_uri'],
      [[], 'invalid_client_metadata'],
      [
        { redirect_uris: Array.from({ length: 11 }, (_, index) => `https://a${index}.example/`) },
        'invalid_redirect_uri',
      ],
      [{ redirect_uris: [returnTo], client_name: 1 }, 'invalid_client_metadata'],
      [{ redirect_uris: [returnTo], grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
      [{ redirect_uris: [returnTo], response_types: ['token'] }, 'invalid_client_metadata'],
    ] as const)
      expect(await register(here, metadata)).toMatchObject({ status: 400, body: { error } })
    const long = await register(here, { redirect_uris: [returnTo], more: 'x'.repeat(17 * 1024) })
    expect(long).toMatchObject({ status: 413, body: { error: 'invalid_client_metadata' } })
    const broken = await here.call('POST', '//oauth/register', {
      ...{ rawBody: '{', headers: { 'content-type': 'application/json' } },
    })
    expect(broken).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } })
  })

  test('gets refusals of the token endpoint in the format of OAuth', async () => {
    await start()
    const { id } = await registerProgram(here)
    const code = { grant_type: 'authorization_code', client_id: id, code: 'x', code_verifier: 'y' }
    for (const [fields, status, error] of [
      [{}, 400, 'invalid_request'],
      [{ grant_type: 'password', client_id: id }, 400, 'unsupported_grant_type'],
      [{ grant_type: 'refresh_token' }, 400, 'invalid_request'],
      [{ grant_type: 'refresh_token', client_id: id }, 400, 'invalid_request'],
      [{ ...code, client_id: 'unknown' }, 400, 'invalid_client'],
      [{ ...code, resource: 'https://other.example.com' }, 400, 'invalid_target'],
      [code, 400, 'invalid_grant'],
    ] as [Record<string, string>, number, string][]) {
      const reply = await sendOAuth(here, '/oauth/token', fields)
      expect([fields, reply.status, reply.body]).toEqual([
        ...[fields, status],
        { error, error_description: expect.any(String) as string },
      ])
    }
    const asJson = await here.call('POST', '//oauth/token', { body: code })
    expect(asJson).toMatchObject({ status: 415, body: { error: 'invalid_request' } })
  })

  test('cannot flood the registration', async () => {
    await start({ RATE_LIMIT_FACTOR: '1' })
    const again = (remoteAddress: string) =>
      here.call('POST', '//oauth/register', { body: { redirect_uris: [returnTo] }, remoteAddress })
    for (let count = 0; count < 10; count += 1) expect((await again('203.0.113.5')).status).toBe(201)
    const refused = await again('203.0.113.5')
    expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await again('198.51.100.7')).status).toBe(201)
    here.clock.advance(60)
    expect((await again('203.0.113.5')).status).toBe(201)
  })

  test('leaves nothing behind when it is not used', async () => {
    await start()
    const owner = await person()
    const tidy = async () => {
      for (const { name, deleteBatch } of jobs)
        if (/program/.test(name)) while ((await deleteBatch(here.context, 2)) === 2);
    }
    const rows = async () => {
      const tables = ['programs', 'program_grants', 'program_codes', 'program_tokens']
      return Promise.all(tables.map(async (table) => (await here.rows(table)).length))
    }
    const unused = await registerProgram(here)
    const { program, tokens } = await connectProgram(here, owner, own())
    await codeFor(here, owner, program, own()) // never exchanged
    expect(await rows()).toEqual([2, 2, 2, 2])
    here.clock.advance(3_601)
    await tidy()
    expect(await rows()).toEqual([2, 1, 1, 1])
    here.clock.advance(86_400)
    await tidy()
    expect(await programOf(here.context, unused.id)).toBeUndefined()
    expect((await refresh(here, program.id, tokens.refresh_token)).status).toBe(200)
    here.clock.advance(8 * 86_400) // the replaced one is forgotten
    await tidy()
    expect(await rows()).toEqual([1, 1, 1, 1])
    here.clock.advance(60 * 86_400)
    await tidy()
    expect(await rows()).toEqual([1, 0, 0, 0])
    here.clock.advance(31 * 86_400)
    await tidy()
    expect(await rows()).toEqual([0, 0, 0, 0])
  })

  test('keeps no secret in the database or the log', async () => {
    await start()
    const owner = await person()
    const program = await registerProgram(here)
    const code = await codeFor(here, owner, program, own())
    const { access_token, refresh_token } = (await exchange(here, program, code)).body as TestTokens
    await mcp(here, access_token, 'tools/list')
    await here.call('GET', `//oauth/token?x=${refresh_token}`)
    const tables = ['programs', 'program_grants', 'program_codes', 'program_tokens', 'audit_entries']
    const stored = JSON.stringify(await Promise.all(tables.map((table) => here.rows(table))))
    for (const secret of [code, access_token, refresh_token]) {
      expect(secret).toMatch(/^cal_o[art][ct]_\w{38}$/)
      expect(stored).not.toContain(secret.slice(8))
      expect(here.logLines.join('\n')).not.toContain(secret.slice(8))
    }
  })
})
