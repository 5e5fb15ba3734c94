import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tls from 'node:tls'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { toMs } from '../../src/base/instants.ts'
import { recordMails } from '../../src/mails/outbox.ts'
import { maxConnections } from '../../src/mails/send.ts'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { emptyDirectory } from '../support/holdfast-process.ts'
import { scrape } from '../support/scrape.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { onOneEngine } from '../support/long.ts'
import { startMailServer, startSilentServer, type MailServer } from '../support/mail-server.ts'
import { mailVariables, nextClient } from '../support/mail-world.ts'
import { makeBusiness, makeOffer, type OwnBusiness } from '../support/offers.ts'
import { selfSigned } from '../support/self-signed.ts'
import { beforeTransactions, startTestService, type TestService } from '../support/test-service.ts'

const monday = '2026-11-30T09:30:00+01:00'

onOneEngine('sqlite', 'sending mails', (engine) => {
  const open: (() => Promise<void> | void)[] = []
  afterEach(async () => {
    for (const close of open.splice(0).toReversed()) await close()
  })

  const receiver = async (options: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> => {
    const server = await startMailServer(options)
    open.push(() => server.close())
    return server
  }
  const serve = async (
    url: string,
    replacements: Parameters<typeof startTestService>[2] = {},
    variables: Record<string, string> = {},
  ): Promise<TestService> => {
    const service = await startTestService(engine, { ...mailVariables(url), ...variables }, replacements)
    open.push(() => service.stop())
    return service
  }
  const book = async (service: TestService, { key, id }: OwnBusiness, client = nextClient()) => {
    const offer = await makeOffer(service, id, { name: 'Haircut' })
    const body = { ...offer, starts_at: monday }
    const hold = await service.call('POST', '/bookings/hold', { token: key, body })
    const reply = await service.call('POST', '/bookings', {
      token: key,
      body: { hold_id: hold.body.hold_id, client },
    })
    expect(reply.status).toBe(201)
    return { id: reply.body.id as string, client }
  }
  const mailsOf = async (service: TestService, { key }: OwnBusiness, status: string) =>
    (await service.call('GET', `/mails?status=${status}`, { token: key })).body.data

  test('a change that is rolled back sends nothing', async () => {
    const server = await receiver()
    const service = await serve(server.url)
    const business = await makeBusiness(service)
    const { client } = await book(service, business)
    await service.app.mails.settled()
    const [row] = await service.rows('bookings')
    const undone = service.context.db.transaction(async (tx) => {
      const after = { ...(row as never as Parameters<typeof recordMails>[2]['after']), version: 7 }
      await recordMails(service.context, tx, { before: undefined, after })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await service.app.mails.settled()
    expect(server.to(client.email)).toHaveLength(1)
    expect(await service.rows('mails')).toHaveLength(1)
  })

  test('metrics tell what was sent and failed, how much waits, and for how long', async () => {
    const server = await receiver()
    const service = await serve(server.url)
    const business = await makeBusiness(service)
    const shown = async () => {
      service.clock.advance(5) // counts are cached for this long
      const scraped = await scrape(service)
      const attempts = ['sent', 'retried', 'failed'].map((outcome) =>
        scraped.value('holdfast_mail_attempts_total', { outcome }),
      )
      return [
        ...attempts,
        ...['waiting', 'oldest_seconds'].map((name) => scraped.value(`holdfast_mails_${name}`)),
      ]
    }
    expect(await shown()).toEqual([0, 0, 0, 0, 0])
    await book(service, business)
    await service.app.mails.settled()
    server.answer = () => 550
    await book(service, business)
    await service.app.mails.settled()
    expect(await shown()).toEqual([1, 0, 1, 0, 0])
    server.answer = () => 451
    await book(service, business)
    await service.app.mails.settled()
    service.clock.advance(20)
    expect(await shown()).toEqual([1, 1, 1, 1, 25])
  })

  test('files of mails are deleted with the mails that nobody needs to see any more, and nothing else is', async () => {
    const directory = emptyDirectory()
    const variables = { SMTP_URL: '', MAIL_FROM: '', NODE_ENV: 'development', MAIL_DIR: directory }
    const service = await serve('', {}, variables)
    await book(service, await makeBusiness(service))
    await service.app.mails.settled()
    const own = join(directory, 'notes.eml')
    writeFileSync(own, 'of somebody else')
    const [file = ''] = readdirSync(directory).filter((name) => name !== 'notes.eml')
    const age = async (days: number) => {
      const at = new Date(toMs(service.clock.now()) - days * 86_400_000)
      for (const path of [join(directory, file), own]) utimesSync(path, at, at)
      await tidy(service.context, jobs)
      return readdirSync(directory).toSorted()
    }
    expect(file).toMatch(/-confirmed\.eml$/)
    expect(await age(30)).toEqual([file, 'notes.eml'].toSorted())
    expect(await age(32)).toEqual(['notes.eml'])
    rmSync(directory, { recursive: true })
    await tidy(service.context, jobs)
    expect(service.logLines.filter((line) => line.includes('housekeeping failed'))).toEqual([])
  })

  test('a 451 is tried again after 30 seconds, then after doubling pauses; a 550 is final, shown, and sent by hand', async () => {
    const server = await receiver()
    const service = await serve(server.url)
    const business = await makeBusiness(service)
    let answer: number | undefined = 451
    let asked = 0
    server.answer = () => {
      asked += 1
      return answer
    }
    await book(service, business)
    for (const pause of [30, 60, 120]) {
      await service.app.mails.settled()
      const before = asked
      service.clock.advance(pause - 1)
      await service.app.mails.settled()
      expect(asked).toBe(before)
      service.clock.advance(1)
    }
    await service.app.mails.settled()
    expect(await mailsOf(service, business, 'queued')).toMatchObject([
      { attempts: 4, last_error: '451 said the server with 451', sent_at: null },
    ])
    answer = 550
    service.clock.advance(240)
    await service.app.mails.settled()
    const [failed] = await mailsOf(service, business, 'failed')
    expect(failed).toMatchObject({ attempts: 5, last_error: '550 said the server with 550' })
    service.clock.advance(86_400)
    await service.app.mails.settled()
    expect(asked).toBe(5)
    answer = undefined
    const retried = await service.call('POST', `/mails/${failed.id}/retry`, { token: business.key })
    expect(retried).toMatchObject({ status: 202, body: { status: 'queued' } })
    await service.app.mails.settled()
    expect(await mailsOf(service, business, 'sent')).toMatchObject([
      { id: failed.id, attempts: 6, last_error: null },
    ])
    await service.call('POST', `/mails/${failed.id}/retry`, { token: business.key })
    await service.app.mails.settled()
    expect(server.mails).toHaveLength(1) // a sent email stays unchanged
  })

  test('a mail is given up after a day of attempts', async () => {
    const server = await receiver()
    const service = await serve(server.url)
    const business = await makeBusiness(service)
    server.answer = () => 451
    await book(service, business)
    const start = service.clock.nowMs()
    for (let tries = 0; tries < 40; tries += 1) {
      await service.app.mails.settled()
      if ((await mailsOf(service, business, 'failed')).length > 0) break
      service.clock.advance(3_600)
    }
    const hours = (service.clock.nowMs() - start) / 3_600_000
    expect(hours).toBeGreaterThanOrEqual(24)
    expect(await mailsOf(service, business, 'failed')).toMatchObject([{ attempts: 31 }])
  })

  test('while a server is away, its mails wait rather than each find that out', async () => {
    const service = await serve(`smtp://127.0.0.1:${await freePort()}`)
    const business = await makeBusiness(service)
    const tried = async () =>
      (await service.rows('mails')).filter(({ attempts }) => Number(attempts) > 0).length
    for (let booked = 0; booked < 12; booked += 1) await book(service, business)
    service.app.mails.wake()
    await eventually('a first attempt', async () => (await tried()) > 0 || undefined)
    for (let booked = 0; booked < 12; booked += 1) await book(service, business)
    service.app.mails.wake()
    expect(await tried()).toBeLessThanOrEqual(maxConnections)
    await service.app.mails.settled()
    expect(await tried()).toBe(24)
  })

  test('a server that is away, or says nothing, delays no booking, and the mail waits', async () => {
    const away = await serve(`smtp://127.0.0.1:${await freePort()}`)
    const business = await makeBusiness(away)
    await book(away, business)
    await away.app.mails.settled()
    expect(await mailsOf(away, business, 'queued')).toMatchObject([
      { attempts: 1, last_error: expect.stringContaining('ECONNREFUSED') },
    ])
    const silent = await startSilentServer()
    open.push(silent.close)
    const hanging = await serve(silent.url)
    const other = await makeBusiness(hanging)
    for (let count = 0; count < 8; count += 1) await book(hanging, other) // more than connections
    await eventually('a connection', () => silent.connections || undefined)
    expect(await mailsOf(hanging, other, 'queued')).toHaveLength(8)
    silent.close() // otherwise the end of the test waits as long as the service does
  })

  test('a mail whose result is lost comes once more, with the same Message-ID', async () => {
    const server = await receiver()
    const service = await serve(server.url)
    const business = await makeBusiness(service)
    let isLost = false
    server.beforeReply = () => {
      isLost = true
    }
    const restore = beforeTransactions(service, () =>
      isLost ? Promise.reject(new Error('lost')) : Promise.resolve(),
    )
    const { client } = await book(service, business)
    await eventually('the mail', () => server.mails[0])
    await eventually('the loss', () =>
      service.logLines.find((line) => line.includes('result of an email could not be written')),
    )
    restore()
    await service.app.mails.settled()
    expect(server.to(client.email)).toHaveLength(1) // its lease still holds
    service.clock.advance(61)
    await service.app.mails.settled()
    const ids = server.to(client.email).map(({ headers }) => headers['message-id'])
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
    service.clock.advance(3_600)
    await service.app.mails.settled()
    expect(server.to(client.email)).toHaveLength(2)
  })

  test.runIf(engine === 'postgres')('two servers send each mail once', async () => {
    const server = await receiver()
    const one = await serve(server.url)
    const two = await serve(server.url, { beside: one })
    const business = await makeBusiness(one)
    server.beforeReply = () => new Promise((resolve) => setTimeout(resolve, 5))
    const clients = Array.from({ length: 20 }, nextClient)
    await Promise.all(clients.map((client, index) => book(index % 2 === 0 ? one : two, business, client)))
    await Promise.all([one.app.mails.settled(), two.app.mails.settled()])
    await Promise.all([one.app.mails.settled(), two.app.mails.settled()])
    for (const { email } of clients) expect(server.to(email)).toHaveLength(1)
  })

  test('in production without SMTP_URL nothing is written, so nothing bursts later', async () => {
    const service = await startTestService(engine, {
      NODE_ENV: 'production',
      MAIL_FROM: 'a@example.com',
      MAIL_DIR: '/nowhere',
    })
    open.push(() => service.stop())
    await book(service, await makeBusiness(service))
    expect(await service.rows('mails')).toEqual([])
  })

  test('a mail is a valid message: its date, its parts, and a Message-ID of its sender’s domain', async () => {
    const server = await receiver()
    const service = await serve(server.url)
    await book(service, await makeBusiness(service))
    await service.app.mails.settled()
    const [mail] = server.mails
    expect(mail?.headers).toMatchObject({
      date: 'Fri, 20 Nov 2026 09:00:00 +0000',
      'mime-version': '1.0',
    })
    expect(mail?.raw.split('\r\n').every((line) => Buffer.byteLength(line) <= 998)).toBe(true)
  })

  test('files from before the mail server go with their mails, after 31 days or with their client', async () => {
    const directory = emptyDirectory()
    const before = await serve('', {}, { MAIL_FROM: '', NODE_ENV: 'development', MAIL_DIR: directory })
    const business = await makeBusiness(before)
    const [old, erased] = [await book(before, business), await book(before, business)]
    await before.app.mails.settled()
    expect(readdirSync(directory)).toHaveLength(2)
    const server = await receiver()
    const now = await serve(server.url, { beside: before }, { MAIL_DIR: directory })
    const body = { email: erased.client.email }
    expect((await now.call('POST', '/clients/erase', { token: business.key, body })).status).toBe(200)
    expect(readdirSync(directory)).toHaveLength(1)
    expect(old.id).not.toBe(erased.id)
    const at = new Date(now.clock.nowMs() - 32 * 86_400_000)
    for (const name of readdirSync(directory)) utimesSync(join(directory, name), at, at)
    await tidy(now.context, jobs)
    expect(readdirSync(directory)).toEqual([])
  })

  test('mails older than 31 days are deleted', async () => {
    const server = await receiver()
    const service = await serve(server.url)
    await book(service, await makeBusiness(service))
    await service.app.mails.settled()
    const { oldMails } = await import('../../src/mails/mail.ts')
    service.clock.advance(31 * 86_400 - 1)
    expect(await oldMails.deleteBatch(service.context, 100)).toBe(0)
    service.clock.advance(2)
    expect(await oldMails.deleteBatch(service.context, 100)).toBe(1)
  })

  const login = { user: 'salon@example.com', pass: 'p/ss:wörd' }

  // clients that know its issuer trust the certificate
  beforeAll(() => {
    const usual = tls.getCACertificates('default')
    tls.setDefaultCACertificates([...usual, selfSigned.cert])
    return () => tls.setDefaultCACertificates(usual)
  })

  test.each(['starttls', 'tls'] as const)('over %s, logged in', async (kind) => {
    const server = await receiver({ tls: kind, login })
    const service = await serve(server.url)
    await book(service, await makeBusiness(service))
    await service.app.mails.settled()
    expect(server.mails).toMatchObject([{ secure: true, user: login.user }])
  })

  // no loopback address, but leads to this machine
  const elsewhere = (url: string, more = '') => url.replace('127.0.0.1', '0.0.0.0') + more

  test('a server elsewhere gets no mail without TLS, also without a user, unless the url says so', async () => {
    const server = await receiver()
    const service = await serve(elsewhere(server.url))
    const business = await makeBusiness(service)
    await book(service, business)
    await service.app.mails.settled()
    expect(server.mails).toEqual([])
    const [waiting] = await mailsOf(service, business, 'queued')
    expect(waiting.last_error).toContain('STARTTLS')
    const told = await serve(elsewhere(server.url, '?tls=optional'))
    await book(told, await makeBusiness(told))
    await told.app.mails.settled()
    expect(server.mails).toHaveLength(1)
  })

  test('a wrong password makes mails wait, and is not repeated in what is shown or logged', async () => {
    const server = await receiver({ tls: 'starttls', login })
    const service = await serve(server.url.replace(encodeURIComponent(login.pass), 'wrong-password'))
    const business = await makeBusiness(service)
    await book(service, business)
    await service.app.mails.settled()
    const [waiting] = await mailsOf(service, business, 'queued')
    expect(waiting).toMatchObject({ attempts: 1, last_error: expect.stringContaining('535') })
    expect(waiting.last_error).not.toContain('wrong-password')
    expect(service.logLines.join('\n')).not.toContain('wrong-password')
  })
})
