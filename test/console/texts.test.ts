import { expect, test } from 'vitest'
import { languageOf } from '../../src/pages/console/texts.ts'
import { german } from '../../src/pages/console/texts/de.ts'
import { english } from '../../src/pages/console/texts/en.ts'
import { engines, startTestService } from '../support/test-service.ts'

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

test.each(engines)('the form to log in speaks the language of the browser, on %s', async (engine) => {
  const service = await startTestService(engine)
  const headers = { host: 'localhost', 'accept-language': 'de-DE,de;q=0.9' }
  const { body } = await service.call('GET', '//console', { headers })
  expect(body).toContain('<html lang="de-DE">')
  expect(body).toContain('<h1>Anmelden</h1>')
  expect(body).not.toContain('Log in')
  await service.stop()
})
