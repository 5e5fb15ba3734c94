/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  keepScreenshot,
  chromiumPath,
  sharedBrowser,
  openVisitor,
  startPublicService,
} from '../support/browser.ts'
import { violationsIn } from '../support/accessibility.ts'
import { longTest } from '../support/long.ts'
import { logInNewPerson } from '../support/person.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

/** As an owner sees it, with mouse and keyboard, on a phone and on a desktop. */
describe.runIf(chromiumPath !== undefined)('in a browser, what a business offers', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let cookie: { name: string; value: string; url: string }
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const owner = await logInNewPerson(service, {
      email: 'salon@example.com',
      role: 'owner',
      place: { businessId: businessOf(service.world, 'Salon Spree').id },
    })
    const [name = '', value = ''] = owner.cookie.split('=')
    cookie = { name, value, url: address }
  })
  afterAll(async () => {
    await service.stop()
  })

  const open = async (options: Parameters<typeof openVisitor>[1]) => {
    const visitor = await openVisitor(browser, options)
    await visitor.context.addCookies([cookie])
    const picture = async (name: string) => {
      await keepScreenshot(visitor.page, `salon-${name}`)
      expect(await violationsIn(visitor.page)).toEqual([])
      const [inner, outer] = await visitor.page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )
      expect(inner).toBeLessThanOrEqual(outer)
    }
    return { ...visitor, picture }
  }

  test('an owner adds a service on a phone, after a fault, and finds it in the list', async () => {
    const { page, picture, errors, close } = await open({ width: 390, height: 844 })
    await page.goto(`${address}/console`)
    await page.locator('.tabs').getByRole('button', { name: 'More' }).click()
    await picture('menu-phone')
    await page.getByRole('link', { name: 'Services' }).click()
    await picture('services-phone')
    await page.getByRole('link', { name: 'Add a service' }).click()
    await page.getByLabel('Name', { exact: true }).fill('تسريحة Hochsteckfrisur mit sehr langem Namen')
    await page.locator('#duration_minutes').fill('4000')
    await page.getByText('Buffers, notice and more').click()
    await picture('service-phone')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    await picture('service-fault-phone')
    await page.locator('#duration_minutes').fill('75')
    await page.locator('#duration_minutes').press('Enter')
    await page.getByText('Saved.').waitFor()
    await picture('services-saved-phone')
    await page.getByRole('link', { name: 'Hochsteckfrisur' }).click()
    expect(await page.locator('#duration_minutes').inputValue()).toBe('75')
    expect(errors).toEqual([])
    await close()
  })

  test('deposit and fees are shown for the payments that have them', async () => {
    const { page, errors, close } = await open({ width: 1280, height: 800 })
    await page.goto(`${address}/console/services/new`)
    await page.getByText('Payment and fees').click()
    const deposit = page.getByLabel('Deposit', { exact: true })
    const fee = page.getByLabel('Percent of the price').first()
    const seen = async () => [await deposit.isVisible(), await fee.isVisible()]
    expect(await seen()).toEqual([false, false])
    await page.getByLabel('The deposit', { exact: true }).check()
    expect(await seen()).toEqual([true, true])
    await deposit.fill('10')
    await page.getByLabel('The full price', { exact: true }).check()
    expect(await seen()).toEqual([false, true])
    const bottomOf = async (name: string) => {
      const box = await page.locator(`[name="${name}"]`).boundingBox()
      return (box?.y ?? 0) + (box?.height ?? 0)
    }
    const label = await page.locator('label[for="no_show_percent"]').boundingBox()
    expect((label?.y ?? 0) - (await bottomOf('fees.2.hours'))).toBeGreaterThanOrEqual(8)
    await page.getByLabel('Nothing', { exact: true }).check()
    expect(await seen()).toEqual([false, false])
    await page.getByLabel('Name', { exact: true }).fill('Plain service')
    await page.locator('[id="price.amount"]').fill('1.234,50')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor() // without the hidden deposit
    await page.getByRole('link', { name: 'Plain service' }).click()
    expect(await page.locator('[id="price.amount"]').inputValue()).toBe('1234.50')
    expect(errors).toEqual([])
    await close()
  })

  test('an owner sees how many clients a class takes while choosing who gives it', async () => {
    const { page, picture, errors, close } = await open({ width: 1280, height: 800 })
    await page.goto(`${address}/console/services/new`)
    await page.getByText('Class or group').click()
    const line = page.locator('[data-seats]')
    const people = await page.locator('[name^="staff_ids."]:checked').count()
    await page.getByLabel('Clients at once').fill('8')
    expect(await line.textContent()).toBe(
      `Each of the ${people} people gives a class with 8 places: up to ${people * 8} clients at the same time.`,
    )
    expect(await page.getByLabel('Each of them gives their own class').isVisible()).toBe(true)
    for (const box of (await page.locator('[name^="staff_ids."]:checked').all()).toReversed().slice(1))
      await box.uncheck()
    expect(await line.textContent()).toBe('1 person × 8 places = up to 8 clients at the same time.')
    await page.getByLabel('Clients at once').fill('1')
    expect(await line.isVisible()).toBe(false)
    await page.getByLabel('Clients at once').fill('8')
    await page.getByLabel('Name', { exact: true }).fill('Dawn class')
    await page.getByLabel('Online').uncheck()
    await page.getByLabel('Monday').fill('6:00 9:00')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. A part of it has no effect.').waitFor()
    await page.getByText('Monday 06:00 is not offered: it is outside the opening hours').waitFor()
    expect(await page.getByLabel('Monday').inputValue()).toBe('06:00 09:00')
    await picture('class-desk')
    await page.goto(`${address}/console/settings`)
    expect(await page.getByLabel('Also change the locations').isChecked()).toBe(true)
    await picture('settings-desk')
    expect(errors).toEqual([])
    await close()
  })

  test('an owner drags a service up, moves it down by menu, and asks several questions', async () => {
    const { page, picture, errors, close } = await open({ width: 1280, height: 800 })
    await page.goto(`${address}/console/services`)
    const names = () => page.locator('.rows').first().locator('li.item > a').allTextContents()
    const [first = '', second = ''] = (await names()).map((name) => name.trim())
    const boxOf = async (name: string) =>
      (await page.locator('li', { hasText: name }).first().locator('[data-grip]').boundingBox()) ?? {
        ...{ x: 0, y: 0, width: 0, height: 0 },
      }
    const [from, to] = [await boxOf(second), await boxOf(first)]
    await page.mouse.move(from.x + 10, from.y + 10)
    await page.mouse.down()
    await page.mouse.move(to.x + 10, to.y + 2, { steps: 4 })
    await page.mouse.up()
    await page.getByText('Moved.').waitFor()
    expect((await names()).slice(0, 2).map((name) => name.trim())).toEqual([second, first])
    await picture('services-order-desk')
    const menu = page.locator('li', { hasText: second }).first().locator('details')
    await menu.locator('summary').press('Enter')
    await menu.getByRole('button', { name: 'Move down' }).click()
    await page.getByText('Moved.').waitFor()
    expect((await names()).slice(0, 2).map((name) => name.trim())).toEqual([first, second])

    await page.goto(`${address}/console/services/new`)
    await page.getByLabel('Name', { exact: true }).fill('Consulting')
    await page.getByText('Questions for clients').click()
    for (const [index, text] of ['One', 'Two', 'Three'].entries()) {
      await page.getByRole('button', { name: 'Add a question' }).click()
      await page.locator(`[name="custom_fields.${index}.label"]`).fill(text)
    }
    await picture('questions-desk')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('link', { name: 'Consulting' }).click()
    expect(await page.locator('[name="custom_fields.2.label"]').inputValue()).toBe('Three')
    expect(errors).toEqual([])
    await close()
  })

  test('steps add up to the duration while they are typed, and a person gets another price', async () => {
    const { page, picture, errors, close } = await open({ width: 1280, height: 800 })
    await page.goto(`${address}/console/services/new`)
    await page.getByLabel('Name', { exact: true }).fill('Highlights')
    await page.getByText('Steps, rooms, other prices').click()
    const duration = page.locator('#duration_minutes')
    await page.getByLabel('Step 1: minutes').first().fill('30')
    await page.getByRole('button', { name: 'Add a step' }).click()
    await page.getByLabel('Step 2: minutes').first().fill('35')
    await page.getByLabel('Step 2: with or without the person').first().selectOption('Without the person')
    await page.getByRole('button', { name: 'Add a step' }).click()
    await page.getByLabel('Step 3: minutes').first().fill('25')
    expect(await duration.inputValue()).toBe('90')
    expect(await duration.isEditable()).toBe(false)
    await page.getByLabel('Online').uncheck() // it has no basin
    await page.getByLabel('Basin').first().check()
    const ben = page.locator('details', { has: page.locator('summary', { hasText: /^Ben Fischer$/ }) }).last()
    await ben.locator('summary').click()
    await ben.getByLabel('Price').fill('75')
    await picture('service-parts-desk')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('link', { name: 'Highlights' }).click()
    expect(await duration.inputValue()).toBe('90')
    expect(await ben.getByLabel('Price').inputValue()).toBe('75')
    await page.setViewportSize({ width: 390, height: 844 })
    await picture('service-parts-phone')
    expect(errors).toEqual([])
    await close()
  })

  longTest('an owner gives a person hours and a holiday on a desk, in German and in the dark', async () => {
    const { page, picture, errors, close } = await open({
      ...{ width: 1280, height: 800, colorScheme: 'dark', locale: 'de-DE' },
    })
    await page.goto(`${address}/console/people`)
    await picture('people-desk-dark')
    await page.getByRole('link', { name: 'Teammitglied hinzufügen' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Dana')
    await page.getByLabel('Diese Zeiten').check()
    expect(await page.getByLabel('Meeting room').isChecked()).toBe(false)
    for (const day of ['Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag'])
      await page.getByRole('checkbox', { name: day }).uncheck()
    await page.getByLabel('Montag: von', { exact: true }).fill('10:00')
    await page.getByLabel('Montag: bis', { exact: true }).fill('16:00')
    await page.getByLabel('Erster Tag').fill('2026-12-24')
    await page.getByLabel('Letzter Tag').fill('2026-12-26')
    await picture('person-desk-dark')
    await page.getByRole('button', { name: 'Speichern' }).click()
    await page.getByText('Gespeichert.').waitFor()
    await page.getByText('Mo 10:00–16:00').waitFor()
    await page.getByRole('link', { name: 'Dana' }).click()
    await page.getByText('Donnerstag, 24. Dezember 2026: abwesend').first().waitFor()
    await picture('person-holiday-desk-dark')
    await page.getByRole('button', { name: 'Arbeitet nicht mehr hier' }).click()
    await page.getByText('Bei dieser Person kann zurzeit niemand buchen.').waitFor()
    await picture('person-off-desk-dark')
    await page.getByRole('button', { name: 'Arbeitet wieder hier' }).click()
    await page.getByText('Kunden können wieder bei dieser Person buchen.').waitFor()
    await page.goto(`${address}/console/locations/new`)
    await picture('location-desk-dark')
    expect(errors).toEqual([])
    await close()
  })

  test('an owner copies the hours of a day to all open days', async () => {
    const { page, picture, errors, close } = await open({ width: 390, height: 844 })
    await page.goto(`${address}/console/locations/new`)
    await page.getByLabel('Name', { exact: true }).fill('Pop-up')
    await page.getByLabel('Monday: until', { exact: true }).fill('12:00')
    await page.getByRole('button', { name: 'Monday: add hours, such as after a break' }).click()
    await page.getByLabel('Monday: from, part 2').fill('13:00')
    await page.getByLabel('Monday: until, part 2').fill('17:00')
    await page.getByRole('button', { name: 'Copy Monday to all open days' }).click()
    await page.getByRole('checkbox', { name: 'Friday' }).uncheck()
    await page.getByRole('checkbox', { name: 'Saturday' }).check()
    await picture('hours-phone')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Mon–Thu 9:00–12:00 13:00–17:00, Sat 9:00–12:00 13:00–17:00').waitFor()
    expect(errors).toEqual([])
    await close()
  })
})
