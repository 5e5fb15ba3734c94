/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offerFirstOwner } from '../../src/access/first-owner.ts'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import {
  chromiumPath,
  keepScreenshot,
  openVisitor,
  sharedBrowser,
  startPublicService,
} from '../support/browser.ts'
import { consoleSizes, openConsole } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { cookieOf, goodPassword, type LoggedIn, loggedIn, sendForm } from '../support/person.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

describe.skipIf(chromiumPath === undefined)('what comes between a form and its being saved', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let owner: LoggedIn
  let salon = ''
  let clinic = ''
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const offered = await offerFirstOwner(service.context, true)
    const token = offered && 'link' in offered ? offered.link.token : ''
    const email = 'ada@example.com'
    const fields = { token, owner_name: 'Ada', email, password: goodPassword }
    const cookie = cookieOf(await sendForm(service, '/console/first', fields)) ?? ''
    owner = loggedIn(service, { email, userId: '', cookie })
    salon = businessOf(service.world, 'Salon Spree').id
    clinic = businessOf(service.world, 'Lotus Clinic').id
  })
  afterAll(() => service.stop())

  testFirstOf([
    ['desktop', consoleSizes.desktop],
    ['phone', consoleSizes.phone],
  ])('keeps what was typed, on a %s', async (device, size) => {
    const visitor = await openConsole(browser, owner, { address, ...size })
    const { page, context } = visitor
    const look = async (name: string) => {
      await keepScreenshot(page, `kept-${name}-${device}`)
      expect(await misfitsIn(page)).toEqual([])
      expect(await violationsIn(page)).toEqual([])
    }
    const name = `Kim of ${device}`
    await page.goto(`${address}/console/people/new?business=${salon}`)
    await page.getByLabel('Name', { exact: true }).fill(name)

    const other = await context.newPage()
    await other.goto(`${address}/console?business=${clinic}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'This form belongs to another business' }).waitFor()
    await look('other-business')
    await page.getByRole('button', { name: 'Switch to Salon Spree and show the form' }).click()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(name)
    await look('form-again')

    await context.clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your session has expired.').waitFor()
    await look('log-in-ended')
    await page.getByLabel('Email').fill(owner.email)
    await page.getByLabel('Password', { exact: true }).fill(goodPassword)
    await page.getByRole('button', { name: 'Log in' }).click()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(name)

    const { transaction } = service.context.db
    service.context.db.transaction = () => Promise.reject(new Error('a fault of ours'))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor()
    service.context.db.transaction = transaction
    await look('failed')
    await page.getByRole('button', { name: 'Back to the form' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    const made = (await service.rows('staff')).filter((one) => one['name'] === name)
    expect(made).toMatchObject([{ business_id: salon }])
    expect(visitor.errors).toEqual([])
    await visitor.close()
  })

  test.each([
    ['/book/nobody', 'This booking page does not exist'],
    ['/checkout/nothing', 'This link leads nowhere'],
    ['/console/nowhere', 'Page not found'],
    ['/nowhere', 'This link leads nowhere'],
    ['/docs/nowhere', 'Not found'],
  ])('%s is a page in the design of the place', async (path, title) => {
    for (const [device, size] of Object.entries(consoleSizes)) {
      const visitor = await openVisitor(browser, size)
      await visitor.page.goto(`${address}${path}`)
      await visitor.page.getByRole('heading', { name: title }).waitFor()
      await keepScreenshot(visitor.page, `dead${path.replaceAll('/', '-')}-${device}`)
      expect(await misfitsIn(visitor.page)).toEqual([])
      expect(await violationsIn(visitor.page)).toEqual([])
      expect(visitor.errors).toEqual([])
      await visitor.close()
    }
  })
})
