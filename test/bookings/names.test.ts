import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unlinked } from '../../src/mails/render.ts'
import { commandLine } from '../support/command-line.ts'
import { textOf } from '../support/console.ts'
import { expectErrors } from '../support/expect-problem.ts'
import { emptyDirectory } from '../support/holdfast-process.ts'
import { onOneEngine } from '../support/long.ts'
import { goodPassword, type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { ada, type Reply, startTestService, type TestService } from '../support/test-service.ts'

const withAddress = [
  ...['Your card was charged https://evil.example', 'see WWW.evil.example', 'x://y'],
  ...[
    '\uff57\uff57\uff57.evil.example',
    'www\uff0eevil.example',
    'www\u3002evil.example',
    'www\u200b.evil.example',
  ],
  // characters that look like others, and a domain without its scheme
  ...['https\u2236//evil.example', 'https\ua789\u2044\u2215evil.example', 'https\uff1a\uff0f\uff0fevil'],
  ...['https:\\\\evil.example', '//evil.example', 'Ada //evil.example/pay', '\u051d\u051dw.evil.example'],
  ...['w\u00adw\u2060w.evil.example', 'https:\ufeff//evil.example', 'www.\u202eevil.example'],
]

onOneEngine('sqlite', 'names without addresses of the web', (engine) => {
  let service: TestService
  let booker: ReturnType<typeof bookerOf>
  let owner: LoggedIn
  beforeAll(async () => {
    service = await startTestService(engine)
    booker = bookerOf(service)
    const place = { businessId: booker.business.id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
  })
  afterAll(() => service.stop())

  const refused = (reply: Reply, pointer: string) => {
    expectErrors(reply, pointer)
    expect(reply.body.errors).toMatchObject([{ code: 'web_address' }])
  }

  test.each(withAddress)('clients are not called %s', async (name) => {
    const hold_id = service.context.ids.next()
    const booked = { hold_id, client: { ...ada, first_name: name } }
    refused(await booker.call('POST', '/bookings', booked), '/client/first_name')
    const changed = { client: { last_name: name } }
    refused(await booker.call('PATCH', `/bookings/${hold_id}`, changed), '/client/last_name')
  })

  test.each(withAddress)('people are not called %s', async (name) => {
    refused(await booker.call('POST', '/staff', { name }), '/name')
    refused(await booker.call('PATCH', `/staff/${booker.staffId('Anna')}`, { name }), '/name')
    const person = { email: 'new@example.com', role: 'manager', name }
    refused(await owner.call('POST', '/users', person), '/name')
  })

  test.each(withAddress)('businesses are not called %s', async (name) => {
    const path = `/businesses/${booker.business.id}`
    refused(await owner.call('PATCH', path, { name }), '/name')
    refused(await owner.call('PATCH', path, { brand_name: name }), '/brand_name')
  })

  test.each(withAddress)('services and locations are not called %s', async (name) => {
    const { call, business } = booker
    const [service] = business.services
    const [location] = business.locations
    refused(await call('PATCH', `/services/${service?.id}`, { name }), '/name')
    refused(await call('POST', '/locations', { name, timezone: 'Europe/Berlin' }), '/name')
    refused(await call('PATCH', `/locations/${location?.id}`, { name }), '/name')
  })

  test.each([
    ...['J.R. Ewing', 'Dr.Müller', 'Dr. med. A. B.', 'Wwwojciech', 'Awww. Nice', 'Awww.Nice', 'www. Nice'],
    ...[
      'AC/DC',
      'Müller // Schmidt',
      'Müller//Schmidt',
      '//Cut',
      'Salon 24/7',
      'Ada: Cut/Colour',
      '3:1',
      '½ Stunde',
    ],
    ...['محمد بن علي', 'د. ليلى', 'יוסף כהן', 'ד"ר לוי', 'דני (Dan)\u200e', '\u200fיוסף/Joe', '\u061cعلي 2'],
    ...['می\u200cخواهم', 'दुःख', 'ハノイ・ノノ', 'Նար։ Անի', '👩\u200d👩\u200d👧 Family'],
  ])('a name may be %s', async (name) => {
    expect((await booker.call('POST', '/staff', { name })).status).toBe(201)
  })

  test.each([0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069])(
    'no name contains the character %i, which could show it and the text after it in another order',
    async (character) => {
      const name = `Ada ${String.fromCharCode(character)}moc.live`
      const reply = await booker.call('POST', '/staff', { name })
      expectErrors(reply, '/name')
      expect(reply.body.errors).toMatchObject([{ code: 'invalid_format' }])
      const person = { name, email: 'x@example.com', role: 'manager' }
      expectErrors(await owner.call('POST', '/users', person), '/name')
    },
  )

  test('the form of the console marks the field', async () => {
    const service_id = booker.business.services.find(({ name }) => name === 'Haircut')?.id ?? ''
    const location = booker.business.locations.find(({ name }) => name === 'Mitte')?.id ?? ''
    const fields = {
      ...{ once: crypto.randomUUID(), service: service_id, location, who: booker.staffId('Anna') },
      ...{
        date: '2026-12-01',
        time: '10:00',
        last_name: 'Hopper',
        email: '',
        phone: '',
        notes: '',
        do: 'book',
      },
      first_name: 'https://evil.example',
    }
    const page = await sendForm(service, '/console/book', fields, { cookie: owner.cookie })
    expect(page.status).toBe(422)
    expect(String(page.body)).toContain('id="first_name-fault"')
    expect(textOf(page)).toContain('Must not contain a web address.')
  })

  test('the first owner chooses another name', async () => {
    const fields = {
      token: 'cal_link_x',
      password: goodPassword,
      email: 'a@example.com',
      name: 'www.evil.example',
    }
    expect((await sendForm(service, '/console/link', fields)).status).not.toBe(303)
  })

  test('an import and the command line name the field', async () => {
    const { run } = commandLine(service.databaseUrl)
    const file = join(emptyDirectory(), 'catalogue.json')
    writeFileSync(file, JSON.stringify({ staff: [{ name: 'www.evil.example' }] }))
    const imported = await run('import', file, '--business', booker.business.id)
    expect(imported).toMatchObject({ code: 2, stderr: expect.stringContaining('/staff/0/name') })
    const created = await run('staff', 'create', 'www.evil.example', '--business', booker.business.id)
    expect(created).toMatchObject({ stdout: '', stderr: expect.stringContaining('web address') })
    const person = ['user', 'create', 'b@example.com', '--role', 'owner', '--name', 'x://y']
    const added = await run(...person, '--business', booker.business.id)
    expect(added).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('without a web address'),
    })
  })
})

test('no dot between letters of a name is linked by mail programs, whichever dot it is', () => {
  const joiner = '\u2060'
  for (const dot of ['.', '\u3002', '\uff0e', '\uff61'])
    expect(unlinked(`evil\u200b${dot}ex\u00adample`)).toBe(`evil\u200b${dot}${joiner}ex\u00adample`)
  // domains of letters with marks, and of symbols
  for (const [host, end] of [
    ['हिन्दी', 'com'],
    ['evil', 'भारत'],
    ['கடை', 'இந்தியா'],
    ['❤️', 'ws'],
  ])
    expect(unlinked(`${host}.${end}`)).toBe(`${host}.${joiner}${end}`)
  for (const name of ['J.R. Ewing', 'Anna B.', 'Studio 3.50', 'नेहा. शर्मा']) expect(unlinked(name)).toBe(name)
})
