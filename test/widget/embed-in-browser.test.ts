import { beforeAll, describe, expect, test } from 'vitest'
import { expectSound, heading } from '../support/booking-visit.ts'
import { chromiumPath, type Website } from '../support/browser.ts'
import { commandLine } from '../support/command-line.ts'
import { businessOf, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/* The lines that put the widget on a website: those of the page `/embed`, and those of the command line. */

describe.skipIf(chromiumPath === undefined)('the lines for a website', () => {
  let service: TestService
  let address: string
  let website: Website
  let snippet = ''
  const visits = startVisits({ pages: () => ({ '/': `<!doctype html><title>A website</title>${snippet}` }) })
  beforeAll(() => {
    ;({ service, address, website } = visits)
  })

  const salon = () => businessOf(service.world, 'Salon Spree')
  const serviceId = () => salon().services.find(({ name }) => name === 'Haircut')?.id ?? ''
  const open = async (url: string, width = 1280) => {
    const visitor = await visits.visitor({ width })
    await visitor.page.goto(url)
    return visitor.page
  }
  const accent = `getComputedStyle(document.querySelector('holdfast-booking')).getPropertyValue('--holdfast-accent').trim()`

  test('are made by the page /embed, which shows what they do', async () => {
    const page = await open(`${address}/embed`)
    await page.getByLabel('Publishable key').fill('cal_pub_nothing')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('No business has this key.').waitFor()
    await page.getByLabel('Publishable key').fill(salon().publishable_key)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Service').selectOption('Haircut')
    await page.getByLabel('Language').selectOption('Deutsch')
    await page.getByLabel('Colour').fill('#ffcc00')
    await page.getByRole('button', { name: 'Update' }).click()
    await heading(page, 'Wo?')
    expect(await page.evaluate(accent)).toBe('#ffcc00')
    await expectSound(page, 'embed')
    snippet = await page.getByLabel('For your website').inputValue()
    const link = `${address}/book/${salon().publishable_key}`
    expect(snippet)
      .toBe(`<link rel="preload" as="fetch" crossorigin href="${link}/start?service=${serviceId()}">
<script type="module" src="${address}/widget/v1.js"></script>
<style>holdfast-booking { --holdfast-accent: #ffcc00; --holdfast-on-accent: #111111 }</style>
<holdfast-booking publishable-key="${salon().publishable_key}" service-id="${serviceId()}" locale="de" style="display: block; min-height: 800px">
  <a href="${link}?service=${serviceId()}">Suchen Sie sich eine Zeit aus und buchen Sie Ihren Termin bei Salon Spree in einer Minute.</a>
</holdfast-booking>`)
    const pasted = await visits.visitor()
    await pasted.page.goto(website.address)
    await heading(pasted.page, 'Wo?')
    expect(await pasted.page.evaluate(accent)).toBe('#ffcc00')
    const starts = pasted.requests.filter(({ address: to }) => to.endsWith('/start'))
    expect(starts).toHaveLength(1) // the widget uses the response that was loaded in parallel with the script
    await page.getByLabel('Text of a button').fill('<Book> & go')
    await page.getByRole('button', { name: 'Update' }).click()
    await page.getByRole('link', { name: '<Book> & go' }).click()
    await page.getByRole('dialog').waitFor()
    snippet = await page.getByLabel('For your website').inputValue()
    const over = await open(website.address, 390)
    await over.waitForFunction(`customElements.get('holdfast-booking') !== undefined`)
    await over.getByRole('link', { name: '<Book> & go' }).click()
    await heading(over, 'Wo?')
    await over.getByRole('dialog').waitFor()
  })

  test('lead to the booking page as long as the script is not there', async () => {
    const holdfast = commandLine(service.databaseUrl, { PUBLIC_URL: address })
    const lines = ['widget', 'snippet', '--key', salon().publishable_key, '--service', 'Haircut']
    for (const [more, name] of [
      [[], 'Choose a time that suits you and book your appointment with Salon Spree in a minute.'],
      [['--overlay', 'Book now'], 'Book now'],
    ] as const) {
      snippet = (await holdfast.text(...lines, ...more)).replace(/<script.*<\/script>/, '')
      const page = await open(website.address, 390)
      await page.getByRole('link', { name }).click()
      await heading(page, 'Where?')
      expect(page.url()).toBe(`${address}/book/${salon().publishable_key}?service=${serviceId()}`)
    }
  })

  test('are printed by `holdfast widget snippet`, with names in place of ids', async () => {
    const holdfast = commandLine(service.databaseUrl, { PUBLIC_URL: address })
    const key = salon().publishable_key
    snippet = await holdfast.text('widget', 'snippet', '--key', key, '--service', 'Haircut', '--locale', 'de')
    expect(snippet).toContain(`publishable-key="${key}" service-id="${serviceId()}" locale="de"`)
    await heading(await open(website.address), 'Wo?')
    const { html } = await holdfast.json('widget', 'snippet', '--key', key, '--overlay', 'Book now')
    expect(html).toContain(`<a href="${address}/book/${key}" data-holdfast-open="${key}">Book now</a>`)
  })

  test('come with a warning where visitors could not use them as they are', async () => {
    const lines = ['widget', 'snippet', '--key', salon().publishable_key]
    const warnedOf = async (more: string[], variables: Record<string, string>) => {
      const holdfast = commandLine(service.databaseUrl, variables)
      const ran = await holdfast.run(...lines, ...more)
      expect(ran.code).toBe(0)
      return ran.stderr
    }
    expect(await warnedOf([], {})).toMatch(/the URL of this machine, http:\/\/127\.0\.0\.1:\d+/)
    const anna = ['--staff', 'Anna Weber', '--service']
    expect(await warnedOf([...anna, 'Haircut'], { PUBLIC_URL: address })).toBe('')
    expect(await warnedOf([...anna, 'Meeting room'], { PUBLIC_URL: address })).toContain(
      'Anna Weber does not provide Meeting room',
    )
  })
})
