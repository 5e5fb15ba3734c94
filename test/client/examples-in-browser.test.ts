/** @module-tag long */
import { readFileSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toDetails, heading, next, writeDetails } from '../support/booking-visit.ts'
import { chromiumPath, sharedBrowser, openVisitor, type Visitor } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import {
  copyOfExample,
  readmeBlocks,
  type RunningShell,
  shellVariables,
  startShell,
} from '../support/packed-client.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

/*
 * The pages of examples/html as described in their README: the placeholders replaced, installed, and served by Python.
 */

const hasPython = spawnSync('python3', ['--version']).status === 0
if (!hasPython)
  console.warn('\n*** SKIPPED: there is no python3 here, which serves the pages of examples/html.\n')

describe.skipIf(chromiumPath === undefined || !hasPython)('the pages of the example', () => {
  let browser: Browser
  let service: TestService
  let shell: RunningShell
  let website: string
  let visitor: Visitor
  beforeAll(async () => {
    browser = await sharedBrowser()
    service = await startTestService('sqlite')
    const address = await service.app.server.listen({ host: '127.0.0.1', port: 0 })
    const directory = await copyOfExample('html')
    for (const name of ['widget.html', 'client.html']) {
      const page = readFileSync(join(directory, name), 'utf8')
      expect(page).toContain('http://127.0.0.1:3000')
      const key = businessOf(service.world, 'Salon Spree').publishable_key
      const filledIn = page.replaceAll('http://127.0.0.1:3000', address).replaceAll('cal_pub_…', key)
      writeFileSync(join(directory, name), filledIn)
    }
    const port = String(await freePort())
    website = `http://localhost:${port}`
    const [commands = ''] = readmeBlocks('html', [['8000', port]])
    const variables = { ...shellVariables(), npm_config_offline: 'true', PYTHONUNBUFFERED: '1' }
    shell = startShell(commands, { cwd: directory, variables })
    await shell.says(/Serving HTTP/)
  })
  afterAll(async () => {
    await shell.stop()
    await service.stop()
  })

  const open = async (page: string) => {
    visitor = await openVisitor(browser)
    await visitor.page.goto(`${website}/${page}`)
  }
  const expectBooked = async (name: string) => {
    const said = visitor.page.getByRole('status').filter({ hasText: /^Booked: / })
    await said.waitFor()
    expect(await said.textContent()).toMatch(new RegExp(`^Booked: ${name} at \\d{4}-\\d\\d-\\d\\dT`))
    expect(visitor.errors).toEqual([])
    await visitor.close()
  }

  test('book a service with the client, with its question', async () => {
    await open('client.html')
    const service = visitor.page.getByLabel('Service')
    await service.selectOption('Consultation')
    await writeDetails(visitor.page)
    await visitor.page.locator('#questions [required]').fill('A cut')
    await next(visitor.page, 'Book the next free time')
    await expectBooked('Consultation')
  })

  test('book the first choice with the client', async () => {
    await open('client.html')
    await visitor.page.getByLabel('Service').locator('option').first().waitFor({ state: 'attached' })
    await writeDetails(visitor.page)
    await next(visitor.page, 'Book the next free time')
    await expectBooked('Colour')
    expect(await service.rows('bookings')).toHaveLength(2)
  })

  test('lead from the client to the checkout of a deposit', async () => {
    await open('client.html')
    await visitor.page.getByLabel('Service').selectOption('Treatment')
    await writeDetails(visitor.page)
    const checkout = visitor.page.waitForRequest(/\/sandbox\//) // at the default address of the service
    await next(visitor.page, 'Book the next free time')
    await checkout
    await visitor.close()
  })

  test('book with the widget', async () => {
    await open('widget.html')
    await next(visitor.page, /^Meeting room/)
    await heading(visitor.page, 'Where?')
    await next(visitor.page, /^Online/)
    await toDetails(visitor.page, '2026-11-24', '10:00')
    await writeDetails(visitor.page)
    await next(visitor.page, 'Book now')
    await expectBooked('Meeting room')
  })
})
