import { LRUCache } from 'lru-cache'
import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import type { Sealer } from '../access/server-secret.ts'
import { isEmail } from '../base/contact-formats.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { formatInstant } from '../base/instants.ts'
import { assertNoTest, businessInScope } from '../catalogue/business.ts'
import type { Context } from './context.ts'
import { forgetServer, keepsMessages, knownServer } from './mail-route.ts'
import {
  deleteOwnServer,
  findFailedServers,
  findOwnServer,
  type OwnMailServerRow,
  storeOwnServer,
  writeServerState,
} from './own-server-queries.ts'
import type { MailServer, SetMailServer } from './own-server-schemas.ts'
import { keeper, MailSender, type SendResult } from './send.ts'

/*
 * Mail servers of businesses. Their emails go through their own server, under their own address. Its password is stored
 * encrypted, and leaves the process only towards that server.
 */

/** A business waits in a form while its server is tried. */
const tryMs = 12_000
const limits = { maxConnections: 2, connectMs: 5_000, silenceMs: 8_000, attemptMs: 15_000 }
/** The ports of mail servers. Others would let an owner explore foreign networks. */
const mailPorts = [25, 465, 587, 2525]

type Settings = Pick<OwnMailServerRow, 'host' | 'port' | 'user_name' | 'from_email'> & { password: string }

/** Returns a sender that connects to public addresses only, in production. */
function senderFor(
  { config }: Pick<Context, 'config'>,
  { host, port, user_name, password, from_email }: Settings,
  attemptMs = limits.attemptMs,
): MailSender {
  const account = `${encodeURIComponent(user_name)}:${encodeURIComponent(password)}`
  const smtpUrl = `${port === 465 ? 'smtps' : 'smtp'}://${account}@${host}:${port}`
  const guard = {
    isUnguarded: config.environment !== 'production',
    allowedRanges: config.webhookAllowCidr,
  }
  const own = { ...config, smtpUrl, mailFrom: { name: '', address: from_email } }
  return new MailSender(own, { ...limits, attemptMs, guard })
}

/**
 * Tries a mail server, then stores it for a business. Throws not_found, and validation_failed with the server's reason if
 * it does not accept the log-in.
 */
export async function setOwnServer(
  context: Context,
  by: Actor,
  { id, server }: { id: string; server: Static<typeof SetMailServer> },
): Promise<OwnMailServerRow & { timezone: string }> {
  const { id: businessId, is_test } = await businessInScope(context.db.reads, by.scope, id)
  assertNoTest({ is_test }, 'It sends no emails.')
  const { user: user_name, password, from_email, host, port } = server
  if (!isEmail(from_email))
    throw fault('/from_email', 'invalid_format', 'must be an email address such as salon@example.com')
  if (context.config.environment === 'production' && !mailPorts.includes(port))
    throw fault('/port', 'not_allowed', `must be one of ${mailPorts.join(', ')}`)
  await trial(context, { host, port, user_name, password, from_email })
  const sealer = await sealerOf(context)
  const stored = await context.db.transaction(async (tx) => {
    const business = await businessInScope(tx.db, by.scope, id)
    const row = {
      ...{ business_id: business.id, host, port, user_name, from_email, set_at: tx.now },
      password_sealed: sealer.seal(password, businessId),
      ...{ failed_at: null, last_error: null },
    }
    await storeOwnServer(tx.db, row)
    const change = { action: 'business.mail_server_set', subjectId: businessId, businessId } as const
    await recordAudit(context, tx, { by, ...change })
    return { ...row, timezone: business.timezone }
  })
  forgetServer(context, businessId)
  context.dueMails.raise()
  return stored
}

async function trial(context: Context, settings: Settings): Promise<void> {
  const sender = senderFor(context, settings, tryMs)
  try {
    await sender.verify()
  } catch (error) {
    const { code } = (error as { cause?: { code?: string } }).cause ?? {}
    const detail = `does not work: ${error instanceof Error ? error.message : 'unknown error'}`
    throw code === 'EAUTH' ? fault('/password', 'not_allowed', detail) : fault('/host', 'not_allowed', detail)
  }
}

function fault(pointer: string, code: string, detail: string): Problem {
  return validationProblem([{ pointer, code, detail }])
}

/** Shows the mail server of a business. Throws not_found, also without one. */
export async function showOwnServer(
  context: Context,
  actor: Actor,
  id: string,
): Promise<OwnMailServerRow & { timezone: string }> {
  const { id: businessId, timezone } = await businessInScope(context.db.reads, actor.scope, id)
  const row = await findOwnServer(context.db.reads, businessId)
  if (!row) throw new Problem('not_found', 'This business has no mail server of its own.')
  return { ...row, timezone }
}

/** Goes back to the mail server of the operator. Does nothing without an own one. Throws not_found. */
export async function removeOwnServer(context: Context, by: Actor, id: string): Promise<void> {
  const businessId = await context.db.transaction(async (tx) => {
    const business = await businessInScope(tx.db, by.scope, id)
    if (!(await deleteOwnServer(tx.db, business.id))) return business.id
    const change = { action: 'business.mail_server_removed', subjectId: business.id } as const
    await recordAudit(context, tx, { by, ...change, businessId: business.id })
    return business.id
  })
  forgetServer(context, businessId)
}

/** Returns the businesses whose own server accepts no emails, at most twenty. */
export function failedServers({ db }: Pick<Context, 'db'>) {
  return findFailedServers(db.reads, 20)
}

export function presentOwnServer({
  timezone,
  ...row
}: OwnMailServerRow & { timezone: string }): Static<typeof MailServer> {
  return {
    ...{ host: row.host, port: row.port, user: row.user_name, from_email: row.from_email },
    status: row.failed_at === null ? 'working' : 'failed',
    last_error: row.last_error,
    failed_at: row.failed_at === null ? null : formatInstant(row.failed_at, timezone),
    set_at: formatInstant(row.set_at, timezone),
  }
}

function sealerOf({ secret }: Pick<Context, 'secret'>): Promise<Sealer> {
  return secret.sealer('mail server')
}

/** Sends an email through the server of a business, or that of the operator. */
export async function sendFor(
  context: Context,
  businessId: string,
  mail: Parameters<MailSender['send']>[0],
): Promise<SendResult> {
  const own = new OwnServers(context)
  const usual = new MailSender(context.config)
  const isKept = await keepsMessages(context, context.db.reads, businessId)
  const { sender } = isKept ? { sender: keeper } : ((await own.find(businessId)) ?? { sender: usual })
  const result = await sender.send(mail)
  own.close()
  usual.close()
  return result
}

/** A way for emails of one business: its own server, or that of the operator. */
export interface Route {
  sender: Pick<MailSender, 'send'>
  from: string
  isOwn: boolean
}

const maxSenders = 50
/** After a failure, a business's server rests, so that it takes no places from others. */
const restMs = 60_000
const maxAtOnce = 2

interface OwnSender {
  setAt: string
  sender: MailSender
  inFlight: number
  restsUntilMs: number
  error: string
}

/** Keeps connections to mail servers of businesses. A server that hangs or fails delays its own emails only. */
export class OwnServers {
  private readonly context: Context
  private readonly senders = new LRUCache<string, OwnSender>({
    max: maxSenders,
    dispose: ({ sender }) => sender.close(),
  })

  constructor(context: Context) {
    this.context = context
  }

  /** Returns the route through the server of a business. Undefined without one. */
  async find(businessId: string): Promise<Route | undefined> {
    const row = await knownServer(this.context, this.context.db.reads, businessId)
    if (!row) return undefined
    const password = (await sealerOf(this.context)).open(row.password_sealed, businessId)
    return {
      ...{ from: row.from_email, isOwn: true },
      sender: { send: (mail) => this.send(row, password, mail) },
    }
  }

  close(): void {
    this.senders.clear()
  }

  private async send(
    row: OwnMailServerRow,
    password: string | undefined,
    mail: Parameters<MailSender['send']>[0],
  ): Promise<SendResult> {
    if (password === undefined) return this.noted(row, { outcome: 'failed', error: unreadable })
    const own = this.senderOf(row, password)
    const nowMs = this.context.clock.nowMs()
    if (own.restsUntilMs > nowMs) return { outcome: 'failed', error: own.error }
    if (own.inFlight >= maxAtOnce) return { outcome: 'failed', error: busy, isBusy: true }
    own.inFlight += 1
    try {
      const result = await own.sender.send(mail)
      if (result.outcome === 'failed')
        Object.assign(own, { restsUntilMs: nowMs + restMs, error: result.error })
      return await this.noted(row, result)
    } finally {
      own.inFlight -= 1
    }
  }

  private senderOf(row: OwnMailServerRow, password: string): OwnSender {
    const known = this.senders.get(row.business_id)
    if (known?.setAt === row.set_at) return known
    const sender = senderFor(this.context, { ...row, password })
    const own = { setAt: row.set_at, sender, inFlight: 0, restsUntilMs: 0, error: '' }
    this.senders.set(row.business_id, own)
    return own
  }

  /** Writes a change of the server's state, which the console shows. A refused email says nothing about the server. */
  private async noted(row: OwnMailServerRow, { isAway: _, ...result }: SendResult): Promise<SendResult> {
    const error = result.outcome === 'failed' ? result.error.slice(0, 300) : null
    if (result.outcome !== 'refused' && row.last_error !== error) {
      await this.context.db.transaction((tx) =>
        writeServerState(tx.db, row, { failed_at: error === null ? null : tx.now, last_error: error }),
      )
      forgetServer(this.context, row.business_id)
    }
    return result
  }
}

const busy = 'the mail server of the business is busy'
const unreadable = 'the password of the mail server cannot be read with this HOLDFAST_SECRET; enter it again'
