import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chromiumPath, keepScreenshot, openVisitor, sharedBrowser } from '../support/browser.ts'
import { openConsole } from '../support/console.ts'
import { project } from '../docs/documents.ts'
import { check, sizes } from './checks.ts'
import { reportPath, type Result, writeReport } from './document.ts'
import type { Choice } from './report.ts'
import { type State, states } from './states.ts'
import { startWorld, type World } from './world.ts'

/* `npm run accessibility` runs this file: it checks every state and writes the report. */

const choice = JSON.parse(process.env['HOLDFAST_ACCESSIBILITY'] ?? '{}') as Choice
const chosen = states.filter(({ area, name, route }) => `${area}: ${name} ${route}`.includes(choice.state))
/** Pages that are checked at once: one for each processor of a small machine. */
const atOnce = 2
const patienceMs = 30_000
/** For all checks of one state. The reference of the API takes minutes. */
const checkPatienceMs = 600_000

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

async function resultOf(state: State): Promise<Result> {
  const { area, name, route, isBrief, hasMenu, isConsole, isOfHub } = state
  const browser = await sharedBrowser()
  const options = { ...sizes.wide, colorScheme: 'light' as const }
  const visitor = isConsole
    ? await openConsole(browser, isOfHub ? world.hubOwner : world.owner, {
        address: world.address,
        ...options,
      })
    : await openVisitor(browser, options)
  visitor.page.setDefaultTimeout(patienceMs)
  try {
    await state.open(visitor.page, world)
    await keepScreenshot(visitor.page, `${area}-${name.replaceAll(/\W+/g, '-')}`)
    const checked = await Promise.race([check(visitor.page, { isBrief, hasMenu }), tooLate()])
    return { ...{ area, name, route, isBrief }, ...checked }
  } catch (error) {
    throw new Error(`${area}: ${name} could not be checked`, { cause: error })
  } finally {
    await visitor.close()
  }
}

async function tooLate(): Promise<never> {
  await setTimeout(checkPatienceMs, undefined, { ref: false })
  throw new Error('the checks took too long')
}

test('every state is checked', { timeout: 3_600_000 }, async () => {
  expect(chromiumPath, 'a Chromium').toBeDefined()
  expect(chosen.map(({ name }) => name)).not.toEqual([])
  const results: Result[] = []
  const queue = [...chosen.entries()]
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, state] = next
      const result = await resultOf(state)
      results[index] = result
      const found = Object.entries(result.found).flatMap(([name, list]) =>
        list.map((one) => `  ${name}: ${one}`),
      )
      process.stderr.write(`${[`${result.area}: ${result.name}`, ...found].join('\n')}\n`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  if (choice.state !== '') return
  const chromium = (await sharedBrowser()).version()
  const day = new Date().toISOString().slice(0, 10)
  writeFileSync(join(project, reportPath), await writeReport({ results, day, chromium }))
  process.stderr.write(`wrote ${reportPath}\n`)
})
