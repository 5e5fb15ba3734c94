/** @module-tag long */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueLink } from '../../src/access/person.ts'
import { expectSound } from '../support/booking-visit.ts'
import {
  chromiumPath,
  openVisitor,
  sharedBrowser,
  startPublicService,
  type Visitor,
} from '../support/browser.ts'
import { addNewPerson, goodPassword } from '../support/person.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } }

/** Adds an authenticator to the browser of a page. Returns a switch that makes its person ready to verify themselves. */
async function addAuthenticator({ context, page }: Pick<Visitor, 'context' | 'page'>, isUserVerified = true) {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified, automaticPresenceSimulation: false },
    },
  })
  return {
    beReady: (enabled: boolean) =>
      session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    passkeys: async () =>
      (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
  }
}

describe.runIf(chromiumPath !== undefined)('passkeys in a browser', () => {
  let browser: Browser
  let service: TestService
  let address: string
  beforeAll(async () => {
    browser = await sharedBrowser()
    const started = await startPublicService('sqlite')
    service = started.service
    address = started.address.replace('127.0.0.1', 'localhost') // passkeys need a host name
  })
  afterAll(() => service.stop())

  const enterByLink = async (page: Page, email: string) => {
    const { link } = await issueLink(service.context, email)
    await page.goto(`${address}/console/link#${link.token}`)
    await page.getByText('removes your passkeys').waitFor()
    await page.getByLabel('New password').fill(goodPassword)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.locator('.side').waitFor()
  }
  const openNew = async (page: Page) => {
    await page.goto(`${address}/console/account`)
    await page.locator('summary', { hasText: 'Add a passkey' }).click()
    await page.locator('#password-for-passkey').fill(goodPassword)
    await page.locator('form[action$="passkeys/new"] button').click()
    await page.getByRole('heading', { name: 'Add a passkey' }).waitFor()
  }

  test.each(Object.keys(sizes) as (keyof typeof sizes)[])(
    'are added, log in without a password, are renamed and removed (%s)',
    async (size) => {
      const email = `${size}@example.com`
      const place = { businessId: businessOf(service.world, 'Salon Spree').id }
      await addNewPerson(service, { email, role: 'owner', place })
      const visitor = await openVisitor(browser, sizes[size])
      const { page, context, errors } = visitor
      const picture = (name: string) => expectSound(page, `passkeys-${name}-${size}`)
      await enterByLink(page, email)
      const { beReady, passkeys } = await addAuthenticator({ context, page })
      await openNew(page)
      await picture('new')
      await page.getByLabel('Name').fill('My phone')
      await beReady(true)
      await page.getByRole('button', { name: 'Create passkey' }).click()
      await page.getByText('Your passkey is added.').waitFor()
      await picture('added')
      expect(await passkeys()).toBe(1)

      // a second one on the same device
      await openNew(page)
      await page.getByRole('button', { name: 'Create passkey' }).click()
      await page.getByText('This device already has a passkey').waitFor()
      await beReady(false)

      await context.clearCookies()
      await page.goto(`${address}/console/account`)
      await page.getByRole('button', { name: 'Log in with a passkey' }).waitFor()
      await picture('log-in')
      await beReady(true)
      await page.getByRole('button', { name: 'Log in with a passkey' }).click()
      await page.getByText('My phone').waitFor()
      expect(page.url()).toBe(`${address}/console/account`)

      await page.getByLabel('Change My phone').click()
      await picture('change')
      await page.locator('details[open]').getByLabel('Name').fill('Work phone')
      await page.locator('details[open]').getByRole('button', { name: 'Save' }).click()
      await page.getByLabel('Change Work phone').click()
      await page.getByRole('button', { name: 'Remove Work phone' }).click()
      await page.getByText('The passkey is removed.').waitFor()
      expect(errors).toEqual([])
      await visitor.close()
    },
  )

  test('are suggested at the email field, and refused after their removal', async () => {
    const email = 'suggested@example.com'
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    await addNewPerson(service, { email, role: 'owner', place })
    const visitor = await openVisitor(browser, sizes.desktop)
    const { page, context, errors } = visitor
    await enterByLink(page, email)
    const { beReady } = await addAuthenticator({ context, page })
    await openNew(page)
    await beReady(true)
    await page.getByRole('button', { name: 'Create passkey' }).click()
    await page.getByText('Your passkey is added.').waitFor()
    await context.clearCookies()
    await page.goto(`${address}/console`) // the person chooses the suggestion
    await page.locator('.side').waitFor()
    await beReady(false)
    await context.clearCookies()
    // a passkey of another person, so that the server offers passkeys at all
    const rows = (await service.rows('passkeys')) as { credential_id: string }[]
    await service.context.db.transaction(({ db }) =>
      db
        .updateTable('passkeys')
        .set({ credential_id: 'another' })
        .where('credential_id', '=', rows.at(-1)?.credential_id ?? '')
        .execute(),
    )
    await beReady(true)
    await page.goto(`${address}/console`)
    await page.getByRole('alert').getByText('This passkey did not work.').waitFor()
    expect(errors).toEqual([])
    await visitor.close()
  })

  test('say where they work, and need a device that verifies its person', async () => {
    const email = 'elsewhere@example.com'
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    await addNewPerson(service, { email, role: 'owner', place })
    const visitor = await openVisitor(browser, sizes.phone)
    const { page, context } = visitor
    await enterByLink(page, email)
    const { beReady, passkeys } = await addAuthenticator({ context, page }, false)
    await beReady(true)
    await openNew(page)
    await page.getByRole('button', { name: 'Create passkey' }).click()
    await page.getByText('No passkey was added.').waitFor()
    expect(await passkeys()).toBe(0)
    const ip = address.replace('localhost', '127.0.0.1')
    const [cookie] = await context.cookies(address)
    await context.addCookies([{ name: 'holdfast', value: cookie?.value ?? '', url: ip }])
    const here = address
    address = ip
    await openNew(page)
    address = here
    await page.getByText(`Passkeys work only at ${here}.`).waitFor()
    expect(await page.getByRole('button', { name: 'Create passkey' }).isDisabled()).toBe(true)
    await visitor.close()
  })
})
