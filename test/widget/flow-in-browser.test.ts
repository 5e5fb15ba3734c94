import { text } from 'node:stream/consumers'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Engine } from '../../src/database/database.ts'
import { violationsIn } from '../support/accessibility.ts'
import {
  apiRequests,
  expectFocus,
  expectHosts,
  expectSound,
  heading,
  next,
  tabTo,
  writeDetails,
} from '../support/booking-visit.ts'
import {
  chromiumPath,
  keepScreenshot,
  sharedBrowser,
  openVisitor,
  startPublicService,
  type Visitor,
  type VisitorOptions,
} from '../support/browser.ts'
import { isWhole, longTest, testFirstOf } from '../support/long.ts'
import { ada, businessOf, engines, offer, type TestService } from '../support/test-service.ts'

/*
 * The whole path to a booking on the hosted page, in a browser, against the service. The demo world is that of the
 * other tests. The clock of the page begins at the time of the service.
 */

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== undefined) browser = await sharedBrowser()
})

/** Visits to the hosted page of one service. */
function visitsOn(engine: Engine) {
  let service: TestService
  let address: string
  const visitors: Visitor[] = []
  beforeAll(async () => {
    ;({ service, address } = await startPublicService(engine))
  })
  afterEach(async () => {
    for (const visitor of visitors.splice(0)) {
      expectHosts(visitor, [address])
      expect(visitor.errors).toEqual([])
      await visitor.close()
    }
  })
  afterAll(() => service.stop())

  const salon = () => businessOf(service.world, 'Salon Spree')
  const visit = async (options: VisitorOptions = {}, business = salon()) => {
    const visitor = await openVisitor(browser, options)
    visitors.push(visitor)
    await visitor.page.goto(`${address}/book/${business.publishable_key}`)
    return visitor
  }
  /** Opens a page for a new visitor at the times of a day. */
  const visitTimes = async (day: string, serviceName = 'Haircut') => {
    const visitor = await visit()
    const { page } = visitor
    await next(page, new RegExp(serviceName))
    await next(page, /Mitte/)
    if (serviceName === 'Haircut') await next(page, /Anyone/)
    if (!day.startsWith('2026-11')) await next(page, 'Next month')
    await page.locator(`.day.is-free[data-date="${day}"]`).click()
    return visitor
  }
  const bookings = async (startsAt: string) =>
    (await service.rows('bookings')).filter(
      ({ starts_at }) => Date.parse(String(starts_at)) === Date.parse(startsAt),
    )
  /** Returns the active holds of a day, by its date in UTC. */
  const holdsOf = async (date: string) =>
    (await service.rows('claims')).filter(
      ({ booked_at, ended_at, starts_at }) =>
        booked_at === null && ended_at === null && new Date(String(starts_at)).toISOString().startsWith(date),
    ).length
  return { visit, visitTimes, bookings, holdsOf, salon, service: () => service }
}

const time = (page: Page, text: string) => page.locator('.time', { hasText: text }).first()

describe.skipIf(chromiumPath === undefined).each(isWhole ? engines : ['sqlite' as const])(
  'the widget in a browser (%s)',
  (engine) => {
    const { visit, visitTimes, bookings, holdsOf, salon, service } = visitsOn(engine)
    /** On the second engine only tests in which the database decides. */
    const once = longTest.runIf(engine === 'sqlite' || isWhole)
    /** The display does not depend on the engine. */
    const look = (page: Page, name: string) => (engine === 'sqlite' ? expectSound(page, name) : undefined)

    test('books by mouse; nothing is cut, and nothing is inaccessible in any step', async () => {
      const visitor = await visit({ width: 320 })
      const { page } = visitor
      await heading(page, 'What would you like to book?')
      await page.getByRole('button', { name: /Consultation/ }).waitFor()
      await look(page, '1-service')
      await next(page, /Consultation/)
      await heading(page, 'Where?')
      await look(page, '2-location')
      await next(page, /Mitte/)
      await heading(page, 'When?')
      await page.locator('.time').first().waitFor()
      expect(apiRequests(visitor).length).toBeLessThanOrEqual(5)
      await page.locator('.day.is-free[data-date="2026-11-24"]').click()
      await time(page, '11:00').waitFor()
      await look(page, '3-times')
      await time(page, '11:00').click()
      await heading(page, 'Your details')
      await next(page, 'Book now')
      await page.getByText('Please fill this in.').first().waitFor()
      await expectFocus(page, '')
      await look(page, '4-faults')
      await page.getByLabel('First name').pressSequentially('Ada')
      expect(await page.getByLabel('First name').inputValue()).toBe('Ada') // the focus stays
      expect(await page.getByText('Please fill this in.').count()).toBe(3)
      await writeDetails(page)
      await page.getByLabel('What is it about?').fill('A plan')
      await page.getByLabel('Have you been here before?').selectOption('First visit')
      await expect.poll(() => page.locator('.fault, [aria-invalid=true]').count()).toBe(0)
      await next(page, 'Book now')
      await heading(page, 'Thank you, Ada!')
      await expectFocus(page, 'Thank you, Ada!')
      await look(page, '5-done')
      const [booking] = await bookings('2026-11-24T11:00+01:00')
      expect(booking).toMatchObject({ status: 'confirmed', client_first_name: 'Ada', locale: 'en-GB' })
      expect(apiRequests(visitor).length).toBeLessThanOrEqual(12)
    })

    longTest('who chooses one of two people gets that one', async () => {
      // one of them twice: the service alternates between staff that nobody chose
      for (const [name, at] of [
        ['Ben Fischer', '13:00'],
        ['Ben Fischer', '14:00'],
        ['Anna Weber', '15:00'],
      ] as const) {
        const { page } = await visit()
        await next(page, /Haircut/)
        await next(page, /Mitte/)
        await next(page, new RegExp(name))
        await page.locator('.day.is-free[data-date="2026-11-26"]').click()
        await time(page, at).click()
        await writeDetails(page)
        await next(page, 'Book now')
        await heading(page, 'Thank you, Ada!')
        const [booking] = await bookings(`2026-11-26T${at}+01:00`)
        const person = (await service().rows('staff')).find(({ id }) => id === booking?.['staff_id'])
        expect(person).toMatchObject({ name })
      }
    })

    once('a hold that lapses leaves what was typed, and the same slot is held again', async () => {
      const { page } = await visitTimes('2026-11-25')
      await time(page, '12:00').click()
      await heading(page, 'Your details')
      await writeDetails(page)
      service().clock.advance(600)
      await page.clock.fastForward(600_000)
      await page.getByText('Your time is no longer held.').waitFor()
      expect(await violationsIn(page)).toEqual([])
      await next(page, 'Hold it again')
      await page.getByText('Held for you').waitFor()
      expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.com')
      await next(page, 'Book now')
      await heading(page, 'Thank you, Ada!')
      expect(await bookings('2026-11-25T12:00+01:00')).toHaveLength(1)
    })

    longTest('a hold that lapsed unseen is placed again by who books, once', async () => {
      const visitor = await visitTimes('2026-11-27')
      const { page } = visitor
      await time(page, '12:00').click()
      await writeDetails(page)
      service().clock.advance(601) // the page was asleep in the meantime
      await next(page, 'Book now')
      await heading(page, 'Thank you, Ada!')
      expect(await bookings('2026-11-27T12:00+01:00')).toHaveLength(1)
      const holds = apiRequests(visitor).filter(({ address }) => address.endsWith('/bookings/hold'))
      expect(holds).toHaveLength(2)
    })

    longTest('a booking of which every answer was lost is found by who tries again', async () => {
      const { page } = await visitTimes('2026-11-27')
      await time(page, '14:00').click()
      await writeDetails(page)
      let lost = 0
      await page.route('**/api/v1/bookings', async (route) => {
        if (lost === 2) return route.continue()
        lost += 1
        await route.fetch()
        return route.abort()
      })
      await next(page, 'Book now')
      await next(page, 'Try again')
      await heading(page, 'Thank you, Ada!')
      expect(await bookings('2026-11-27T14:00+01:00')).toHaveLength(1)
    })

    longTest('whoever may make no more bookings is told so, and is not sent to another time', async () => {
      const { page } = await visitTimes('2026-11-27')
      await time(page, '15:00').click()
      await writeDetails(page)
      const refusal = { type: '', title: '', detail: '', status: 429, code: 'booking_limit_reached' }
      await page.route('**/api/v1/bookings', (route) =>
        route.fulfill({ status: 429, headers: { 'retry-after': '3600' }, json: refusal }),
      )
      await next(page, 'Book now')
      await page.getByText('No more bookings can be made here at the moment.').waitFor()
      await look(page, 'too-many-bookings')
      expect(await page.locator('.notice button').count()).toBe(0)
    })

    longTest(
      'a lapsed slot that somebody else has taken leaves the nearest ones, and what was typed',
      async () => {
        const { page } = await visitTimes('2026-11-26')
        await time(page, '12:00').click()
        await heading(page, 'Your details')
        await writeDetails(page)
        service().clock.advance(600)
        await page.clock.fastForward(600_000)
        await page.getByText('Your time is no longer held.').waitFor()
        await takeAll('2026-11-26T12:00:00+01:00')
        await next(page, 'Book now')
        await page.getByText('somebody else was a moment quicker').waitFor()
        await look(page, 'taken')
        await page.locator('.alternatives button').first().click()
        await page.getByText('Held for you').waitFor()
        expect(await page.getByLabel('First name').inputValue()).toBe('Ada')
        await next(page, 'Book now')
        await heading(page, 'Thank you, Ada!')
      },
    )

    /** Books every stylist at an instant. */
    async function takeAll(startsAt: string): Promise<void> {
      for (let person = 0; person < 2; person += 1) {
        const token = await service().session(salon())
        const wanted = { ...offer(salon(), 'Haircut', 'Mitte'), starts_at: startsAt }
        const hold = await service().call('POST', '/bookings/hold', { token, body: wanted })
        expect(hold.status).toBe(201)
        const body = { hold_id: hold.body.hold_id, client: ada }
        expect((await service().call('POST', '/bookings', { token, body })).status).toBe(201)
      }
    }

    test('of two browsers after one slot, one gets it, and the other a kind sentence with other times', async () => {
      const [first, second] = [
        await visitTimes('2026-11-27', 'Consultation'),
        await visitTimes('2026-11-27', 'Consultation'),
      ]
      await time(first.page, '14:00').waitFor()
      await time(second.page, '14:00').waitFor()
      await Promise.all([time(first.page, '14:00').click(), time(second.page, '14:00').click()])
      const outcome = async ({ page }: Visitor) => {
        const details = page.getByRole('heading', { name: 'Your details' })
        const sorry = page.getByText('somebody else was a moment quicker')
        await details.or(sorry).first().waitFor()
        return (await details.isVisible()) ? 'held' : 'refused'
      }
      const outcomes = [await outcome(first), await outcome(second)]
      expect(outcomes.toSorted()).toEqual(['held', 'refused'])
      const loser = outcomes[0] === 'refused' ? first : second
      expect(await violationsIn(loser.page)).toEqual([])
      await expect.poll(() => loser.page.locator('.alternatives button').count()).toBe(3)
      await loser.page.locator('.alternatives button').first().click()
      await heading(loser.page, 'Your details')
    })

    longTest(
      'another time swaps the hold, the new one before the old one is free; leaving the page releases it',
      async () => {
        const { page, requests } = await visitTimes('2026-11-30')
        await time(page, '10:00').click()
        await heading(page, 'Your details')
        await next(page, 'Choose another time')
        await page.locator('.time.is-held').waitFor()
        await time(page, '15:00').click()
        await heading(page, 'Your details')
        const sent = () =>
          requests.filter(({ address: to }) => to.includes('/bookings/hold')).map(({ method }) => method)
        await expect.poll(sent).toEqual(['POST', 'POST', 'DELETE'])
        await expect.poll(() => holdsOf('2026-11-30')).toBe(1)
        await page.goto('about:blank')
        await expect.poll(() => holdsOf('2026-11-30')).toBe(0)
      },
    )

    once('a session that ends under the visitor is renewed once, and the hold is still theirs', async () => {
      const { page, requests } = await visitTimes('2026-12-02')
      const exchanges = () =>
        requests.filter(({ method, address: to }) => method === 'POST' && to.endsWith('/session'))
      expect(exchanges()).toHaveLength(1)
      service().clock.advance(3_300)
      await time(page, '10:00').click()
      await heading(page, 'Your details')
      service().clock.advance(400) // the session has expired, but the hold has not
      await writeDetails(page)
      await next(page, 'Book now')
      await heading(page, 'Thank you, Ada!')
      expect(exchanges()).toHaveLength(2)
      expect(exchanges()[1]?.headers['x-previous-session']).toMatch(/^cal_ses_/)
      expect(await bookings('2026-12-02T10:00+01:00')).toHaveLength(1)
    })
  },
)

/* Tests that are independent of the database. */
describe.skipIf(chromiumPath === undefined)('the widget in a browser', () => {
  const { visit, visitTimes, bookings, service } = visitsOn('sqlite')

  test('books by keyboard alone, and the focus is where the visitor is', async () => {
    const { page } = await visit({ width: 1280 })
    const press = (key: string) => page.keyboard.press(key)
    await page.getByRole('button', { name: /Haircut/ }).waitFor()
    await tabTo(page, /^Haircut/, 4)
    await press('Enter')
    await expectFocus(page, /^Where\?$/)
    await tabTo(page, /^Mitte/, 3)
    await press('Enter')
    await expectFocus(page, /^With whom\?$/)
    await tabTo(page, /^Anyone|Whoever is free/, 4)
    await press('Enter')
    await page.locator('.day.is-free.is-chosen').waitFor()
    await tabTo(page, /free times/, 10)
    await expectFocus(page, 'Friday, 20 November 2026, free times, chosen')
    await press('ArrowDown')
    await expectFocus(page, 'Friday, 27 November 2026, free times')
    await press('ArrowLeft')
    await expectFocus(page, /^Thursday, 26 November 2026/)
    await press('PageDown')
    await page.locator('.day[data-date="2026-12-26"].is-free').waitFor()
    await expectFocus(page, /^Saturday, 26 December 2026/)
    await press('Home')
    await expectFocus(page, /^Monday, 21 December 2026/)
    await press('Enter')
    await page.getByRole('heading', { name: /21 December/ }).waitFor()
    await tabTo(page, /^9:00/, 6)
    await press('Enter')
    await page.getByLabel('First name').waitFor() // its script loads on demand
    await expectFocus(page, 'Your details')
    await press('Tab')
    await expectFocus(page, 'Map') // the link of the location in the summary
    await press('Tab')
    await press('Tab')
    await page.keyboard.type('Grace')
    await press('Tab')
    await page.keyboard.type('Hopper')
    await press('Tab')
    await page.keyboard.type('grace@example.com')
    await press('Enter')
    await heading(page, 'Thank you, Grace!')
    expect(await bookings('2026-12-21T09:00+01:00')).toHaveLength(1)
  })

  longTest('a visitor never meets the limit of 30 requests a minute: nothing asks by itself', async () => {
    const visitor = await visit({}, businessOf(service().world, 'Thames Barbers'))
    const { page } = visitor
    const sent = () => apiRequests(visitor).length
    const wait = async (minutes: number) => {
      const before = sent()
      await page.clock.runFor(minutes * 60_000)
      expect(sent()).toBe(before)
    }
    await next(page, /Haircut/)
    await next(page, /Southwark/)
    await next(page, /Anyone/)
    await page.locator('.time').first().waitFor()
    for (const month of ['2026-12', '2027-01', '2027-02', '2027-03', '2027-04', '2027-05']) {
      await next(page, 'Next month')
      await page.locator(`.day.is-free[data-date^="${month}-1"]`).first().waitFor() // so the page requested it
    }
    await wait(10)
    for (let swap = 0; swap < 3; swap += 1) {
      await page.locator('.day.is-free').nth(swap).click()
      await page.locator('.time').nth(swap).click()
      await heading(page, 'Your details')
      if (swap < 2) await next(page, 'Choose another time')
    }
    const released = () => apiRequests(visitor).filter(({ method }) => method === 'DELETE').length
    await expect.poll(released).toBe(2) // on its way when the next hold exists
    await wait(9)
    await writeDetails(page)
    await next(page, 'Book now')
    await heading(page, 'Thank you, Ada!')
    await wait(10)
    // the requests of a visitor in a hurry within one minute
    expect(sent()).toBeLessThanOrEqual(25)
  })

  longTest('speaks German, with the dates and clocks of German readers', async () => {
    const { page } = await visit({ locale: 'de-DE' })
    await heading(page, 'Was möchten Sie buchen?')
    await next(page, /Haircut/)
    await next(page, /Mitte/)
    await next(page, /Egal, bei wem/)
    await next(page, 'Nächster Monat')
    await page.locator('.day.is-free[data-date="2026-12-03"]').click()
    await page.getByRole('heading', { name: 'Zeiten am Donnerstag, 3. Dezember 2026' }).waitFor()
    expect(await page.locator('th').first().textContent()).toMatch(/^Mo/)
    await expectSound(page, 'german')
  })

  longTest(
    'asks how many come where several share a slot, and shows and holds what has room for them',
    async () => {
      const { page } = await visitTimes('2026-12-04', 'Yoga class')
      const first = page.locator('.time').first()
      const day = page.locator('.day.is-free[data-date="2026-12-04"]')
      expect(await first.textContent()).toContain('Places left: 8') // for one person, too
      const field = page.getByLabel('How many people?')
      const [above, below] = await Promise.all([
        field.boundingBox(),
        page.locator('.next-free').boundingBox(),
      ])
      const ring = 5 // its outline, with its offset
      expect((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)).toBeGreaterThan(ring)
      const limit = page.getByText('At most 8')
      expect(await limit.count()).toBe(0)
      await field.fill('9')
      await limit.waitFor()
      await page.keyboard.press('Enter')
      expect(await field.inputValue()).toBe('8') // the displayed number is the one held
      expect(await limit.count()).toBe(1)
      await field.fill('3')
      expect(await limit.count()).toBe(0)
      await page.keyboard.press('Enter')
      await expect.poll(() => first.textContent()).toContain('Places left: 8')
      await first.click()
      await heading(page, 'Your details')
      expect(await page.locator('.summary').textContent()).toContain('for 3 people')
      await writeDetails(page)
      await next(page, 'Book now')
      await heading(page, 'Thank you, Ada!')
      const booked = (await service().rows('bookings')).filter(({ party_size }) => party_size === 3)
      expect(booked).toHaveLength(1)
      await next(page, 'Book another')
      await next(page, /Yoga class/)
      await next(page, /Mitte/)
      await day.click()
      await page.getByLabel('How many people?').fill('2') // and nothing more: the tap that leaves the field hits a time
      await expect.poll(() => first.textContent()).toContain('Places left: 5')
      await page.getByLabel('How many people?').fill('6')
      await page.keyboard.press('Enter')
      await expect.poll(() => first.textContent()).toContain('Places left: 8') // the one with five left is hidden
      await expectSound(page, 'party')
    },
  )

  longTest('speaks Arabic from right to left, in the dark', async () => {
    const { page } = await visit({ locale: 'ar', colorScheme: 'dark', width: 320 })
    await heading(page, 'ماذا تودّ أن تحجز؟')
    expect(await page.locator('.widget').getAttribute('dir')).toBe('rtl')
    await next(page, /Haircut/)
    await next(page, /Mitte/)
    await next(page, /أي شخص/)
    await page.locator('.day.is-free[data-date="2026-11-27"]').click()
    await page.locator('.time').first().waitFor()
    await expectSound(page, 'arabic-1')
    await page.locator('.day[data-date="2026-11-27"]').focus()
    await page.keyboard.press('ArrowLeft') // forward, in right-to-left scripts
    const onDay = `document.querySelector('holdfast-booking').shadowRoot.activeElement.dataset.date`
    await expect.poll(() => page.evaluate(onDay)).toBe('2026-11-28')
    await page.locator('.time').first().click()
    await heading(page, 'بياناتك')
    await expectSound(page, 'arabic-2')
  })

  testFirstOf(
    [
      ['pl', /Haircut/, /Bez preferencji/],
      ['it', /Haircut/, /Nessuna preferenza/],
      ['pt-BR', /Haircut/, /Sem preferência/],
      ['nl', /Haircut/, /Geen voorkeur/],
      ['tr', /Haircut/, /Fark etmez/],
      ['ja', /Haircut/, /指名なし/],
    ],
    { nightFrom: 2 },
  )('speaks %s from the first step to the last; nothing is cut', async (locale, service, anyone) => {
    const { page } = await visit({ locale, width: 390 })
    await next(page, service)
    await next(page, /Mitte/)
    await page.getByRole('button', { name: anyone }).waitFor()
    await expectSound(page, `${locale}-1-staff`)
    await next(page, anyone)
    await page.locator('.day.is-free[data-date="2026-11-30"]').click()
    await page.locator('.time').first().waitFor()
    await expectSound(page, `${locale}-2-times`)
    await page.locator('.time').last().click()
    await page.locator('.countdown').waitFor()
    await page.locator('form .primary').click()
    await page.locator('.fault').first().waitFor()
    await expectSound(page, `${locale}-3-faults`)
    for (const [type, text] of [
      ['given-name', 'Ada'],
      ['family-name', 'Lovelace'],
      ['email', 'ada@example.com'],
    ]) {
      await page.locator(`[autocomplete="${type ?? ''}"]`).fill(text ?? '')
    }
    await page.locator('form .primary').click()
    await page.locator('.confirmation').waitFor()
    await expectSound(page, `${locale}-4-booked`)
  })

  longTest('a visitor in Tokyo sees both times of New York before and after its clocks change', async () => {
    const { page } = await visit(
      { timezoneId: 'Asia/Tokyo', locale: 'en-US' },
      businessOf(service().world, 'Hudson Studio'),
    )
    await next(page, /Consultation/)
    await next(page, /Chelsea/)
    await page.getByLabel('Times are shown in').selectOption('Asia/Tokyo')
    for (const month of ['December', 'January', 'February', 'March']) {
      await next(page, 'Next month')
      await page.getByText(`${month} 202`).first().waitFor()
    }
    await page.locator('.day.is-free[data-date="2027-03-12"]').click()
    // 09:00 in New York on Friday the 12th: still winter time, 14 hours behind
    await page.locator('.time', { hasText: '11:00 PM9:00 AM in New York' }).waitFor()
    await page.locator('.day.is-free[data-date="2027-03-15"]').click()
    // the same hour on Monday the 15th, in summer time: 13 hours behind
    const after = page.locator('.time', { hasText: '10:00 PM9:00 AM in New York' })
    await after.waitFor()
    await expectSound(page, 'tokyo')
    await after.click()
    await page.getByText('9:00 AM – 10:00 AM in New York').waitFor()
    await page.getByText('Japan Standard Time').waitFor()
    await writeDetails(page)
    await page.getByLabel('What is it about?').fill('A plan')
    await next(page, 'Book now')
    await heading(page, 'Thank you, Ada!')
    await page.getByText('Add to calendar').click()
    const [download] = await Promise.all([page.waitForEvent('download'), next(page, 'Calendar file')])
    const file = await text(await download.createReadStream())
    expect(file).toContain('DTSTART:20270315T130000Z\r\nDTEND:20270315T140000Z')
    expect(await bookings('2027-03-15T09:00-04:00')).toHaveLength(1)
  })

  longTest('where one goes to a place, times are those of the place, and its zone is named', async () => {
    const { page } = await visit(
      { timezoneId: 'Asia/Tokyo', locale: 'en-US', width: 390 },
      businessOf(service().world, 'Hudson Studio'),
    )
    await next(page, /Consultation/)
    await next(page, /Chelsea/)
    await page.locator('.day.is-free[data-date="2026-11-24"]').click()
    await expect.poll(() => page.locator('.time').first().textContent()).toMatch(/^9:00.AM$/)
    await keepScreenshot(page, 'other-zone-times')
    await page.locator('.time').first().click()
    await page.getByText('New York (Eastern Standard Time)').waitFor()
    await keepScreenshot(page, 'other-zone-details')
  })
})
