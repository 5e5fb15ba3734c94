import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Argument, Option } from 'commander'
import { operator } from '../access/actor.ts'
import { systemClock } from '../base/clock.ts'
import { isEmail } from '../base/contact-formats.ts'
import { OperatorError, UsageError } from '../base/errors.ts'
import { internationalNumber } from '../base/phone-countries.ts'
import { localeNamed } from '../catalogue/mail-settings-rules.ts'
import type { MailKind } from '../database/tables.ts'
import { listMails, retryMail } from '../mails/mail.ts'
import { mailRoute } from '../mails/mail-route.ts'
import { sampleKinds, sampleMail, sampleText } from '../mails/sample.ts'
import { TextSender } from '../mails/text-sender.ts'
import { mailDirectory, MailSender } from '../mails/send.ts'
import {
  type CliCommand,
  configFromEnvironment,
  print,
  printPage,
  withExistingDatabase,
  writeLines,
} from './command-line.ts'
import { given, shownTime } from './input.ts'
import { ownerOfList } from './list-owner.ts'

interface ListOptions {
  business?: string
  booking?: string
  status?: 'queued' | 'sent' | 'failed'
  cursor?: string
  json?: boolean
}

const limit = 100

/** Registers what concerns messages of both kinds. */
export function registerMessageCommands(program: CliCommand): void {
  const group = program.group('message', 'test text messages', 'test "+49 170 1234567"')
  group
    .command('test <number>')
    .description("send a sample text message now with the server's settings")
    .option('--locale <tag>', 'language, such as de', 'en')
    .examples('message test "+49 170 1234567"')
    .action(async (number: string, { locale }: { locale: string }) => {
      const to = internationalNumber(number, 'UTC')
      if (to === undefined)
        throw new UsageError('<number> must begin with its country, such as +49 170 1234567.')
      const config = configFromEnvironment()
      if (config.smsUrl === '') throw new OperatorError('SMS_URL is not set, so no text messages are sent.')
      const result = await new TextSender(config.smsUrl).send(
        sampleText(config, { to, locale: localeNamed(locale) ?? 'en', now: systemClock.now() }),
      )
      if (result.outcome !== 'sent')
        throw new OperatorError(`The text message was not sent: ${result.error}.`)
      writeLines([`sent to ${to}`])
    })
}

export function registerMailCommands(program: CliCommand): void {
  const group = program.group('mail', 'list, preview and test emails', 'test you@example.com')
  registerList(group)
  registerRetry(group)
  registerPreview(group)
  registerTest(group)
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list emails of the last 31 days, newest first')
    .option('--business <name or id>', 'only this business')
    .option('--booking <id>', 'only about this booking')
    .addOption(new Option('--status <status>', 'only with this status').choices(['queued', 'sent', 'failed']))
    .withCursor()
    .withJson()
    .examples('mail list --status failed')
    .action(async ({ business, booking, status, cursor, json }: ListOptions) => {
      const { owner, page } = await withExistingDatabase(async (context) => {
        const owner = await ownerOfList(context, business)
        const booking_id = booking?.toLowerCase()
        const query = { limit, ...given({ business_id: owner.business_id, booking_id, status, cursor }) }
        return { owner, page: await listMails(context, operator, query) }
      })
      printPage(page, json, {
        title: owner.titleOf('Mails'),
        columns: {
          ID: ({ id }) => id,
          CREATED: ({ created_at }) => shownTime(created_at),
          KIND: ({ kind }) => kind,
          TO: ({ to }) => to,
          STATUS: (mail) => mail.status,
          ATTEMPTS: ({ attempts }) => String(attempts),
          'WAITS FOR': ({ waits_for, waits_until }) =>
            [waits_for, waits_until && `until ${shownTime(waits_until)}`].filter(Boolean).join(' '),
          'LAST ERROR': ({ last_error }) => last_error ?? '',
        },
      })
    })
}

function registerRetry(group: CliCommand): void {
  group
    .command('retry <id>')
    .description('have a running server send a failed email again')
    .withJson()
    .examples('mail retry 0199…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const mail = await withExistingDatabase((context) => retryMail(context, operator, id))
      print(mail, json, () => [`mail ${mail.id} to ${mail.to} is ${mail.status}`])
    })
}

function registerPreview(group: CliCommand): void {
  group
    .command('preview')
    .description('write a sample email to .html, .txt, .eml and .ics files')
    .addArgument(new Argument('<kind>', 'kind of email').choices(sampleKinds))
    .option('--locale <tag>', 'language, such as de', 'en')
    .option('--out <directory>', 'folder for the files', '.')
    .examples('mail preview reminder --locale de --out /tmp/mails')
    .action(async (kind: MailKind, { locale, out }: { locale: string; out: string }) => {
      const tag = localeNamed(locale)
      if (tag === undefined) throw new UsageError('--locale must be a language tag such as de or en-GB.')
      writeLines(await preview(kind, tag, resolve(out)))
    })
}

async function preview(kind: MailKind, locale: string, directory: string): Promise<string[]> {
  const config = configFromEnvironment()
  const mail = sampleMail(config, { kind, locale, to: 'ada@example.com', now: systemClock.now() })
  const { text, html, calendar } = mail.content
  const files: [ending: string, content: string | Buffer][] = [
    ['html', html],
    ['txt', text],
    ['eml', await new MailSender(config).asFile(mail)],
    ...(calendar ? [['ics', calendar.content] as [string, string]] : []),
  ]
  try {
    await mkdir(directory, { recursive: true })
    const paths = files.map(([ending]) => join(directory, `${kind}-${locale}.${ending}`))
    for (const [index, [, content]] of files.entries()) await writeFile(paths[index] ?? '', content)
    return paths
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    throw new OperatorError(`--out: ${directory} cannot be written (${reason}).`, { cause: error })
  }
}

function registerTest(group: CliCommand): void {
  group
    .command('test <address>')
    .description("send a sample email now with the server's settings")
    .option('--locale <tag>', 'language, such as de', 'en')
    .examples('mail test you@example.com')
    .action(async (to: string, { locale }: { locale: string }) => {
      if (!isEmail(to)) throw new UsageError('<address> must be an email address such as you@example.com.')
      const config = configFromEnvironment()
      const route = mailRoute(config)
      if (route === 'off') throw new OperatorError('SMTP_URL is not set: in production, no emails are sent.')
      const now = systemClock.now()
      const sender = new MailSender(config)
      const mail = sampleMail(config, { kind: 'confirmed', locale: localeNamed(locale) ?? 'en', to, now })
      // a different message ID each time, because mail programs discard duplicates
      const result = await sender.send({ ...mail, id: `${mail.id}.${now.replaceAll(/\D/g, '')}` })
      sender.close()
      if (result.outcome !== 'sent') throw new OperatorError(`The email was not sent: ${result.error}.`)
      writeLines([
        route === 'smtp'
          ? `sent to ${to}`
          : `written to ${mailDirectory(config)}, because SMTP_URL is not set`,
      ])
    })
}
