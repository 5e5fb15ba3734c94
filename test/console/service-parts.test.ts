import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readConsole, textOf, typedIn } from '../support/console.ts'
import { makeBusiness, makeLocation, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

onOneEngine('sqlite', 'steps, rooms and other prices in the form of a service', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let salon: VisitSalon
  let owner: LoggedIn
  let people = 0
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  beforeEach(async () => {
    business = await makeBusiness(service)
    salon = await makeVisitSalon(service, business)
    owner = await logInNewPerson(service, {
      ...{ email: `o${(people += 1)}@example.com`, role: 'owner', place: { businessId: business.id } },
    })
  })
  afterAll(() => service.stop())

  const page = (id: string, language = 'en') =>
    readConsole(service, `/console/services/${id}`, owner, { 'accept-language': language })
  const shown = async (id: string) => (await owner.call('GET', `/services/${id}`)).body
  /** Sends the form as it is shown, with some fields changed. */
  const save = async (id: string, fields: Record<string, string>) =>
    sendForm(
      service,
      `/console/services/${id}`,
      { ...typedIn(String((await page(id)).body)), ...fields },
      owner,
    )
  const step = (index: number, minutes: string, staffed: 'yes' | 'no' = 'yes', of = 'steps') => ({
    [`${of}.${index}.minutes`]: minutes,
    [`${of}.${index}.staffed`]: staffed,
  })
  const need = (index: number, id: string, { quantity = '1', during = 'all' } = {}) => ({
    [`needs.${index}.resource_ids.${id}`]: 'on',
    [`needs.${index}.quantity`]: quantity,
    [`needs.${index}.during`]: during,
  })

  test('steps replace the duration with their sum, and leave it when they are cleared', async () => {
    const sent = await save(salon.cut, { ...step(0, '30'), ...step(1, '35', 'no'), ...step(2, '25') })
    expect(sent.status).toBe(303)
    expect(await shown(salon.cut)).toMatchObject({
      duration_minutes: 90,
      steps: [
        { minutes: 30, staffed: true },
        { minutes: 35, staffed: false },
        { minutes: 25, staffed: true },
      ],
    })
    const { body } = await page(salon.cut)
    expect(body).toMatch(/<details\s+open[^>]*>\s*<summary>Steps, rooms, other prices/)
    expect(body).toMatch(/name="duration_minutes"[^>]*readonly[^>]*value="90"/)
    await save(salon.cut, { ...step(0, ''), ...step(1, ''), ...step(2, '') })
    expect(await shown(salon.cut)).toMatchObject({ duration_minutes: 90, steps: null })
    await save(salon.cut, { duration_minutes: '45' })
    expect(await shown(salon.cut)).toMatchObject({ duration_minutes: 45, steps: null })
  })

  test('faults in payment, deposit and fees name the choices of the form', async () => {
    const wrong = async (fields: Record<string, string>) => {
      const reply = await save(salon.cut, { 'price.amount': '60', ...fields })
      expect(reply.status).toBe(422)
      return textOf(reply)
    }
    const deposit = await wrong({ payment: 'none', 'deposit.amount': '10' })
    expect(deposit).toContain('Choose “The deposit” above, or empty this field.')
    const fee = { 'fees.0.hours': '24', 'fees.0.percent': '50' }
    expect(await wrong({ payment: 'none', ...fee })).toContain(
      'Choose another payment than “Nothing”, or remove the fees.',
    )
    expect(await wrong({ payment: 'none', no_show_percent: '50' })).toContain(
      'another payment than “Nothing”',
    )
    expect(await wrong({ 'price.amount': '1,000' })).toContain(
      'Write the amount in digits without a thousands separator, such as 1234.50.',
    )
    const exact = { payment: 'full', 'price.amount': '1.234', 'price.currency': 'KWD' }
    expect(await wrong(exact)).toContain('Round it to fewer decimals.')
    expect((await save(salon.cut, { payment: 'card', 'price.amount': '60', ...fee })).status).toBe(303)
    expect(await wrong({ payment: 'none', 'fees.0.hours': '24' })).toContain('or remove the fees')
    expect(await shown(salon.cut)).toMatchObject({ payment: 'card', price: { amount: 6_000 } })
    const cleared = { payment: 'none', 'fees.0.hours': '', 'fees.0.percent': '' }
    expect((await save(salon.cut, cleared)).status).toBe(303)
    expect(await shown(salon.cut)).toMatchObject({ payment: 'none', fees: [] })
  })

  test('fees that can never be charged stay, with a note that says why', async () => {
    const card = { payment: 'card', 'price.amount': '60', 'fees.0.percent': '50' }
    const saved = async (fields: Record<string, string>) => {
      const { headers } = await save(salon.cut, { ...card, ...fields })
      return [headers['location'], textOf(await page(salon.cut))] as const
    }
    const [short, note] = await saved({ 'fees.0.hours': '2', cancel_until_minutes: '24' })
    expect(short).toBe(`/console/services/${salon.cut}?done=savedBut`)
    expect(note).toContain('Clients can only cancel until 24 hours before the start, so this fee is never')
    const [long, until] = await saved({ 'fees.0.hours': '48', cancel_until_minutes: '24' })
    expect(long).toBe('/console/services?done=saved')
    expect(until).toContain('Cancelling costs this fee from 48 to 24 hours before the start.')
    const [never, why] = await saved({ 'fees.0.hours': '48', cancel_until_minutes: '' })
    expect(never).toContain('done=savedBut')
    expect(why).toContain('Clients cannot cancel this service themselves')
    const [, plain] = await saved({ 'fees.0.hours': '48', cancel_until_minutes: '0' })
    expect(plain).not.toMatch(/never charged|costs this fee/)
    expect(await shown(salon.cut)).toMatchObject({ fees: [{ within_minutes: 2_880, percent: 50 }] })
  })

  test('a new service has steps, needs and terms at once', async () => {
    const fields = {
      ...typedIn(String((await page('new')).body)),
      ...{ name: 'Highlights', 'price.amount': '90', 'price.currency': 'EUR' },
      ...{ ...step(0, '30'), ...step(1, '35', 'no'), ...step(3, '25') }, // an empty row between them
      ...need(0, salon.basin, { quantity: '2', during: 'staffed' }),
      [`terms.${salon.ben}.price.amount`]: '75,50',
      ...step(0, '100', 'yes', `terms.${salon.ben}.steps`),
    }
    expect((await sendForm(service, '/console/services/new', fields, owner)).status).toBe(303)
    const { data } = (await owner.call('GET', '/services?limit=100')).body as { data: { name: string }[] }
    expect(data.find(({ name }) => name === 'Highlights')).toMatchObject({
      duration_minutes: 90,
      steps: [{ minutes: 30 }, { minutes: 35, staffed: false }, { minutes: 25 }],
      needs: [{ resource_ids: [salon.basin], quantity: 2, during: 'staffed' }],
      terms: [{ staff_id: salon.ben, price: { amount: 7_550, currency: 'EUR' }, duration_minutes: 100 }],
    })
  })

  test('the form keeps all parts as they are, with the preferred room first', async () => {
    const room = await owner.call('POST', '/resources', { location_id: salon.locationId, name: 'A room' })
    const { id: roomId } = room.body as { id: string }
    const change = {
      needs: [
        { resource_ids: [salon.basin, roomId], quantity: 1, during: 'staffed' },
        { resource_ids: [roomId], quantity: 1, during: 'all' },
      ],
      terms: [
        {
          staff_id: salon.ben,
          steps: [
            { minutes: 20, staffed: true },
            { minutes: 50, staffed: false },
            { minutes: 20, staffed: true },
          ],
        },
        { staff_id: salon.anna, price: { amount: 0, currency: 'EUR' } },
      ],
    }
    const changed = await owner.call('PATCH', `/services/${salon.colour}`, change)
    expect(changed.status).toBe(200)
    expect((await save(salon.colour, {})).status).toBe(303)
    const { terms, ...now } = await shown(salon.colour)
    const { terms: _, ...before } = changed.body as { terms: object[] }
    expect(now).toEqual(before)
    expect(terms).toHaveLength(2)
    expect(terms).toEqual(expect.arrayContaining(change.terms))
    const text = String((await page(salon.colour)).body)
    expect(text.indexOf('Basin')).toBeLessThan(text.indexOf('A room'))
    const empty = { [`terms.${salon.anna}.price.amount`]: '' }
    await save(salon.colour, empty)
    expect(await shown(salon.colour)).toMatchObject({ terms: [{ staff_id: salon.ben }] })
  })

  test('faults are at their fields, in the language of the reader, and nothing is saved', async () => {
    const before = await shown(salon.colour)
    const ben = `terms.${salon.ben}`
    const refused = async (fields: Record<string, string>, field: string) => {
      const { status, body } = await save(salon.colour, fields)
      expect(status).toBe(422)
      expect([...String(body).matchAll(/ id="([^"]*)-fault"/g)].map(([, name]) => name)).toEqual([field])
      expect(await shown(salon.colour)).toEqual(before)
      return textOf({ body })
    }
    expect(await refused(step(2, '30', 'no'), 'steps.2.staffed')).toContain(
      'The first and the last step need the person.',
    )
    expect(await refused(step(4, 'long'), 'steps.4.minutes')).toContain('Enter a number')
    expect(await refused(step(0, '2000'), 'steps.0.minutes')).toContain('Must be at most 1440.')
    await refused(need(0, salon.basin, { quantity: 'two' }), 'needs.0.quantity')
    expect(await refused(need(0, salon.basin, { quantity: '3' }), 'needs.0.quantity')).toContain(
      'There are only 2.',
    )
    await refused(step(0, '0', 'yes', `${ben}.steps`), `${ben}.steps.0.minutes`)
    expect(
      await refused(
        { payment: 'deposit', 'deposit.amount': '20', [`${ben}.price.amount`]: '10' },
        `${ben}.price.amount`,
      ),
    ).toContain('Must be at least 20.')
    const unticked = { [`staff_ids.${salon.ben}`]: '', [`${ben}.price.amount`]: '10' }
    expect(await refused(unticked, `${ben}.staff_id`)).toContain('This person does not offer the service.')
  })

  test('the list and the form to book name the lowest price, the price of a person, and a free service', async () => {
    const body = { terms: [{ staff_id: salon.ben, price: { amount: 2_000, currency: 'EUR' } }] }
    expect((await owner.call('PATCH', `/services/${salon.cut}`, body)).status).toBe(200)
    await owner.call('PATCH', `/services/${salon.colour}`, { price: { amount: 0, currency: 'EUR' } })
    const list = textOf(await readConsole(service, '/console/services', owner))
    expect(list).toMatch(/Cut\s+30 min\s+from €20/)
    expect(list).toMatch(/Colour\s+1 h 30\s+free/)
    const german = await readConsole(service, '/console/services', owner, { 'accept-language': 'de' })
    expect(textOf(german)).toMatch(/ab 20 €[^]*kostenlos|kostenlos[^]*ab 20 €/)
    const book = async (who: string) =>
      textOf(await readConsole(service, `/console/book?service=${salon.cut}&who=${who}`, owner))
    expect(await book('')).toContain('30 min · from €20')
    expect(await book(salon.anna)).toContain('30 min · €35')
    expect(await book(salon.ben)).toContain('30 min · €20')
  })

  test('a room elsewhere is refused at its need', async () => {
    const elsewhere = await makeLocation(service, business.id)
    const room = await owner.call('POST', '/resources', { location_id: elsewhere, name: 'Far room' })
    const { id } = room.body as { id: string }
    const { status, body } = await save(salon.colour, need(1, id))
    expect(status).toBe(422)
    expect(body).toContain('id="needs.1.resource_ids-fault"')
    expect(textOf({ body })).toContain('It is at none of the locations of this service.')
    const both = await save(salon.colour, { [`location_ids.${elsewhere}`]: 'on' })
    expect(both.status).toBe(422)
    expect(both.body).toContain('id="needs.0.resource_ids-fault"')
    expect(textOf(both)).toMatch(/None of these is at .+\. Tick one that is, or clear that location\./)
    const roomOfEach = { [`location_ids.${elsewhere}`]: 'on', ...need(0, id) }
    expect((await save(salon.colour, roomOfEach)).status).toBe(303)
  })

  test('the form is in German as well', async () => {
    const text = textOf(await page(salon.colour, 'de'))
    for (const words of [
      'Schritte, Räume, abweichende Preise',
      'Ohne die Person',
      'Abweichende Preise und Dauer',
    ])
      expect(text).toContain(words)
  })
})
