/** @module-tag long */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { expectSound } from '../support/booking-visit.ts'
import { chromiumPath, openVisitor, sharedBrowser, startPublicService } from '../support/browser.ts'
import { testFirstOf } from '../support/long.ts'
import { goodPassword, logInNewPerson } from '../support/person.ts'
import { exchange, registerProgram, requestOf } from '../support/program.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

const sizes = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
}

describe.runIf(chromiumPath !== undefined)('programs in a browser', () => {
  let browser: Browser
  let service: TestService
  let address: string
  // the program listens on this computer, as desktop programs do
  const program = createServer((_request, response) => response.end('<h1>Back in the program</h1>'))
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve))
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    await logInNewPerson(service, { email: 'mary@example.com', role: 'owner', place })
  })
  afterAll(async () => {
    program.close()
    await service.stop()
  })

  testFirstOf(
    [
      ['desktop', 'light'],
      ['phone', 'dark'],
      ['desktop', 'dark'],
      ['phone', 'light'],
    ],
    { nightFrom: 2 },
  )('are allowed after the log-in, listed and disconnected, on a %s in %s', async (name, colorScheme) => {
    const { page, errors, close } = await openVisitor(browser, { ...sizes[name], colorScheme })
    const redirect_uri = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`
    const made = await registerProgram(service, {
      ...{ client_name: 'Assistant Claude', redirect_uris: ['http://127.0.0.1/callback'] },
    })
    await page.goto(`${address}/console/authorize?${requestOf(made, { redirect_uri })}`)
    await page.getByLabel('Email').fill('mary@example.com')
    await page.getByLabel('Password').fill(goodPassword)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Assistant Claude wants to act for you' }).waitFor()
    await expectSound(page, `consent-${name}-${colorScheme}`)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('Choose a business and what the program may do.').waitFor()
    await page.getByText('Also hold, book, move and cancel appointments.').click()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('heading', { name: 'Back in the program' }).waitFor()
    const back = new URL(page.url())
    expect(back.searchParams.get('iss')).toBe(address)
    const code = back.searchParams.get('code') ?? ''
    expect((await exchange(service, made, code, { redirect_uri })).status).toBe(200)

    await page.goto(`${address}/console/account`)
    await page.getByRole('heading', { name: 'Connected programs' }).waitFor()
    await expectSound(page, `programs-${name}-${colorScheme}`)
    await page.goto(`${address}/console/developers`)
    await page.getByRole('heading', { name: 'Connected programs' }).scrollIntoViewIfNeeded()
    await expectSound(page, `programs-of-business-${name}-${colorScheme}`)
    await page.goto(`${address}/console/account`)
    await page.getByRole('button', { name: 'Disconnect Assistant Claude' }).click()
    await page.getByText('The program is disconnected.').waitFor()
    expect(await service.rows('program_grants')).toEqual([])
    expect(errors).toEqual([])
    await close()
  })
})
