import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { waitOf } from '../../src/mails/mail-rules.ts'
import { commandLine } from '../support/command-line.ts'
import { readConsole, textOf } from '../support/console.ts'
import { mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'
import { logInNewPerson, type LoggedIn } from '../support/person.ts'
import { changeRows } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { type Reply } from '../support/test-service.ts'

const monday = '2026-11-30T09:30:00+01:00'

interface Listed {
  id: string
  to: string
  waits_for: string | null
  waits_until: string | null
  last_error: string | null
}

onOneEngine('sqlite', 'an email that waits shows why, and until when', (engine) => {
  let world: MailWorld
  let manager: LoggedIn
  beforeAll(async () => {
    world = await mailWorld(engine)
    const place = { businessId: world.business.id }
    manager = await logInNewPerson(world.service, { email: 'm@example.com', role: 'manager', place })
  })
  beforeEach(() => {
    world.service.clock.advance(3_601)
    world.server.answer = () => undefined
  })
  afterAll(() => world.stop())

  /** Returns an instant of the clock, in seconds after now. */
  const secondsUntil = (instant: string | null) =>
    Math.round((Date.parse(String(instant)) - world.service.clock.nowMs()) / 1_000)
  const waiting = async (to: string) => {
    const reply: Reply = await manager.call('GET', '/mails?status=queued')
    return (reply.body as { data: Listed[] }).data.filter((mail) => mail.to === to)
  }
  const page = async (language: string) =>
    textOf(
      await readConsole(world.service, '/console/mails?status=queued', manager, {
        'accept-language': language,
      }),
    )

  test('a retry and its failure, and those behind it', async () => {
    const client = nextClient()
    world.server.answer = () => 451
    await world.book(await world.offer(), monday, { client })
    await world.sent()
    world.service.clock.advance(10)
    const [mail, ...others] = await waiting(client.email)
    expect(others).toEqual([])
    expect(mail).toMatchObject({ waits_for: 'retry', last_error: expect.stringContaining('451') })
    expect(secondsUntil(mail?.waits_until ?? null)).toBe(20)
    for (const [language, text] of [
      ['en', /Next attempt: .*2026.*451/],
      ['de', /Nächster Versuch: .*2026.*451/],
    ] as const)
      expect(await page(language)).toMatch(text)
    await world.book(await world.offer(), monday, { client })
    await world.sent()
    const [behind] = (await waiting(client.email)).filter(({ last_error }) => last_error === null)
    expect(behind).toMatchObject({ waits_for: 'turn', waits_until: mail?.waits_until })
    expect(await page('en')).toMatch(/Waits until .* for another email to this address\./)
    // the command has the clock of this machine
    const far = '2099-01-01T12:00:00.000Z'
    await changeRows(world.service, sql`update mails set next_attempt_at = ${far} where id = ${mail?.id}`)
    const { run } = commandLine(world.service.databaseUrl)
    const listed = await run('mail', 'list', '--business', world.business.id, '--status', 'queued')
    expect(listed.stdout).toMatch(/WAITS FOR\s+LAST ERROR/)
    expect(listed.stdout).toMatch(/retry until 2099-01-01 .*451/)
  })

  test('an address that gets no more within the hour', async () => {
    const client = nextClient()
    for (let count = 0; count < 6; count += 1) await world.book(await world.offer(), monday, { client })
    for (let count = 0; count < 6; count += 1) await world.sent()
    const [mail, ...others] = await waiting(client.email)
    expect(others).toEqual([])
    expect(mail).toMatchObject({ waits_for: 'recipient_limit', last_error: null })
    expect(secondsUntil(mail?.waits_until ?? null)).toBe(3_600)
    expect(await page('en')).toContain('2026, ') // the time of the next attempt
    expect(await page('en')).toContain('this client has had enough messages for this hour.')
    expect(await page('de')).toContain('Dieser Kunde hat für diese Stunde genug Nachrichten bekommen.')
  })

  test('a deposit that may still be paid', async () => {
    const offer = await world.offer({ deposit: { amount: 1_000, currency: 'EUR' } })
    const session = await world.service.call('POST', '/session', { token: world.business.publishableKey })
    const token = String(session.body.session_token)
    const body = { ...offer, starts_at: monday }
    const hold = await world.service.call('POST', '/bookings/hold', { token, body })
    const client = nextClient()
    const booked = { hold_id: hold.body.hold_id as string, client }
    expect((await world.service.call('POST', '/bookings', { token, body: booked })).status).toBe(201)
    const [mail] = await waiting(client.email)
    expect(mail).toMatchObject({ waits_for: 'deposit' })
    expect(secondsUntil(mail?.waits_until ?? null)).toBe(300)
    expect(await page('en')).toContain('and is sent if the deposit is still unpaid.')
  })
})

test('an email that is being sent, was sent or failed waits for nothing', () => {
  const now = '2026-11-26T10:00:00.000Z' as Parameters<typeof waitOf>[1]['now']
  const later = '2026-11-26T10:01:00.000Z' as typeof now
  const mail = {
    kind: 'confirmed',
    attempts: 0,
    last_error: null,
    next_attempt_at: later,
    waits_for: null,
    earlier_attempt_at: null,
  } as const
  expect(waitOf({ ...mail, status: 'queued' }, { now, isOn: true })).toBeUndefined()
  for (const status of ['sent', 'failed', 'superseded'] as const)
    expect(waitOf({ ...mail, status, next_attempt_at: null }, { now, isOn: true })).toBeUndefined()
  expect(waitOf({ ...mail, status: 'queued' }, { now, isOn: false })).toEqual({
    reason: 'setup',
    until: null,
  })
})
