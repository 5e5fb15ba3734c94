/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { violationsIn } from '../support/accessibility.ts'
import { chromiumPath, keepScreenshot, sharedBrowser, startPublicService } from '../support/browser.ts'
import { consoleSizes, openConsole } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { goodPassword, type LoggedIn, logInNewPerson } from '../support/person.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

describe.runIf(chromiumPath !== undefined)('in a browser, somebody who works at a second business', () => {
  let browser: Browser
  let service: TestService
  let server: MailServer
  let address: string
  let owner: LoggedIn
  const idOf = (name: string) => businessOf(service.world, name).id
  beforeAll(async () => {
    browser = await sharedBrowser()
    server = await startMailServer()
    const variables = { SMTP_URL: server.url, MAIL_FROM: 'Holdfast <mail@holdfast.example>' }
    ;({ service, address } = await startPublicService('sqlite', variables))
    const place = { businessId: idOf('Lotus Clinic') }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
  })
  afterAll(async () => {
    await service.stop()
    await server.close()
  })

  testFirstOf([
    ['desktop', 'light', 'en'],
    ['phone', 'dark', 'de'],
  ] as const)(
    'is invited, accepts, and proves a new address, on a %s (%s, %s)',
    async (size, colorScheme, locale) => {
      const email = `anna-${size}@example.com`
      const place = { businessId: idOf('Salon Spree') }
      const anna = await logInNewPerson(service, { email, role: 'manager', place })
      const words =
        locale === 'en'
          ? {
              invited: 'An invitation is on its way',
              accept: 'Accept',
              changeEmail: 'Change email',
              confirm: 'Confirm this address',
              again: 'Send again',
              sent: 'Invitation sent again',
            }
          : {
              invited: 'Eine Einladung ist unterwegs',
              accept: 'Annehmen',
              changeEmail: 'E-Mail ändern',
              confirm: 'Diese Adresse bestätigen',
              again: 'Erneut senden',
              sent: 'Einladung erneut gesendet',
            }
      const look = async (page: Parameters<typeof keepScreenshot>[0], name: string) => {
        await keepScreenshot(page, `invitations-${name}-${size}`)
        expect(await violationsIn(page)).toEqual([])
      }
      const options = { address, colorScheme, locale, ...consoleSizes[size] }
      const adder = await openConsole(browser, owner, options)
      await adder.page.goto(`${address}/console/users/new`)
      await adder.page.locator('#email').fill(email)
      await adder.page.locator('#role').selectOption('manager')
      await adder.page.locator('main button.main').click()
      await adder.page.getByText(words.invited).waitFor()
      await look(adder.page, 'list')
      await adder.page.getByRole('button', { name: words.again }).first().click()
      await adder.page.getByText(words.sent).waitFor()
      expect(adder.errors).toEqual([])
      await adder.close()

      const invited = await openConsole(browser, anna, options)
      const { page } = invited
      await page.goto(`${address}/console/invitations`)
      await look(page, 'own')
      await page.getByRole('button', { name: words.accept }).click()
      await page.locator('.side').waitFor()
      expect(await page.locator('.side').innerText()).toContain('Lotus Clinic')
      await page.goto(`${address}/console/account`)
      await look(page, 'account')
      const next = `new-${email}`
      await page.locator('summary', { hasText: words.changeEmail }).click()
      await page.locator('#email').fill(next)
      await page.locator('#password-for-email').fill(goodPassword)
      await page.getByRole('button', { name: words.changeEmail }).click()
      await page.getByText(next).first().waitFor()
      await service.app.mails.settled()
      const token = /console\/email#(\w+)/.exec(server.to(next)[0]?.text ?? '')?.[1] ?? ''
      await page.goto(`${address}/console/email#${token}`)
      await look(page, 'confirm')
      await page.getByRole('button', { name: words.confirm }).click()
      await page.getByRole('status').waitFor()
      await look(page, 'confirmed')
      await page.goto(`${address}/console/account`)
      expect(await page.locator('main').innerText()).toContain(next)
      expect(invited.errors).toEqual([])
      await invited.close()
    },
  )
})
