import { expect, test } from 'vitest'
import { bookingWords } from '../../src/console/bookings/booking-words.ts'
import { languageOf, textsIn } from '../../src/console/frame/texts.ts'
import { weekOf } from '../../src/console/calendar/calendar-view.ts'
import { weekdaysIn } from '../../src/console/team/hours-form.ts'
import { zoneNames } from '../../src/console/team/zone-names.ts'
import { weekdays } from '../../src/catalogue/schedule-rules.ts'
import { readConsole } from '../support/console.ts'
import { logInNewPerson, sendForm } from '../support/person.ts'
import { businessOf, engines, startTestService } from '../support/test-service.ts'

const [english, german] = [textsIn('en'), textsIn('de')]

test.each([
  [undefined, 'en', english],
  ['*', 'en', english],
  ['de-AT,de;q=0.9,en;q=0.8', 'de-AT', german],
  ['xx-nonsense-, fr-CA;q=1, en-GB;q=0.1', 'fr-CA', textsIn('fr')],
  ['ko, en-GB;q=0.1', 'en-GB', english],
  ['ar-EG', 'ar', textsIn('ar')], // has no Latin digits
  ['__proto__,constructor', 'en', english],
])('a browser that asks for %s gets %s', (asked, locale, texts) => {
  const headers = asked === undefined ? {} : { 'accept-language': asked }
  expect(languageOf({ headers })).toMatchObject({ locale, texts })
})

test.each([
  ['wrong_type', 'must be of type integer', 'Enter a number', 'Geben Sie eine Zahl ein'],
  ['overlap', 'overlaps entry 0, 08:00–12:30', 'Overlaps 08:00–12:30.', 'mit 08:00–12:30.'],
  ['invalid_format', 'must be at most 32 digits, spaces and + ( ) - .', '+ ( ) - . /', '+ ( ) - . /'],
  [
    'invalid_format',
    'must be an email address such as',
    'Enter an email',
    'Geben Sie eine E-Mail-Adresse ein',
  ],
])('%s of the API (%s) is said in plain words', (code, detail, inEnglish, inGerman) => {
  for (const words of [english.setUp.fault, bookingWords(english).fault])
    expect(words(code, detail)).toContain(inEnglish)
  for (const words of [german.setUp.fault, bookingWords(german).fault])
    expect(words(code, detail)).toContain(inGerman)
})

test.each(engines)('the form to log in speaks the language of the browser, on %s', async (engine) => {
  const service = await startTestService(engine)
  const headers = { host: 'localhost', 'accept-language': 'de-DE,de;q=0.9' }
  const { body } = await service.call('GET', '//console', { headers })
  expect(body).toContain('<html lang="de-DE">')
  expect(body).toContain('<h1>Anmelden</h1>')
  expect(body).not.toContain('Log in')
  await service.stop()
})

test.each([
  ['holdfast-language=de', 'en-GB,de-CH;q=0.9', 'de-CH', german],
  ['a=b; holdfast-language=de', 'fr', 'de', german],
  ['holdfast-language=ja', 'de', 'ja', textsIn('ja')],
  ['holdfast-language=tlh', 'de', 'de', german],
  ['holdfast-language=de-x-innen', 'en,de-AT', 'de-AT', textsIn('de-x-innen')],
  ['holdfast-language=de-x-innen', 'en', 'de', textsIn('de-x-innen')],
])('the cookie %s decides before the browser', (cookie, asked, locale, texts) => {
  const headers = { cookie, 'accept-language': asked }
  expect(languageOf({ headers })).toMatchObject({ locale, texts })
})

test.each(engines)('the form to log in runs from right to left in Arabic, on %s', async (engine) => {
  const service = await startTestService(engine)
  const headers = { host: 'localhost', 'accept-language': 'ar-AE' }
  const { body } = await service.call('GET', '//console', { headers })
  expect(body).toContain('<html lang="ar-AE" dir="rtl">')
  expect(body).toContain('<h1>تسجيل الدخول</h1>')
  await service.stop()
})

test.each(engines)('a person chooses the language of this browser, on %s', async (engine) => {
  const service = await startTestService(engine)
  const place = { businessId: businessOf(service.world, 'Salon Spree').id }
  const owner = await logInNewPerson(service, { email: 'ada@example.com', role: 'owner', place })
  const { body } = await readConsole(service, '/console/account', owner)
  expect(body).toMatch(/<option value="de" lang="de"\s*>\s*Deutsch\s*<\/option>/)
  const chosen = await sendForm(service, '/console/account/language', { language: 'de' }, owner)
  expect(chosen.status).toBe(303)
  expect(chosen.headers['set-cookie']).toContain('holdfast-language=de; Path=/console')
  await service.stop()
})

test.each([
  ['en', 'Europe/Berlin', 'Berlin (Germany)'],
  ['de-AT', 'Europe/Vienna', 'Wien (Österreich)'],
  ['ja', 'Europe/Athens', 'アテネ (ギリシャ)'],
  ['fr', 'America/Argentina/Buenos_Aires', 'Buenos Aires (Argentine)'],
  ['de', 'UTC', 'UTC'],
  ['de', '__proto__', '  proto  '],
])('in %s, the zone %s is named %s', (locale, zone, name) => {
  expect(zoneNames(locale)(zone)).toBe(name)
})

test.each([
  ['en', '2026-11-23'],
  ['en-US', '2026-11-22'],
  ['de', '2026-11-23'],
  ['ar', '2026-11-21'],
])('a week in %s begins on %s', (locale, first) => {
  for (const date of [first, '2026-11-25', '2026-11-27']) expect(weekOf(date, locale)[0]).toBe(first)
  const day = new Date(first).getUTCDay()
  expect(weekdaysIn(locale)[0]).toBe(weekdays.at(day - 1))
})
