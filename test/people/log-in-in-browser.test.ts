import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSound } from '../support/booking-visit.ts'
import { chromiumPath, sharedBrowser } from '../support/browser.ts'
import { commandLine } from '../support/command-line.ts'
import { totpCode } from '../../src/access/totp.ts'
import { isWhole, longTest } from '../support/long.ts'
import { goodPassword } from '../support/person.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { engines } from '../support/test-service.ts'

const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }

/** From the line printed at startup to the log-out, as an owner does it. */
describe.runIf(chromiumPath !== undefined)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })

  // test/people/log-in.test.ts covers the engines
  describe.each(isWhole ? engines : ['sqlite' as const])('the first owner (%s)', (engine) => {
    let database: TestDatabase
    let server: ServerProcess
    beforeAll(async () => {
      database = await createTestDatabase(engine)
      server = await startServer(database.url, { NODE_ENV: 'development' })
    })
    afterAll(async () => {
      await server.stop()
      await database.drop()
    })

    const open = async (size: keyof typeof sizes) => {
      const page = await browser.newPage({ viewport: sizes[size] })
      page.setDefaultTimeout(60_000)
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('console', (message) => {
        if (/Content.Security.Policy/i.test(message.text())) errors.push(message.text())
      })
      return {
        page,
        errors,
        picture: (name: string) => expectSound(page, `people-${name}-${engine}-${size}`),
      }
    }
    const logIn = async (page: Page, email: string, password: string) => {
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Log in' }).click()
    }
    const logOut = async (page: Page, name: string) => {
      await page.locator('.person > summary', { hasText: name }).click()
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByRole('heading', { name: 'Log in' }).waitFor()
    }

    test('begins by the link that the start prints, logs out, and logs in', async () => {
      const [, link = ''] = /^Console +(\S+)$/m.exec(server.process.stdout()) ?? []
      expect(link).toContain('/console/first#cal_lnk_')
      const { page, errors, picture } = await open('desktop')
      await page.goto(link)
      expect(page.url()).not.toContain('cal_lnk_')
      await picture('first')
      await page.getByLabel('Your name').fill('Ada Lovelace')
      await page.getByLabel('Email').fill('ada@example.com')
      await page.getByLabel('New password').fill('password123')
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByRole('alert').waitFor()
      await picture('first-refused')
      await page.getByLabel('New password').fill(goodPassword)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.locator('.side', { hasText: 'Ada Lovelace' }).waitFor()
      await picture('console')
      await page.getByText('Salon Spree').first().click() // the oldest; opens the menu of businesses
      await picture('businesses')
      await page.getByRole('link', { name: 'Hudson Studio' }).click()
      await page.locator('summary.name', { hasText: 'Hudson Studio' }).waitFor()
      await logOut(page, 'Ada Lovelace')
      await logIn(page, 'ada@example.com', 'not the password')
      await page.getByRole('alert').waitFor()
      await picture('refused')
      await logIn(page, 'ada@example.com', goodPassword)
      await page.locator('.side').waitFor()
      // an open page calls the API as its reader
      expect(await page.evaluate(async () => (await fetch('/api/v1/businesses')).status)).toBe(200)
      await logOut(page, 'Ada Lovelace')
      expect(await page.evaluate(async () => (await fetch('/api/v1/businesses')).status)).toBe(401)
      await page.goBack()
      await page.reload()
      await page.getByRole('heading', { name: 'Log in' }).waitFor()
      expect(errors).toEqual([])
      await page.close()
    })

    longTest('is sent a new link by the command line, which opens on a phone', async () => {
      const { link } = (await commandLine(database.url).json('user', 'link', 'ada@example.com')) as {
        link: { url: string }
      }
      const { page, errors, picture } = await open('phone')
      const path = link.url.replace(/^.*(?=\/console)/, '')
      await page.goto(`${server.address}${path}`)
      await picture('link')
      await page.getByLabel('New password').fill('another long password')
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.locator('.side').waitFor()
      await picture('console')
      await page.locator('.person > summary').click()
      await page.getByRole('link', { name: 'Your account' }).click()
      await page.getByRole('heading', { name: 'Where you are logged in' }).waitFor()
      await picture('account')
      await page.locator('summary', { hasText: 'Set up an authenticator app' }).click()
      await page.locator('#password-to-begin').fill('another long password')
      await page.getByRole('button', { name: 'Continue' }).click()
      const secret = (await page.locator('p.code').innerText()).replaceAll(' ', '')
      await picture('authenticator')
      await page.evaluate(`{
        const code = document.querySelector('p.code code')
        code.textContent = code.textContent.replace(/\\w/g, 'W')
      }`)
      await picture('authenticator-widest')
      await page
        .getByRole('textbox', { name: 'Code' })
        .fill(totpCode(secret, Math.floor(Date.now() / 30_000)))
      await page.getByRole('button', { name: 'Confirm' }).click()
      await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
      await picture('recovery')
      const [code = ''] = await page.locator('.codes code').allInnerTexts()
      await logOut(page, 'Ada Lovelace')
      await logIn(page, 'ada@example.com', 'another long password')
      await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
      await picture('second-step')
      await page.getByLabel('Code').fill(code)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.locator('.side').waitFor()
      await logOut(page, 'Ada Lovelace')
      await picture('log-in')
      await page.goto(`${server.address}${path}`)
      await page.getByLabel('New password').fill('yet another password')
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.getByRole('heading', { name: 'This link has expired' }).waitFor()
      await picture('ended')
      expect(errors).toEqual([])
      await page.close()
    })
  })
})
