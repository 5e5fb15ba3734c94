import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPerson } from '../../src/access/new-person.ts'
import { operator } from '../../src/access/actor.ts'
import { readConsole, textOf } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { makeBusiness } from '../support/offers.ts'

const monday = '2026-11-30T09:30:00+01:00'
const list = '/console/mails'

onOneEngine('sqlite', 'the page of mails', (engine) => {
  let world: MailWorld
  let manager: LoggedIn
  let staff: LoggedIn
  beforeAll(async () => {
    world = await mailWorld(engine)
    const place = { businessId: world.business.id }
    const [anna = ''] = await world.staff('Anna')
    manager = await logInNewPerson(world.service, { email: 'm@example.com', role: 'manager', place })
    const asStaff = { email: 's@example.com', role: 'staff', place, staffId: anna } as const
    staff = await logInNewPerson(world.service, asStaff)
  })
  afterAll(() => world.stop())

  const listed = async (query = '') =>
    (await world.call('GET', `/mails${query}`)).body as {
      data: { id: string; kind: string; status: string; last_error: string | null }[]
      next_cursor: string | null
    }
  const links = async (status: string) =>
    (await listed(`?status=${status}`)).data.filter(({ kind }) => kind === 'link')

  const show = (path = list, person = manager) => readConsole(world.service, path, person)
  const send = (fields: Record<string, string>, person = manager) =>
    sendForm(world.service, list, fields, person)
  const bookAndRefuse = async () => {
    const client = nextClient()
    world.server.answer = (to) => (to === client.email ? 550 : undefined)
    const booking = await world.book(await world.offer(), monday, { client })
    await world.sent()
    world.server.answer = () => undefined
    return { ...booking, client }
  }

  test('a mail that failed is told of on every page, until somebody has seen it or it was sent', async () => {
    const one = await bookAndRefuse()
    for (const path of ['/console', '/console/services', list])
      expect(textOf(await show(path))).toContain('One message could not be sent. Show messages')
    expect(textOf(await show('/console', staff))).not.toContain('could not be sent')
    await bookAndRefuse()
    expect(textOf(await show('/console'))).toContain('2 messages could not be sent.')
    const failed = await show(`${list}?status=failed`)
    expect(textOf(failed)).toMatch(
      new RegExp(`Today, Friday 20 November .*Confirmation AL Ada Lovelace ${one.client.email} Failed`),
    )
    expect(textOf(failed)).toContain('550')
    const [id = ''] = /name="id" value="([^"]+)"(?=[^]*Send again)/.exec(String(failed.body))?.slice(1) ?? []
    const sent = await send({ do: 'retry', id, status: 'failed' })
    expect(sent).toMatchObject({ status: 303, headers: { location: `${list}?status=failed&done=retried` } })
    await world.sent()
    expect(textOf(await show('/console'))).toContain('One message could not be sent.')
    expect((await send({ do: 'seen' })).status).toBe(303)
    expect(textOf(await show('/console'))).not.toContain('could not be sent')
    expect(textOf(await show(list))).toContain(' Failed 550') // it stays in the list
  })

  test('links for people are in the list of their business, without the link', async () => {
    const place = { businessId: world.business.id }
    await sendForm(world.service, '/console/forgotten', { email: 'm@example.com' })
    await world.sent()
    const token = /console\/link#(\w+)/.exec(world.server.to('m@example.com').at(-1)?.text ?? '')?.[1]
    expect(token).toBeDefined()
    const page = await show()
    expect(textOf(page)).toContain('Link to log in Your team m@example.com Sent')
    expect(String(page.body)).not.toContain(token)
    const [link] = await links('sent')
    expect(link).toMatchObject({ booking_id: null, to: 'm@example.com', status: 'sent', attempts: 1 })
    expect(JSON.stringify(await listed())).not.toContain(token)
    // neither for another business, nor without a log-in
    const other = await makeBusiness(world.service)
    const theirs = await world.service.call('GET', '/mails', { token: other.key })
    expect(theirs.body.data).toEqual([])
    await sendForm(world.service, '/console/forgotten', { email: 'nobody@example.com' })
    await world.sent()
    expect(textOf(await show())).not.toContain('nobody@example.com')
    await addPerson(world.service.context, operator, { email: 'x@example.com', role: 'owner', place })
  })

  test('an invitation is in the list of who invites, not of where its person works already', async () => {
    const elsewhere = await makeBusiness(world.service)
    const place = { businessId: elsewhere.id }
    const email = 'known@elsewhere.example'
    await logInNewPerson(world.service, { email, role: 'manager', place })
    const owner = await logInNewPerson(world.service, {
      ...{ email: 'owner@example.com', role: 'owner', place: { businessId: world.business.id } },
    })
    expect((await owner.call('POST', '/users', { email, role: 'manager' })).status).toBeLessThan(300)
    await world.sent()
    const sent = { kind: 'link', to: email, status: 'sent' }
    expect(await links('sent')).toContainEqual(expect.objectContaining(sent))
    const theirs = await world.service.call('GET', '/mails', { token: elsewhere.key })
    expect(theirs.body.data).toEqual([])
  })

  test('a link that failed is sent again while it works, and says so when it has ended', async () => {
    world.server.answer = () => 550
    await sendForm(world.service, '/console/forgotten', { email: 'm@example.com' })
    await world.sent()
    world.server.answer = () => undefined
    const [failed] = await links('failed')
    expect(failed).toMatchObject({ status: 'failed', last_error: expect.stringContaining('550') })
    expect(textOf(await show('/console'))).toContain('One message could not be sent.')
    expect((await world.call('POST', `/mails/${failed?.id}/retry`)).body).toMatchObject({ status: 'queued' })
    await world.sent()
    expect(await links('failed')).toEqual([])
    world.server.answer = () => 550
    world.service.clock.advance(3_601)
    await sendForm(world.service, '/console/forgotten', { email: 'm@example.com' })
    await world.sent()
    world.server.answer = () => undefined
    const [second] = await links('failed')
    world.service.clock.advance(31 * 60)
    await world.call('POST', `/mails/${second?.id}/retry`)
    await world.sent()
    expect(await links('failed')).toMatchObject([{ last_error: 'the link has expired; make a new one' }])
  })

  test('messages of the waiting list are listed with their client, counted if they fail, and sent again', async () => {
    const offer = await world.offer({ name: 'Massage' })
    const client = { ...nextClient(), first_name: 'Wanda' }
    await send({ do: 'seen' })
    world.server.answer = (to) => (to === client.email ? 550 : undefined)
    const window = { from: '2026-12-07', to: '2026-12-07' }
    const entry = await world.call('POST', '/waitlist', { ...offer, ...window, client })
    await world.sent()
    world.service.clock.advance(31)
    await world.service.app.offers.settled()
    await world.sent()
    world.server.answer = () => undefined
    expect(textOf(await show('/console'))).toContain('2 messages could not be sent.')
    const mine = async () =>
      (await listed('?status=failed')).data.filter((mail) => 'to' in mail && mail.to === client.email)
    expect(await mine()).toMatchObject(
      ['offered', 'waitlist_joined'].map((kind) => ({ kind, waitlist_entry_id: entry.body.id })),
    )
    const page = await show(`${list}?channel=email&status=failed`)
    const row = (kind: string) => `${kind} WL Wanda Lovelace ${client.email} Failed`
    expect(textOf(page)).toContain(row('Offer from the waiting list'))
    expect(textOf(page)).toContain(row('Confirmation for the waiting list'))
    expect(String(page.body)).toContain(`/console/waitlist/${entry.body.id}`)
    expect(textOf(await show(`${list}?channel=text`))).not.toContain('Wanda')
    for (const { id } of await mine())
      expect((await send({ do: 'retry', id, status: 'failed' })).status).toBe(303)
    await world.sent()
    expect(await mine()).toEqual([])
    const texts = world.server.to(client.email).map(({ text }) => text)
    for (const sentence of ['We tell you as soon as', 'We keep it for you until'])
      expect(texts.filter((text) => text.includes(sentence))).toHaveLength(1)
    expect(textOf(await show('/console'))).not.toContain('could not be sent')

    // an offer that is over before its email could be sent stays as failed, until somebody has seen it
    const other = nextClient()
    world.server.answer = (to) => (to === other.email ? 550 : undefined)
    await world.call('DELETE', `/waitlist/${entry.body.id}`)
    await world.call('POST', '/waitlist', { ...offer, ...window, client: other })
    world.service.clock.advance(31)
    await world.service.app.offers.settled()
    await world.sent()
    world.server.answer = () => undefined
    world.service.clock.advance(3_601)
    const [over] = (await listed('?status=failed')).data.filter(({ kind }) => kind === 'offered')
    await send({ do: 'retry', id: over?.id ?? '' })
    await world.sent()
    expect((await listed('?status=failed')).data.filter(({ kind }) => kind === 'offered')).toMatchObject([
      { last_error: 'it was over before it could be sent' },
    ])
    await send({ do: 'seen' })
    expect(textOf(await show('/console'))).not.toContain('could not be sent')
    await world.service.app.offers.settled()
    await world.sent()
  })

  test('staff have no such page', async () => {
    expect((await show(list, staff)).status).toBe(404)
    expect((await send({ do: 'seen' }, staff)).status).toBe(404)
  })

  test('mails of both kinds are read page by page, in one order, and kept for 31 days', async () => {
    const ids: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await listed(`?limit=2${cursor && `&cursor=${cursor}`}`)
      ids.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
    }
    const { data } = await listed('?limit=100')
    expect(ids).toEqual(data.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(data.map(({ kind }) => kind))).toEqual(
      new Set(['confirmed', 'link', 'offered', 'waitlist_joined']),
    )
    const { oldMails } = await import('../../src/mails/mail.ts')
    world.service.clock.advance(32 * 86_400)
    await oldMails.deleteBatch(world.service.context, 100)
    expect(await world.service.rows('user_mails')).toEqual([])
  })
})
