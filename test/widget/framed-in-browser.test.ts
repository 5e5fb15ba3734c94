/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/catalogue/business-keys.ts'
import {
  chromiumPath,
  keepScreenshot,
  sharedBrowser,
  openVisitor,
  serveWebsite,
  startPublicService,
  type Website,
} from '../support/browser.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

/* The booking page in a frame of a website: only if the key allows it, and as high as its content. */

const guideBlock = blocksOf(documentAt('docs/guides/widget.md'))
  .map(({ text }) => text)
  .find((text) => text.startsWith('<iframe'))

describe.skipIf(chromiumPath === undefined)('the booking page in a frame', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let website: Website
  let html = ''
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    website = await serveWebsite(() => ({ '/': html }))
  })
  afterAll(async () => {
    await website.stop()
    await service.stop()
  })

  /** Opens the website with a frame of the page of a new key. */
  const open = async (allowedOrigins: string[], allowFrames: boolean) => {
    const { id: businessId } = businessOf(service.world, 'Thames Barbers')
    const { key } = await createKey(service.context, {
      ...{ type: 'publishable', businessId, allowedOrigins, allowFrames },
    })
    const frame = (guideBlock ?? '').replaceAll('https://book.example.com', address).replace('cal_pub_…', key)
    html = `<!doctype html><html lang="en"><title>A website</title><h1>A website</h1>${frame}`
    const visitor = await openVisitor(browser, { timezoneId: 'Europe/London' })
    await visitor.page.goto(website.address)
    return { ...visitor, frame: visitor.page.frameLocator('#booking') }
  }

  test('is shown where its key allows that, books, and tells its height', async () => {
    const { page, frame, errors, close } = await open([website.address], true)
    await frame.getByRole('button', { name: /Meeting room/ }).waitFor()
    const height = () => page.evaluate<number>('document.getElementById("booking").offsetHeight')
    await expect.poll(height).not.toBe(800)
    const shown = Math.ceil((await frame.locator('main').boundingBox())?.height ?? 0)
    expect(await height()).toBe(shown)
    await keepScreenshot(page, 'framed')
    await frame.getByRole('button', { name: /Meeting room/ }).click()
    await frame.getByRole('button', { name: /Southwark/ }).click()
    await frame.locator('.time').first().click()
    await frame.getByRole('heading', { name: 'Your details' }).waitFor()
    await page.evaluate(`addEventListener('message', ({ data }) => { if (data.booking) told = data })`)
    await frame.getByLabel('First name').fill('Ada')
    await frame.getByLabel('Last name').fill('Lovelace')
    await frame.getByLabel('Email').fill('ada@example.com')
    await frame.getByRole('button', { name: 'Book now' }).click()
    await frame.getByRole('heading', { name: 'Thank you, Ada!' }).waitFor()
    const told = await page.evaluate('told')
    expect(told).toMatchObject({ type: 'holdfast:booked', booking: { status: 'confirmed' } })
    expect(JSON.stringify(told)).not.toMatch(/Ada|cal_man_/)
    expect(errors).toEqual([])
    await close()
  })

  test('has the colour and theme of its address, on the background of the website', async () => {
    const { page, frame, errors, close } = await open([website.address], true)
    await page.evaluate(`{
      document.documentElement.style.colorScheme = 'dark'
      document.getElementById('booking').src += '?theme=dark&accent=%23ffcc00&service=haircut'
    }`)
    await frame.locator('html[data-theme=dark]').waitFor()
    await frame.getByRole('heading', { level: 2 }).waitFor()
    expect(await frame.locator('holdfast-booking').getAttribute('accent')).toBe('#ffcc00')
    const background = await page
      .frames()[1]
      ?.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    expect(background).toBe('rgba(0, 0, 0, 0)')
    await keepScreenshot(page, 'framed-dark')
    expect(errors).toEqual([])
    await close()
  })

  test.each([
    ['whose key does not allow it', () => [website.address], false],
    ['of another website', () => ['https://www.example.com'], true],
  ])('is not shown in one %s', async (_which, origins, allowFrames) => {
    const { page, errors, close } = await open(origins(), allowFrames)
    await expect.poll(() => errors.join()).toContain('frame-ancestors')
    expect(page.frames().some((frame) => frame.url().startsWith(address))).toBe(false)
    await close()
  })

  test('the API makes such keys for named websites only', async () => {
    const { id, business_key: token } = businessOf(service.world, 'Salon Spree')
    const create = (body: object) => service.call('POST', `/businesses/${id}/keys`, { token, body })
    const origins = { allowed_origins: ['https://www.example.com'] }
    const made = await create({ type: 'publishable', allow_frames: true, ...origins })
    expect(made).toMatchObject({ status: 201, body: { allow_frames: true, ...origins } })
    expect(await create({ type: 'publishable', allow_frames: true })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/allowed_origins' }] },
    })
  })
})
