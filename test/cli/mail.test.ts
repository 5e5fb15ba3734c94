import { readConfig } from '../../src/base/config.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../support/command-line.ts'
import { freePort } from '../support/free-port.ts'
import { onOneEngine } from '../support/long.ts'
import { parsed, startMailServer, type MailServer } from '../support/mail-server.ts'
import { mailVariables, nextClient, mailWorld, type MailWorld } from '../support/mail-world.ts'

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdfast-mail-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}
const monday = '2026-11-30T09:30:00+01:00'

let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
  return () => server.close()
})

test('mail preview writes the mail in all its forms', async () => {
  const out = directory()
  const ran = await runCommand(['mail', 'preview', 'confirmed', '--locale', 'de', '--out', out])
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const files = readdirSync(out).toSorted()
  expect(files).toEqual(['eml', 'html', 'ics', 'txt'].map((ending) => `confirmed-de.${ending}`))
  expect(ran.stdout.trim().split('\n')).toHaveLength(4)
  const mail = parsed(readFileSync(join(out, 'confirmed-de.eml'), 'utf8'))
  expect(mail.headers.subject).toMatch(/^Bestätigt: Haircut, /)
  expect(mail.text.trim()).toBe(
    readFileSync(join(out, 'confirmed-de.txt'), 'utf8').replaceAll('\n', '\r\n').trim(),
  )
  expect(mail.calendar).toContain('METHOD:REQUEST')
  // unencoded, for people who read the file in an editor
  const whole = readFileSync(join(out, 'confirmed-de.eml'), 'utf8')
  const link = /https?:\S+[/]manage#\w+/.exec(mail.text)?.[0] ?? '-'
  expect(whole.split('\r\n')).toContain(link)
  expect(whole).toContain('Guten Tag')
})

test.each(['changed', 'cancelled', 'reminder', 'deposit_due', 'booked'])(
  'every kind has a preview: %s',
  async (kind) => {
    const out = directory()
    for (const locale of ['en', 'de', 'fr', 'es', 'ar', 'pl', 'it', 'pt', 'nl', 'tr', 'ja']) {
      expect(await runCommand(['mail', 'preview', kind, '--locale', locale, '--out', out])).toMatchObject({
        code: 0,
      })
      const html = readFileSync(join(out, `${kind}-${locale}.html`), 'utf8')
      expect(html).toContain(`<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">`)
      expect(html).not.toMatch(/\{\w+\}/) // every parameter has its value
      expect(html).not.toMatch(/(src=|url\()/) // nothing external
    }
  },
)

test('mail test sends one mail, and says why it could not', async () => {
  const variables = mailVariables(server.url)
  const ran = await runCommand(['mail', 'test', 'you@example.com'], variables)
  expect(ran).toMatchObject({ code: 0, stdout: 'sent to you@example.com\n' })
  expect(server.to('you@example.com')).toHaveLength(1)
  const away = mailVariables(`smtp://127.0.0.1:${await freePort()}`)
  expect(await runCommand(['mail', 'test', 'you@example.com'], away)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ECONNREFUSED'),
  })
  expect(await runCommand(['mail', 'test', 'you'], variables)).toMatchObject({ code: 2 })
})

test('without SMTP_URL, mail test writes a file that only its owner reads; in production it is refused', async () => {
  const out = join(directory(), 'mails')
  const ran = await runCommand(['mail', 'test', 'you@example.com'], {
    NODE_ENV: 'development',
    MAIL_DIR: out,
  })
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(out) })
  expect(statSync(out).mode & 0o777).toBe(0o700)
  const [file = ''] = readdirSync(out)
  expect(statSync(join(out, file)).mode & 0o777).toBe(0o600)
  expect(parsed(readFileSync(join(out, file), 'utf8')).headers.to).toBe('you@example.com')
  expect(await runCommand(['mail', 'test', 'you@example.com'], { NODE_ENV: 'production' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('SMTP_URL'),
  })
})

test('the settings in docs/guides/mail.md are taken', () => {
  const [block] = blocksOf(documentAt('docs/guides/mail.md'))
  const lines = [...(block?.text ?? '').matchAll(/^(\w+)="?([^"\n]*)"?$/gm)]
  const variables = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]))
  expect(readConfig(variables)).toMatchObject({
    smtpUrl: 'smtp://user:password@mail.example.com:587',
    mailFrom: { name: 'Salon Spree', address: 'booking@example.com' },
  })
})

test('SMTP_URL without MAIL_FROM is refused', async () => {
  const ran = await runCommand(['mail', 'test', 'you@example.com'], { SMTP_URL: server.url })
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('MAIL_FROM must be set') })
})

onOneEngine('sqlite', 'mails on the command line', (engine) => {
  let world: MailWorld
  beforeAll(async () => {
    world = await mailWorld(engine)
  })
  afterAll(() => world.stop())
  const run = (args: string[], more: Record<string, string> = {}) =>
    runCommand(args, { DATABASE_URL: world.service.databaseUrl, ...more })

  test('mail list and mail retry', async () => {
    world.server.answer = () => 550
    const client = nextClient()
    const { id } = await world.book(await world.offer(), monday, { client })
    await world.sent()
    const listed = await run(['mail', 'list', '--status', 'failed', '--booking', id, '--json'])
    const [mail] = (JSON.parse(listed.stdout) as { data: { id: string }[] }).data
    expect(mail).toMatchObject({ to: client.email, status: 'failed' })
    expect((await run(['mail', 'list'])).stdout).toContain('550 said the server')
    world.server.answer = () => undefined
    const retried = await run(['mail', 'retry', mail?.id ?? ''])
    expect(retried).toMatchObject({ code: 0, stdout: `mail ${mail?.id} to ${client.email} is queued\n` })
    const queued = await world.call('GET', '/mails?status=queued') // due by the real clock
    expect(queued.body.data).toMatchObject([{ id: mail?.id, attempts: 1 }])
  })

  test('business update takes the settings of mails, and names every fault', async () => {
    const business = world.business.id
    const settings = [
      '--locale',
      'de',
      '--reply-to',
      'a@example.com',
      '--notify',
      'b@example.com, c@example.com',
    ]
    const times = ['--reminders', '2,24', '--quiet-hours', '21:00-08:00']
    const changed = await run(['business', 'update', business, ...settings, ...times, '--json'])
    expect(JSON.parse(changed.stdout)).toMatchObject({
      locale: 'de',
      reply_to_email: 'a@example.com',
      notify_emails: ['b@example.com', 'c@example.com'],
      reminder_hours: [24, 2],
      quiet_hours: { from: '21:00', to: '08:00' },
    })
    const none = ['--reply-to', 'none', '--notify', 'none', '--reminders', 'none', '--quiet-hours', 'none']
    const cleared = await run(['business', 'update', business, ...none, '--json'])
    expect(JSON.parse(cleared.stdout)).toMatchObject({
      reply_to_email: null,
      notify_emails: [],
      reminder_hours: [],
      quiet_hours: null,
    })
    const wrong = [
      '--locale',
      'x y',
      '--notify',
      'nobody',
      '--quiet-hours',
      '25:00-08:00',
      '--reminders',
      '0',
    ]
    const refused = await run(['business', 'update', business, ...wrong])
    expect(refused.code).toBe(2)
    for (const name of ['locale', '--notify', '--quiet-hours', '--reminders'])
      expect(refused.stderr).toContain(name)
  })

  test('doctor tries the mail server, and says what is wrong', async () => {
    const findings = async (variables: Record<string, string>) => {
      const { stdout } = await run(['doctor', '--json'], variables)
      return (JSON.parse(stdout) as { check: string }[]).filter(({ check }) => check === 'mail')
    }
    expect(await findings(mailVariables(world.server.url))).toMatchObject([{ state: 'ok' }])
    expect(await findings(mailVariables(`smtp://127.0.0.1:${await freePort()}`))).toMatchObject([
      { state: 'fault', detail: expect.stringContaining('ECONNREFUSED') },
    ])
    expect(await findings({ NODE_ENV: 'production' })).toMatchObject([
      { state: 'warning', detail: expect.stringContaining('SMTP_URL is not set') },
    ])
  })
})
