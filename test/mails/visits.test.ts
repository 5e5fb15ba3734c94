import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'
import { makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

const desk = 'desk@salon.example'
const at = (time: string, date = '2026-12-01') => `${date}T${time}:00+01:00`

onOneEngine('sqlite', 'mails about visits', (engine) => {
  let world: MailWorld
  let salon: VisitSalon
  beforeAll(async () => {
    world = await mailWorld(engine, { settings: { notify_emails: [desk] } })
    salon = await makeVisitSalon(world.service, world.business)
  })
  beforeEach(() => {
    world.service.clock.advance(3_601) // the hourly limits
    world.fresh()
  })
  afterAll(() => world.stop())

  async function sentTo(email: string) {
    await world.sent()
    const mail = world.fresh().find(({ recipients }) => recipients.includes(email))
    const text = mail?.text.replaceAll('\r\n', '\n') ?? ''
    return { ...mail, text, calendar: mail?.calendar?.replaceAll('\r\n ', '').split('\r\n') ?? [] }
  }

  const change = async (id: string, body: object) => {
    const reply = await world.call('PATCH', `/bookings/${id}`, body)
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    return reply.body
  }

  test('a confirmation lists each service with its time, and their total price', async () => {
    const client = nextClient()
    await salon.book(at('10:00'), { client })
    const { headers, text, html, calendar } = await sentTo(client.email)
    expect(headers?.subject).toBe('Confirmed: Cut + Colour, Tue 1 Dec, 10:00 – Corner Spa')
    expect(text).toContain(
      [
        '  Cut + Colour',
        '  Tuesday, 1 December 2026',
        '  10:00 – 12:00 (CET)',
        '  With Anna',
        '  10:00 – 10:30: Cut, €35',
        '  10:30 – 12:00: Colour, €60',
      ].join('\n'),
    )
    expect(text).toContain('\n  Price: €95\n')
    expect(html).toContain('10:30 – 12:00')
    expect(calendar).toContain('SUMMARY:Cut + Colour – Corner Spa')
    expect(calendar.find((line) => line.startsWith('DESCRIPTION:'))).toContain(
      String.raw`DESCRIPTION:Anna\n10:00 – 10:30: Cut\, €35\n10:30 – 12:00: Colour\, €60\nPrice: €95`,
    )
    expect(calendar).toContain('DTEND:20261201T110000Z')
  })

  test('the business reads the answers to the questions of all services', async () => {
    const label = 'When did you last colour your hair?'
    const custom_fields = [{ key: 'last', label, type: 'text', required: false }]
    const asked = await world.call('PATCH', `/services/${salon.colour}`, { custom_fields })
    const [field] = asked.body.custom_fields as { id: string }[]
    const custom_field_values = [{ field_id: field?.id, value: 'In spring' }]
    await salon.book(at('16:00'), { client: nextClient(), custom_field_values })
    const { text } = await sentTo(desk)
    expect(text).toContain(`  ${label} In spring\n`)
  })

  test('each service names its person if there are several, and the business reads the same', async () => {
    const client = nextClient()
    const items = [
      { service_id: salon.cut, staff_id: salon.anna },
      { service_id: salon.cut, staff_id: salon.ben, starts: 'with' as const },
    ]
    await salon.book(at('13:00'), { client, items })
    await world.sent()
    const mails = world.fresh()
    for (const email of [client.email, desk]) {
      const text = mails.find(({ recipients }) => recipients.includes(email))?.text.replaceAll('\r\n', '\n')
      expect(text).toContain('  13:00 – 13:30: Cut, Anna, €35\n  13:00 – 13:30: Cut, Ben, €35\n')
      expect(text).not.toContain('\n  With Anna')
    }
    const notice = mails.find(({ recipients }) => recipients.includes(desk))
    expect(notice?.headers.subject).toBe(
      'New: Ada Lovelace, Cut + Cut, Tue 1 Dec 13:00, Anna, Ben – Corner Spa',
    )
  })

  test('an email about a change says which services are new, gone, moved or with another person', async () => {
    const client = nextClient()
    const { id, items } = await salon.book(at('10:00', '2026-12-02'), { client })
    const [cut, colour] = items
    await sentTo(client.email)
    const otherPerson = [{ id: cut?.id }, { id: colour?.id, staff_id: salon.ben }, { service_id: salon.cut }]
    await change(id, { items: otherPerson })
    const changed = await sentTo(client.email)
    expect(changed.headers?.subject).toContain('Changed: Cut + Colour + Cut, ')
    expect(changed.text).toContain('  10:00 – 10:30: Cut, Anna, €35\n')
    expect(changed.text).toContain('  10:30 – 12:00: Colour, Ben, €60, Before: Anna\n')
    expect(changed.text).toMatch(/ {2}12:00 – 12:30: Cut, \w+, €35, New\n/)
    expect(changed.calendar.join('\n')).not.toMatch(/Before|New/)
    await change(id, { items: [{ id: colour?.id }], starts_at: at('10:00', '2026-12-02') })
    const removed = await sentTo(client.email)
    expect(removed.headers?.subject).toContain('Changed: Colour, ')
    expect(removed.text).toContain('  No longer booked: Cut, 10:00 – 10:30\n')
    expect(removed.text).toContain('\n  10:00 – 11:30: Colour, €60, Before: 10:30\n')
    expect(removed.calendar).toContain('SUMMARY:Colour – Corner Spa')
  })

  test('the service that is left when the first is removed is not new', async () => {
    const client = nextClient()
    const people = [salon.anna, salon.ben]
    const two = people.map((staff_id) => ({ service_id: salon.cut, staff_id }))
    const { id, items } = await salon.book(at('10:00', '2026-12-05'), { client, items: two })
    await sentTo(client.email)
    await change(id, { items: [{ id: items[1]?.id }] })
    const { text } = await sentTo(client.email)
    expect(text).toContain('  With Ben\n  10:30 – 11:00: Cut, €35\n  No longer booked: Cut, 10:00 – 10:30\n')
    expect(text).toContain('\n  Before: Sat 5 Dec, 10:00 – 11:00\n')
    expect(text).not.toContain('Anna')
  })

  test('a visit that moves as a whole shows its earlier time once', async () => {
    const client = nextClient()
    const { id } = await salon.book(at('10:00', '2026-12-03'), { client })
    await sentTo(client.email)
    await change(id, { starts_at: at('14:00', '2026-12-03') })
    const { text } = await sentTo(client.email)
    expect(text).toContain('  14:00 – 14:30: Cut, €35\n  14:30 – 16:00: Colour, €60\n')
    expect(text).toContain('  Before: Thu 3 Dec, 10:00\n')
    expect(text.match(/Before/g)).toHaveLength(1)
  })

  test('changes of items that are undone before anyone heard of them send no email', async () => {
    const client = nextClient()
    const { id, items } = await salon.book(at('10:00', '2026-12-04'), { client })
    await sentTo(client.email)
    const [cut, colour] = items
    const wait = { notify_after_seconds: 10 }
    await change(id, { items: [{ id: cut?.id }, { id: colour?.id, staff_id: salon.ben }], ...wait })
    await change(id, { items: [{ id: cut?.id }, { id: colour?.id, staff_id: salon.anna }], ...wait })
    world.service.clock.advance(20)
    await world.sent()
    expect(world.fresh().map(({ headers }) => headers.subject)).toEqual([])
  })
})
