import { afterAll, beforeAll, expect, test } from 'vitest'
import { countryOfZone } from '../../src/catalogue/holidays.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'public holidays', (engine) => {
  let service: TestService
  let person: LoggedIn
  beforeAll(async () => {
    service = await startTestService(engine)
    const businessId = businessOf(service.world, 'Salon Spree').id
    person = await logInNewPerson(service, { email: 'h@example.com', role: 'owner', place: { businessId } })
  })
  afterAll(() => service.stop())

  test('of a region are listed by date for people', async () => {
    const { status, body } = await person.call('GET', '/holidays?country=DE&region=BY&year=2027')
    expect(status).toBe(200)
    const days = body['data'] as unknown as { date: string; name: string }[]
    expect(days[0]).toEqual({ date: '2027-01-01', name: "New Year's Day" })
    expect(days.map(({ date }) => date)).toContain('2027-05-27') // Corpus Christi, in Bavaria
    const whole = await person.call('GET', '/holidays?country=DE&year=2027')
    expect(JSON.stringify(whole.body)).not.toContain('2027-05-27')
  })

  test.each([
    ['country=XX&year=2027', '/country'],
    ['country=DE&region=ZZ&year=2027', '/region'],
    ['country=DE&year=1', '/year'],
    ['country=germany&year=2027', '/country'],
    ['country=DE', '/year'],
  ])('with %s name the fault at %s', async (query, pointer) => {
    const { status, body } = await person.call('GET', `/holidays?${query}`)
    expect(status).toBe(422)
    expect(body['errors']).toMatchObject([{ pointer }])
  })

  test('begin with the country of the time zone, preferably that of the language', async () => {
    expect(await countryOfZone('Europe/Vienna', 'de-DE')).toBe('AT')
    expect(await countryOfZone('Europe/Berlin', 'de-DE')).toBe('DE')
    expect(await countryOfZone('Etc/Unknown', 'en')).toBeUndefined()
  })

  test('are refused while many others wait for them', async () => {
    const asked = Array.from({ length: 40 }, () => countryOfZone('Europe/Vienna', 'de-DE'))
    const results = await Promise.allSettled(asked)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(32)
    expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
    expect(await countryOfZone('Europe/Berlin', 'de-DE')).toBe('DE')
  })
})
