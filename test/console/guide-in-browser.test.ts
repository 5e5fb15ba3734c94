/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import { chromiumPath, keepScreenshot, sharedBrowser, startPublicService } from '../support/browser.ts'
import { consoleSizes, openConsole } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { offer, type TestService } from '../support/test-service.ts'

/* A busy Monday, as in docs/guides/running-a-salon.md. TEST_SCREENSHOTS=docs/images takes its pictures. */

const day = '2026-11-23'
const at = (time: string) => `${day}T${time}:00+01:00`
const client = (first_name: string, last_name: string, phone = '+493012345678') => {
  const email = `${first_name}.${last_name}@example.com`.toLowerCase()
  return { client: { first_name, last_name, email, phone } }
}

describe.skipIf(chromiumPath === undefined)('a busy day', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let owner: LoggedIn
  let shown = ''
  let mitte = ''

  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const { book, hold, call, staffId, business } = bookerOf(service)
    const place = { businessId: business.id }
    owner = await logInNewPerson(service, { email: 'ada@example.com', name: 'Ada', role: 'owner', place })
    mitte = offer(business, 'Haircut', 'Mitte').location_id
    /** Books services one after the other, from 11:00. */
    const bookVisit = async (wanted: { name: string; staff_id: string }[]) => {
      const { body } = await call('GET', '/services?limit=100')
      const services = body.data as { id: string; name: string }[]
      const items = wanted.map(({ name, staff_id }) => ({
        ...{ staff_id, service_id: services.find((one) => one.name === name)?.id },
      }))
      const visit = { location_id: mitte, starts_at: at('11:00'), items }
      const held = await call('POST', '/bookings/hold', visit)
      const { hold_id } = held.body
      const booked = await call('POST', '/bookings', { hold_id, ...client('Annie', 'Easley') })
      expect(booked.status, JSON.stringify(booked.body)).toBe(201)
    }
    const [anna, ben] = [staffId('Anna'), staffId('Ben')]
    shown = await book('Haircut', at('09:00'), { staff_id: anna, ...client('Grace', 'Hopper') })
    await book('Haircut', at('10:30'), { staff_id: anna, ...client('Alan', 'Turing') })
    await book('Haircut', at('14:00'), { staff_id: anna, ...client('Mary', 'Jackson') })
    await book('Haircut', at('11:00'), { staff_id: ben, ...client('Katherine', 'Johnson') })
    await book('Haircut', at('15:30'), { staff_id: ben, ...client('ليلى', 'الفهد') })
    await bookVisit([
      { name: 'Colour', staff_id: anna },
      { name: 'Haircut', staff_id: ben },
    ])
    await book('Haircut', at('11:30'), { staff_id: anna, ...client('Ida', 'Rhodes') }) // while the colour works
    await hold('Haircut', at('12:30'), { staff_id: anna })
    await call('POST', '/blocks', {
      staff_id: ben,
      starts_at: at('13:00'),
      ends_at: at('14:00'),
      reason: 'Training',
    })
    await call('PATCH', `/bookings/${shown}`, { notes: 'Please ring twice: the bell is weak.' })
  })
  afterAll(async () => {
    await service.stop()
  })

  testFirstOf([
    [
      'console-day',
      (): string => `/console?date=${day}&location=${mitte}&resources=true`,
      consoleSizes.desktop,
    ],
    ['console-list', (): string => `/console?date=${day}&view=list`, { ...consoleSizes.phone, height: 1000 }],
    ['console-booking', (): string => `/console/bookings/${shown}`, consoleSizes.desktop],
  ])('%s is whole', async (name, path, size) => {
    const visitor = await openConsole(browser, owner, { address, ...size })
    await visitor.page.goto(`${address}${path()}`)
    await keepScreenshot(visitor.page, name)
    expect(await misfitsIn(visitor.page)).toEqual([])
    expect(await violationsIn(visitor.page)).toEqual([])
    expect(visitor.errors).toEqual([])
    await visitor.close()
  })

  test('the phone of somebody in the team shows their own day, and no shortcuts', async () => {
    const { business, staffId } = bookerOf(service)
    const staff = { staffId: staffId('Ben'), place: { businessId: business.id } }
    const ben = await logInNewPerson(service, {
      email: 'ben@example.com',
      name: 'Ben',
      role: 'staff',
      ...staff,
    })
    const phone = { address, ...consoleSizes.phone, hasTouch: true }
    const visitor = await openConsole(browser, ben, phone)
    const { page } = visitor
    await page.goto(`${address}/console?date=${day}`)
    expect(await page.locator('[popovertarget=cal-tools]').innerText()).toBe('Ben Fischer')
    await page.locator('[popovertarget=cal-do]').click()
    await page.locator('#cal-do').getByRole('link', { name: 'Print the day' }).waitFor()
    expect(await page.locator('#cal-do').innerText()).not.toMatch(/Shortcuts|Show the whole day/)
    await visitor.close()
  })

  test('the key / leads from the calendar to what is booked for a client', async () => {
    const visitor = await openConsole(browser, owner, { address, ...consoleSizes.desktop })
    await visitor.page.goto(`${address}/console`)
    await visitor.page.locator('[popovertarget=cal-do]').click()
    await visitor.page.getByRole('button', { name: 'Shortcuts (?)' }).waitFor() // the script has loaded
    await visitor.page.keyboard.press('Escape')
    await visitor.page.keyboard.press('/')
    await visitor.page.keyboard.type('hopper')
    await visitor.page.keyboard.press('Enter')
    await visitor.page.getByRole('link', { name: 'Grace Hopper' }).first().click()
    expect(await visitor.page.locator('.panel h1').textContent()).toContain('Haircut')
    await visitor.close()
  })
})
