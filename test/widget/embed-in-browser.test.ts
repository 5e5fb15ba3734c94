/** @module-tag long */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { reactSnippet, snippetModes } from '../../src/pages/snippet.ts'
import { project } from '../docs/documents.ts'
import { expectSound, heading } from '../support/booking-visit.ts'
import { chromiumPath, type Website } from '../support/browser.ts'
import { commandLine } from '../support/command-line.ts'
import { longTest } from '../support/long.ts'
import { projectWithEmbeds } from '../support/packed-client.ts'
import { businessOf, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/* The lines that put the widget on a website: those of the page `/embed`, and those of the command line. */

const named = { name: 'Salon Spree', brand_name: null, locale: 'en' }
const theme = 'light dark' as const

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
  const accent = `document.querySelector('holdfast-booking').getAttribute('accent')`

  test('are made by the page /embed, which shows what they do', async () => {
    const page = await open(`${address}/embed`)
    await page.getByLabel('Publishable key').fill('cal_pub_nothing')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('No business has this key.').waitFor()
    await page.getByLabel('Publishable key').fill(salon().publishable_key)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Service').selectOption('Haircut')
    await page.getByLabel('Language').selectOption('Deutsch')
    await page.getByLabel('Colour', { exact: true }).fill('#ffcc00')
    await page.getByRole('button', { name: 'Update' }).click()
    await heading(page, 'Wo?')
    expect(await page.evaluate(accent)).toBe('#ffcc00')
    await expectSound(page, 'embed')
    snippet = await page.getByLabel('For HTML').inputValue()
    const link = `${address}/book/${salon().publishable_key}`
    expect(snippet)
      .toBe(`<link rel="preload" as="fetch" crossorigin href="${link}/start?service=${serviceId()}">
<script type="module" src="${address}/widget/v1.js"></script>
<holdfast-booking publishable-key="${salon().publishable_key}" service-id="${serviceId()}" locale="de" accent="#ffcc00" style="display: block; min-height: 800px">
  <a href="${link}?service=${serviceId()}">Suchen Sie sich eine Zeit aus und buchen Sie Ihren Termin bei Salon Spree in einer Minute.</a>
</holdfast-booking>`)
    const pasted = await visits.visitor()
    await pasted.page.goto(website.address)
    await heading(pasted.page, 'Wo?')
    expect(await pasted.page.evaluate(accent)).toBe('#ffcc00')
    const starts = pasted.requests.filter(({ address: to }) => to.endsWith('/start'))
    expect(starts).toHaveLength(1) // the widget uses the response that was loaded in parallel with the script
    await page.getByLabel('Text of the link or button').fill('<Book> & go')
    await page.getByLabel('Over the page').check()
    await page.getByRole('button', { name: 'Update' }).click()
    await page.getByRole('link', { name: '<Book> & go' }).click()
    await page.getByRole('dialog').waitFor()
    snippet = await page.getByLabel('For HTML').inputValue()
    const over = await open(website.address, 390)
    await over.waitForFunction(`customElements.get('holdfast-booking') !== undefined`)
    await over.getByRole('link', { name: '<Book> & go' }).click()
    await heading(over, 'Wo?')
    await over.getByRole('dialog').waitFor()
  })

  test('change at once with the options, and the widget goes on with other looks', async () => {
    const page = await open(`${address}/embed?key=${salon().publishable_key}`)
    await page.getByRole('button', { name: /^Haircut/ }).click()
    await heading(page, 'Where?')
    await page.getByLabel('Pick a colour').fill('#ffcc00')
    await page.getByLabel('Theme').selectOption('Dark')
    const html = page.getByLabel('For HTML')
    await expect.poll(() => html.inputValue()).toContain('theme="dark" accent="#ffcc00"')
    expect(await page.evaluate(accent)).toBe('#ffcc00')
    await heading(page, 'Where?')
    await page.getByLabel('Colour', { exact: true }).fill('#ffc')
    await page.getByLabel('Page after the booking').fill('/thanks?a="b"')
    await page.getByLabel('Colour', { exact: true }).fill('')
    await page.getByLabel('Floating button').check()
    await page.getByLabel('Text of the link or button').fill(`Book "now" [it's] <free>`)
    await expect.poll(() => html.inputValue()).toContain('Book &quot;now&quot;')
    snippet = await html.inputValue()
    expect(snippet).toContain(`<script defer src="${address}/widget/holdfast.js"></script>`)
    expect(await page.getByLabel('For React').inputValue()).toContain(
      `      {"Book \\"now\\" [it's] <free>"}`,
    )
    expect(await page.getByLabel('For WordPress').inputValue()).toBe(
      `[holdfast publishable-key="${salon().publishable_key}" mode="floating" theme="dark" success-url="/thanks?a=b"]Book now it's free[/holdfast]`,
    )
    await page.locator('holdfast-button a').click()
    await page.getByRole('dialog').waitFor()
    expect(await page.reload().then(() => html.inputValue())).toBe(snippet)
    const pasted = await open(website.address)
    await pasted.waitForFunction(`customElements.get('holdfast-booking') !== undefined`)
    await pasted.getByRole('link', { name: `Book "now" [it's] <free>` }).click()
    await pasted.getByRole('dialog').waitFor()
    await page.getByLabel('Frame').check()
    const frame = page.frameLocator('#preview iframe')
    await frame.getByRole('heading', { name: 'Where?' }).waitFor() // the visit of this tab
    expect(await frame.locator('html').getAttribute('data-theme')).toBe('dark')
    const height = () => page.evaluate<number>(`document.querySelector('#preview iframe').offsetHeight`)
    await expect.poll(height).not.toBe(800)
    await expectSound(page, 'studio')
    expect(await html.inputValue()).toContain(`<iframe id="booking" src="${address}/book/`)
  })

  test('are made without scripts too', async () => {
    const { page } = await visits.visitor({ javaScriptEnabled: false })
    await page.goto(`${address}/embed?key=${salon().publishable_key}`)
    await page.getByLabel('Floating button').check()
    await page.getByLabel('Theme').selectOption('Light')
    await page.getByRole('button', { name: 'Update' }).click()
    expect(await page.getByLabel('For HTML').inputValue()).toContain('<holdfast-button publishable-key=')
    await page.getByText('React', { exact: true }).click()
    expect(await page.getByLabel('For React').inputValue()).toContain('theme={"light"}')
    expect(await page.getByRole('link', { name: 'Book an appointment' }).getAttribute('href')).toContain(
      '/book/',
    )
  })

  longTest('for React compile in every form', async () => {
    const root = await projectWithEmbeds()
    const files = snippetModes.map((mode) => {
      const wish = {
        ...{ server: address, publishableKey: 'cal_pub_x', business: named },
        mode,
        theme,
        accent: '#ffcc00',
      }
      writeFileSync(join(root, `${mode}.tsx`), reactSnippet({ ...wish, button: '</a>"{x}' }))
      return `${mode}.tsx`
    })
    const options = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--jsx', 'react-jsx']
    const world = ['--module', 'esnext', '--target', 'es2022', '--moduleResolution', 'bundler']
    const command = [join(project, 'node_modules/typescript/bin/tsc'), ...options, ...world, ...files]
    expect(spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' }).stdout).toBe('')
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
