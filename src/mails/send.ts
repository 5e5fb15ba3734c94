import { mkdir, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import type { Transporter } from 'nodemailer'
import type { Config } from '../base/config.ts'
import { asciiEmail, isEmail } from '../base/contact-formats.ts'
import type { Instant } from '../base/instants.ts'
import { type GuardOptions, guardedSocket } from '../webhooks/send.ts'
import { mailRoute } from './mail-route.ts'
import type { RenderedMail } from './render.ts'

/** An email with its envelope. */
export interface OutgoingMail {
  /** Names the email in its Message-ID, which is the same in every attempt. */
  id: string
  kind: string
  to: string
  senderName: string
  replyTo: string | null
  /** URL to stop reminders with one click (RFC 8058). */
  offUrl: string | null
  at: Instant
  content: RenderedMail
}

/**
 * `refused` is final, `failed` may work later. `isAway`: the server did not answer, so other emails would fail as well. `isBusy`: nothing
 * was tried.
 */
export type SendResult =
  | { outcome: 'sent'; isKept?: true; isAway?: never; isBusy?: never }
  | { outcome: 'refused' | 'failed'; error: string; isAway?: boolean; isBusy?: boolean }

/** Takes the messages of a test business, which reach nobody. */
export const keeper = { send: (): Promise<SendResult> => Promise.resolve({ outcome: 'sent', isKept: true }) }

/** Limits connections to the mail server, and emails in transit. */
export const maxConnections = 5
const connectMs = 10_000
const greetingMs = 10_000
const silenceMs = 15_000
/** Limit of one attempt, whatever the server does. */
const attemptMs = 40_000
const maxErrorLength = 300
const maxNameLength = 100

type Parts = Pick<Config, 'smtpUrl' | 'mailFrom' | 'mailDirectory' | 'environment'>

/** Limits of a sender. `guard` checks the addresses of a server that the operator did not choose. */
interface SenderOptions {
  maxConnections?: number
  connectMs?: number
  silenceMs?: number
  attemptMs?: number
  guard?: Pick<GuardOptions, 'isUnguarded' | 'allowedRanges'>
}

/** Returns the folder for emails without a server. */
export function mailDirectory({ mailDirectory }: Pick<Config, 'mailDirectory'>): string {
  return resolve(mailDirectory || 'data/mails')
}

/** Returns the folder in which emails become files. Undefined if they are sent, or none are written. */
export function mailFolder(config: Omit<Parts, 'mailFrom'>): string | undefined {
  return mailRoute(config) === 'files' ? mailDirectory(config) : undefined
}

export function mailFileName({ id, kind }: { id: string; kind: string }): string {
  return `${id}-${kind}.eml`
}

/** Returns the sender's address. Emails in files need none. */
export function senderAddress({ mailFrom }: Pick<Config, 'mailFrom'>): string {
  return mailFrom?.address ?? 'holdfast@localhost'
}

/** Sends emails over SMTP, or writes them into files. */
export class MailSender {
  private readonly config: Parts
  private readonly options: SenderOptions
  private transport: Promise<Transporter> | undefined

  constructor(config: Parts, options: SenderOptions = {}) {
    this.config = config
    this.options = options
  }

  /** Never rejects. Failures are results. */
  async send(mail: OutgoingMail): Promise<SendResult> {
    if (!isOneAddress(mail.to)) return { outcome: 'refused', error: 'is not an address of one mailbox' }
    const limit = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      limit.reject(new Error('the mail server did not finish in time'))
      this.close() // otherwise its connection could still send an email that is retried
    }, this.options.attemptMs ?? attemptMs)
    try {
      this.transport ??= openTransport(this.config, this.options)
      const transport = await this.transport
      const message = this.config.smtpUrl === '' ? readable(this.message(mail)) : this.message(mail)
      const sent: unknown = await Promise.race([transport.sendMail(message), limit.promise])
      if (mailRoute(this.config) === 'files') await this.write(mail, (sent as { message: Buffer }).message)
      return { outcome: 'sent' }
    } catch (error) {
      return resultOf(error, this.config)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Greets the server and logs in. Rejects with the reason. */
  async verify(): Promise<void> {
    const transport = await openTransport(this.config, this.options)
    const limit = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      limit.reject(new Error('the mail server did not finish in time'))
    }, this.options.attemptMs ?? attemptMs)
    try {
      await Promise.race([transport.verify(), limit.promise])
    } catch (error) {
      throw new Error(reasonOf(error, this.config), { cause: error })
    } finally {
      clearTimeout(timer)
      transport.close()
    }
  }

  /** Returns the email as a file, in the form that `send` would send. */
  async asFile(mail: OutgoingMail): Promise<Buffer> {
    const transport = await openTransport({ ...this.config, smtpUrl: '' })
    const sent: unknown = await transport.sendMail(readable(this.message(mail)))
    return (sent as { message: Buffer }).message
  }

  close(): void {
    void this.transport?.then((transport) => transport.close())
    this.transport = undefined
  }

  private async write(mail: OutgoingMail, message: Buffer): Promise<void> {
    const directory = mailDirectory(this.config)
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await writeFile(join(directory, mailFileName(mail)), message, { mode: 0o600 })
  }

  private message({ id, senderName, replyTo, offUrl, at, content, ...mail }: OutgoingMail) {
    // not every server on the way takes domains in Unicode (RFC 6531)
    const from = asciiEmail(senderAddress(this.config))
    const to = asciiEmail(mail.to)
    const name = plainName(senderName) || this.config.mailFrom?.name || 'Holdfast'
    const { subject, text, html, calendar, moreCalendars } = content
    return {
      envelope: { from, to: [to] }, // no header decides who receives it
      from: { name, address: from },
      to: { name: '', address: to },
      ...(replyTo !== null &&
        isOneAddress(replyTo) && { replyTo: { name: '', address: asciiEmail(replyTo) } }),
      ...{ subject, text, html },
      messageId: `<${id}@${from.slice(from.indexOf('@') + 1)}>`,
      date: new Date(at),
      headers: {
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'All',
        ...(offUrl !== null && {
          'List-Unsubscribe': { prepared: true, value: `<${offUrl}>` },
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
      },
      ...(calendar && {
        icalEvent: { method: calendar.method, filename: 'appointment.ics', content: calendar.content },
      }),
      ...(moreCalendars && {
        attachments: moreCalendars.map((one, index) => ({
          filename: `appointment-${index + 2}.ics`,
          content: one.content,
          contentType: `text/calendar; charset=utf-8; method=${one.method}`,
        })),
      }),
    }
  }
}

/**
 * Leaves text and HTML unencoded (8bit, RFC 2045), so that links stay whole in an editor. On their way over servers
 * they are quoted-printable, which no server changes and every email program decodes.
 */
function readable<Message extends { text: string; html: string }>(message: Message) {
  const part = (type: string, text: string) => ({
    raw: `Content-Type: text/${type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${text}`,
  })
  return { ...message, text: part('plain', message.text), html: part('html', message.html) }
}

/** Loads the package late, because most processes send nothing and the command line must start fast. */
async function openTransport(config: Parts, options: SenderOptions = {}): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const locked = { disableFileAccess: true, disableUrlAccess: true }
  if (config.smtpUrl === '') {
    return createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...locked })
  }
  const { protocol, hostname, port, username, password, search } = new URL(config.smtpUrl)
  const secure = protocol === 'smtps:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const hasUser = username !== ''
  const number = port === '' ? (secure ? 465 : 587) : Number(port)
  const timeoutMs = options.connectMs ?? connectMs
  return createTransport({
    pool: true,
    maxConnections: options.maxConnections ?? maxConnections,
    host,
    port: number,
    secure,
    ...(options.guard && { getSocket: guarded({ host, port: number }, { ...options.guard, timeoutMs }) }),
    // a password never crosses a network in the clear, and emails name clients
    requireTLS: !secure && !(hasUser ? isLoopback(host) : isNear(host) || search === '?tls=optional'),
    ...(hasUser && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: options.connectMs ?? greetingMs,
    socketTimeout: options.silenceMs ?? silenceMs,
    ...locked,
  })
}

/** Connects to the server over a socket whose address was checked. */
function guarded(server: { host: string; port: number }, options: GuardOptions) {
  return (
    _options: unknown,
    callback: (error: Error | null, socket: { connection?: Socket }) => void,
  ): void => {
    guardedSocket(server, options).then(
      (connection) => callback(null, { connection }),
      (error: unknown) => callback(Object.assign(error as Error, { code: 'ESOCKET' }), {}),
    )
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host)
}

/** True if emails stay on this machine or in its private network. A name without a dot belongs to such a network. */
function isNear(host: string): boolean {
  if (isLoopback(host)) return true
  if (!ipaddr.isValid(host)) return !host.includes('.') || /\.(local|internal|localhost)$/i.test(host)
  return ['private', 'uniqueLocal', 'linkLocal'].includes(ipaddr.process(host).range())
}

/** Accepts one mailbox: nothing that an email program could read as several, or as a part of a header. */
function isOneAddress(text: string): boolean {
  return isEmail(text) && !/[<>"(),:;\\[\]]/.test(text)
}

function plainName(text: string): string {
  const plain = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
  return Array.from(plain).slice(0, maxNameLength).join('')
}

interface SmtpError {
  code?: string
  command?: string
  responseCode?: number
  response?: string
}

/**
 * A 5xx to this email is final. A 5xx to a log-in or a greeting concerns the settings, which the operator can correct.
 */
function resultOf(error: unknown, config: Parts): SendResult {
  const { code, command = '', responseCode = 0 } = error as SmtpError
  const isAboutMail =
    /^(MAIL FROM|RCPT TO|DATA|BDAT)/.test(command) || code === 'EENVELOPE' || code === 'EMESSAGE'
  const isFinal = code !== 'EAUTH' && isAboutMail && (responseCode >= 500 || responseCode === 0)
  const isLost = ['ESOCKET', 'ECONNECTION', 'ETIMEDOUT', 'EDNS'].includes(code ?? '')
  const isAway = isLost && responseCode === 0
  return { outcome: isFinal && !isLost ? 'refused' : 'failed', error: reasonOf(error, config), isAway }
}

/** Describes an error in one line without secrets. */
function reasonOf(error: unknown, { smtpUrl }: Parts): string {
  const { response, code, command } = error as SmtpError
  const said = response ?? (error instanceof Error ? error.message : 'unknown error')
  const message = command === 'STARTTLS' ? `offers no TLS (STARTTLS), so nothing was sent: ${said}` : said
  const { username = '', password = '' } = URL.parse(smtpUrl) ?? {}
  const secrets = [password, decodeURIComponent(password), decodeURIComponent(username)].filter(
    (secret) => secret.length > 3,
  )
  let text = response === undefined && code ? `${message} (${code})` : message
  for (const secret of secrets) text = text.replaceAll(secret, '…')
  return plainName(text).length < text.length ? oneLine(text) : text
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
    .slice(0, maxErrorLength)
}
