import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditActions } from '../../src/access/audit-types.ts'
import { textFor } from '../../src/console/frame/text-groups.ts'
import { textsIn } from '../../src/console/frame/texts.ts'
import { readConsole, textOf } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const path = '/console/audit'

test('every change has its words', () => {
  const { audit } = textsIn('en')
  for (const action of auditActions) {
    const [subject = '', verb = ''] = action.split('.')
    expect([action, textFor(audit.subjects, subject), textFor(audit.verbs, verb)]).toEqual([
      action,
      expect.any(String),
      expect.any(String),
    ])
  }
})

onOneEngine('sqlite', 'who changed what, in the console', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let salon: ReturnType<typeof bookerOf>
  const show = (query = '', who = owner) => readConsole(service, `${path}${query}`, who)
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = bookerOf(service)
    const place = { businessId: salon.business.id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
  })
  afterAll(() => service.stop())

  test('is told the newest first, and narrowed to a person and a day', async () => {
    const booking = await salon.book('Haircut', '2026-11-24T10:00:00+01:00')
    for (let rests = 0; rests < 2; rests += 1) {
      service.clock.advance(8 * 3_600) // a log-in ends after 12 hours without a request
      expect((await show()).status).toBe(200)
    }
    await owner.call('PATCH', `/bookings/${booking}`, { notes: 'short' })
    const all = textOf(await show())
    expect(all).toMatch(
      /Today, Saturday 21 November 2:00 O owner Booking: changed .*Yesterday, Friday 20 November 10:00 A program Booking: created/,
    )
    expect((await show()).body).toContain(`href="/console/bookings/${booking}"`)
    const own = textOf(await show(`?actor=${owner.userId}`))
    expect(own).toContain('Booking: changed')
    expect(own).not.toContain('Booking: created')
    const day = textOf(await show('?day=2026-11-20'))
    expect(day).toContain('Booking: created')
    expect(day).not.toContain('Booking: changed')
    expect(textOf(await show('?day=2026-11-10'))).toContain('No changes found.')
    expect((await show('?day=nonsense&actor=nobody&cursor=x')).status).toBe(200)
  })

  test('has pages', async () => {
    const token = salon.business.business_key
    const block = (day: number) =>
      service.call('POST', '/blocks', {
        token,
        body: {
          ...{ staff_id: salon.staffId('Anna'), reason: 'Course' },
          ...{
            starts_at: `2027-03-01T${String(day % 24).padStart(2, '0')}:00:00Z`,
            ends_at: '2027-03-03T00:00:00Z',
          },
        },
      })
    for (let made = 0; made < 51; made += 1) expect((await block(made)).status).toBe(201)
    const first = String((await show()).body)
    const [, next = ''] = /href="\/console\/audit\?(cursor=[^"]+)"/.exec(first) ?? []
    expect(first).not.toContain('Booking: created')
    expect(textOf(await show(`?${next}`))).toContain('Booking: created')
  })

  test('is for owners, of their business alone', async () => {
    const place = { businessId: salon.business.id }
    const manager = await logInNewPerson(service, { email: 'manager@example.com', role: 'manager', place })
    expect(await show('', manager)).toMatchObject({ status: 404 })
    expect((await readConsole(service, '/console', manager)).body).not.toContain(path)
    const elsewhere = await logInNewPerson(service, {
      email: 'other@example.com',
      role: 'owner',
      place: { businessId: businessOf(service.world, 'Hudson Studio').id },
    })
    expect(textOf(await show(`?business=${salon.business.id}`, elsewhere))).not.toContain('Booking:')
  })
})

onOneEngine('sqlite', 'the businesses of a hub in the console', (engine) => {
  let service: TestService
  let owner: LoggedIn
  const show = (query = '', who = owner) => readConsole(service, `/console/businesses${query}`, who)
  beforeAll(async () => {
    service = await startTestService(engine)
    owner = await logInNewPerson(service, {
      email: 'hub@example.com',
      role: 'owner',
      place: { hubId: service.world.hub.id },
    })
  })
  afterAll(() => service.stop())

  describe('are listed', () => {
    test('with what is on today, what comes next, and the way there', async () => {
      const studio = businessOf(service.world, 'Hudson Studio')
      const before = await show()
      expect(textOf(before)).toMatch(/Hudson Studio 0 bookings today no upcoming bookings/)
      expect(before.body).not.toContain('role="search"')
      expect(before.body).toContain(`href="/console?business=${studio.id}"`)
      expect((await readConsole(service, '/console', owner)).body).toContain(
        'href="/console/businesses?business=',
      )
    })

    test('and searched by a part of the name once there are many', async () => {
      for (let made = 0; made < 101; made += 1) {
        const input = { name: `Äpfel ${String(made).padStart(3, '0')}`, timezone: 'Asia/Tokyo' }
        expect((await owner.call('POST', '/businesses', input)).status).toBe(201)
      }
      expect((await show()).body).toContain('role="search"')
      const found = await show(`?q=${encodeURIComponent('äPFEL 100')}`)
      expect(textOf(found)).toMatch(/Äpfel 100/)
      const [, id = ''] = /business=([0-9a-f-]{36})"[^>]*>\s*<bdi>Äpfel 100/.exec(String(found.body)) ?? []
      expect(textOf(await readConsole(service, `/console?business=${id}`, owner))).toContain('– Äpfel 100')
      expect(textOf(await show('?q=Unheard'))).toContain('No business found.')
    })
  })

  test('are for people of the hub', async () => {
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    const other = await logInNewPerson(service, { email: 'one@example.com', role: 'owner', place })
    expect((await show('', other)).status).toBe(404)
  })
})
