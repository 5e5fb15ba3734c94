import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { selfSigned } from './self-signed.ts'

/** An email as it arrived. */
export interface ReceivedMail {
  /** From the envelope. */
  recipients: string[]
  raw: string
  headers: Record<string, string>
  text: string
  html: string
  /** The calendar part, decoded. Undefined without one. */
  calendar: string | undefined
  calendarType: string | undefined
  /** True if the connection was encrypted. `user` is the log-in. */
  secure: boolean
  user: string | undefined
}

/** A server that accepts emails. */
export interface MailServer {
  url: string
  port: number
  mails: ReceivedMail[]
  /** Returns the answer to an email for a recipient: an SMTP code, or undefined to accept it. */
  answer: (recipient: string) => number | undefined
  /** Runs once an email has arrived, before it is acknowledged. */
  beforeReply: () => Promise<void> | void
  /** Returns the emails to one recipient, in their order. */
  to(recipient: string): ReceivedMail[]
  close(): Promise<void>
}

/** Starts one on a free port, or on a given one. */
export async function startMailServer(
  options: { port?: number; login?: { user: string; pass: string }; tls?: 'none' | 'starttls' | 'tls' } = {},
): Promise<MailServer> {
  const { port = 0, login, tls = 'none' } = options
  const mails: ReceivedMail[] = []
  const off: SMTPServerOptions['disabledCommands'] = [
    ...(login ? [] : ['AUTH' as const]),
    ...(tls === 'starttls' ? [] : ['STARTTLS' as const]),
  ]
  const server = new SMTPServer({
    ...(tls === 'none' ? {} : selfSigned),
    secure: tls === 'tls',
    disabledCommands: off,
    authOptional: !login,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) => {
      if (username === login?.user && password === login?.pass) done(null, { user: username })
      else done(Object.assign(new Error('wrong user or password'), { responseCode: 535 }))
    },
    onRcptTo: ({ address }, _session, done) => {
      const code = receiver.answer(address)
      if (code === undefined) done()
      else done(Object.assign(new Error(`said the server with ${code}`), { responseCode: code }))
    },
    onData: (stream, session, done) => {
      // the sender may be killed in the middle
      const arrived = text(stream).catch(() => undefined)
      void arrived.then(async (raw) => {
        if (raw === undefined) return
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        mails.push({ ...parsed(raw), recipients, secure: session.secure, user: session.user as string })
        await receiver.beforeReply()
        done()
      })
    },
  })
  server.on('error', () => undefined) // clients that disconnect
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve)
  })
  const bound = (server.server.address() as AddressInfo).port
  const user = login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.pass)}@` : ''
  const receiver: MailServer = {
    url: `${tls === 'tls' ? 'smtps' : 'smtp'}://${user}127.0.0.1:${bound}`,
    port: bound,
    mails,
    answer: () => undefined,
    beforeReply: () => undefined,
    to: (recipient) => mails.filter(({ recipients }) => recipients.includes(recipient)),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return receiver
}

/** Starts a server that accepts connections and never answers. */
export async function startSilentServer(): Promise<{ url: string; connections: number; close: () => void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    silent.connections += 1
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const silent = {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: 0,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
  return silent
}

/** Parses an email of the kinds that Holdfast sends (RFC 5322, RFC 2045 to 2047). */
export function parsed(raw: string): Omit<ReceivedMail, 'recipients' | 'secure' | 'user'> {
  const { headers } = divided(raw)
  const leaves = leavesOf(raw)
  const of = (type: string) => leaves.find((leaf) => (leaf.headers['content-type'] ?? '').startsWith(type))
  const calendar = of('text/calendar')
  return {
    raw,
    headers,
    text: of('text/plain')?.content ?? '',
    html: of('text/html')?.content ?? '',
    calendar: calendar?.content,
    calendarType: calendar?.headers['content-type'],
  }
}

interface Leaf {
  headers: Record<string, string>
  content: string
}

function divided(raw: string): { headers: Record<string, string>; body: string } {
  const at = raw.indexOf('\r\n\r\n')
  const head = raw.slice(0, at).replaceAll(/\r\n[ \t]+/g, ' ')
  const headers = head.split('\r\n').map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), decodedWords(line.slice(colon + 1).trim())]
  })
  return { headers: Object.fromEntries(headers), body: raw.slice(at + 4) }
}

function leavesOf(raw: string): Leaf[] {
  const { headers, body } = divided(raw)
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1]
  if (boundary !== undefined) {
    const parts = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1)
    return parts.flatMap((part) => leavesOf(part.replace(/^\r\n/, '')))
  }
  const encoding = headers['content-transfer-encoding'] ?? '7bit'
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : encoding === 'quoted-printable'
        ? quotedPrintable(body.replaceAll('=\r\n', ''))
        : Buffer.from(body)
  return [{ headers, content: bytes.toString() }]
}

function quotedPrintable(body: string): Buffer {
  return Buffer.from(
    body.replaceAll(/=([0-9A-F]{2})/g, (_sign, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  )
}

function decodedWords(header: string): string {
  return header
    .replaceAll(/(=\?[^?]+\?[BQ]\?[^?]*\?=)\s+(?==\?)/gi, '$1')
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_word, kind: string, body: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(body, 'base64').toString('latin1')
        : quotedPrintable(body.replaceAll('_', ' ')).toString('latin1'),
    )
    .replace(/[\s\S]*/, (bytes) =>
      /[\u0080-\u00ff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes,
    )
}
