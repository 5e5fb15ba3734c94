import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'

const desk = 'desk@salon.example'

onOneEngine('sqlite', 'mails about series', (engine) => {
  let world: MailWorld
  beforeAll(async () => {
    world = await mailWorld(engine, { settings: { notify_emails: [desk] } })
  })
  beforeEach(() => {
    world.service.clock.advance(3_601) // the hourly limits
    world.fresh()
  })
  afterAll(() => world.stop())

  const book = async (startsAt: string, count: number, client: object): Promise<string[]> => {
    const offer = await world.offer()
    const repeat = { every: 'week', interval: 4, count }
    const held = await world.call('POST', '/bookings/hold', { ...offer, starts_at: startsAt, repeat })
    const booked = await world.call('POST', '/bookings', { hold_id: held.body.hold_id as string, client })
    return booked.body.series.booking_ids as string[]
  }
  /** Returns the mails that have arrived, each with its text and the events of its calendar parts. */
  const arrived = async () => {
    await world.sent()
    return world.fresh().map((mail) => {
      const parts = mail.raw
        .split(/\r\n--[^\r\n]+\r\n/)
        .filter((part) => /^Content-Type: text\/calendar/im.test(part))
        .map((part) => {
          const [head = '', ...body] = part.split('\r\n\r\n')
          const text = body.join('\r\n\r\n')
          return /base64/i.test(head)
            ? Buffer.from(text, 'base64').toString()
            : text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
        })
      const uids = new Set(parts.flatMap((part) => /UID:([0-9a-f-]+)@/.exec(part)?.[1] ?? []))
      const methods = new Set(parts.flatMap((part) => /METHOD:(\w+)/.exec(part)?.[1] ?? []))
      const { subject } = mail.headers
      return { to: mail.recipients[0], subject, text: mail.text.replaceAll('\r\n', '\n'), uids, methods }
    })
  }

  test('one mail confirms all dates, with a calendar part for each; one tells the business', async () => {
    const client = nextClient()
    const ids = await book('2027-03-01T09:00:00+01:00', 3, client)
    const mails = await arrived()
    expect(mails.map(({ to }) => to).toSorted()).toEqual([client.email, desk].toSorted())
    const dates = '* Mon, 1 Mar 2027 · 9:00\n* Mon, 29 Mar 2027 · 9:00\n* Mon, 26 Apr 2027 · 9:00'
    for (const { text } of mails) expect(text).toContain(`All dates\n\n${dates}`)
    const mine = mails.find(({ to }) => to === client.email)
    expect(mine?.subject).toMatch(/^Confirmed: .+ \(3 dates\), .*1 Mar.*9:00/)
    expect(mails.find(({ to }) => to === desk)?.subject).toMatch(/Haircut \(3 dates\), .*1 Mar/)
    expect(mine?.text).toContain('Your appointments are confirmed.')
    expect(mine?.uids).toEqual(new Set(ids))
    expect(mine?.methods).toEqual(new Set(['REQUEST']))
  })

  test('one mail reports a move of this and the following, with their calendar parts alone', async () => {
    const client = nextClient()
    const ids = await book('2027-03-01T09:00:00+01:00', 3, client)
    await arrived()
    world.service.clock.advance(60)
    await world.call('PATCH', `/bookings/${ids[1] ?? ''}?series=following`, {
      starts_at: '2027-03-30T10:00:00+02:00',
    })
    const mails = (await arrived()).filter(({ to }) => to === client.email)
    expect(mails).toHaveLength(1)
    expect(mails[0]?.text).toContain('Your appointments have changed.')
    expect(mails[0]?.text).toContain(
      '* Mon, 1 Mar 2027 · 9:00\n* Tue, 30 Mar 2027 · 10:00\n* Tue, 27 Apr 2027 · 10:00',
    )
    expect(mails[0]?.uids).toEqual(new Set(ids.slice(1)))
  })

  test('one mail cancels this and the following, and names those that stay', async () => {
    const client = nextClient()
    const ids = await book('2027-03-01T09:00:00+01:00', 4, client)
    await arrived()
    await world.call('DELETE', `/bookings/${ids[2] ?? ''}?series=following`)
    const mails = (await arrived()).filter(({ to }) => to === client.email)
    expect(mails).toHaveLength(1)
    const [{ text, uids, methods } = { text: '', uids: new Set(), methods: new Set() }] = mails
    expect(text).toContain('Your appointments are cancelled.')
    expect(text).toContain('Cancelled\n\n* Mon, 26 Apr 2027 · 9:00\n* Mon, 24 May 2027 · 9:00')
    expect(text).toContain('Still booked\n\n* Mon, 1 Mar 2027 · 9:00\n* Mon, 29 Mar 2027 · 9:00')
    expect(uids).toEqual(new Set(ids.slice(2)))
    expect(methods).toEqual(new Set(['CANCEL']))
  })

  test('a change of one date is reported as one', async () => {
    const client = nextClient()
    const ids = await book('2027-03-01T09:00:00+01:00', 3, client)
    await arrived()
    world.service.clock.advance(60)
    await world.call('PATCH', `/bookings/${ids[1] ?? ''}`, { starts_at: '2027-03-29T10:00:00+02:00' })
    const mails = (await arrived()).filter(({ to }) => to === client.email)
    expect(mails.map(({ uids }) => [...uids])).toEqual([[ids[1]]])
    expect(mails[0]?.text).toContain('Your appointment has changed.')
  })

  test('a date that the client moves is reported as one, to both, with its calendar part alone', async () => {
    const client = nextClient()
    const ids = await book('2027-03-01T14:00:00+01:00', 3, client)
    await arrived()
    world.service.clock.advance(60)
    const { manage_url } = (await world.call('GET', `/bookings/${ids[1] ?? ''}`)).body
    const moved = await world.service.call('POST', '/manage/reschedule', {
      token: new URL(String(manage_url)).hash.slice(1),
      body: { starts_at: '2027-03-30T10:00:00+02:00' },
    })
    expect(moved.status).toBe(200)
    const mails = await arrived()
    expect(mails.map(({ to }) => to).toSorted()).toEqual([client.email, desk].toSorted())
    const mine = mails.find(({ to }) => to === client.email)
    expect(mine?.uids).toEqual(new Set([ids[1]]))
    expect(mine?.methods).toEqual(new Set(['REQUEST']))
    expect(mine?.text).toContain('Tue, 30 Mar 2027 · 10:00')
    expect(mine?.text).toContain('Your appointment has changed.')
  })
})
