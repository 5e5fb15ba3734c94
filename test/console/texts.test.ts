import { expect, test } from 'vitest'
import { bookingWords } from '../../src/console/bookings/booking-words.ts'
import { languageOf, textsIn } from '../../src/console/frame/texts.ts'
import { engines, startTestService } from '../support/test-service.ts'

const [english, german] = [textsIn('en'), textsIn('de')]

test.each([
  [undefined, 'en', english],
  ['*', 'en', english],
  ['de-AT,de;q=0.9,en;q=0.8', 'de-AT', german],
  ['xx-nonsense-, fr-CA;q=1, en-GB;q=0.1', 'en-GB', english],
  ['__proto__,constructor', 'en', english],
])('a browser that asks for %s gets %s', (asked, locale, texts) => {
  const headers = asked === undefined ? {} : { 'accept-language': asked }
  expect(languageOf({ headers })).toEqual({ locale, texts })
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
