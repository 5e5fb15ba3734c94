import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { inPage } from './in-page.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const { version: axeVersion, getRules } = createRequire(import.meta.url)('axe-core') as {
  version: string
  getRules: () => { ruleId: string; tags: string[] }[]
}
const axeRules = getRules()
export { axeVersion }

/** The rules of axe-core for WCAG 2.2 at levels A and AA. */
const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** The checks of each state, with the criterion that each serves. */
export const checkNames = {
  axe: 'axe-core at 1280 pixels',
  'axe at 320': 'axe-core at 320 pixels',
  'contrast in the dark': 'contrast of texts in the dark scheme, by axe-core',
  reflow: 'no sideways scrolling at 320 pixels, which is 1280 pixels at 400 %',
  'text spacing': 'no text is cut off or lies over others with the spacing of 1.4.12, at both widths',
  'target size': 'targets of at least 24 pixels, or far enough apart',
  'forced colours': 'controls keep an edge, and chosen ones look different, in forced colours',
  'reduced motion': 'nothing moves for longer than an instant if reduced motion is preferred',
  'tab order': 'the tab key reaches every control, in the order of the document, without a trap',
  'visible focus': 'each control looks different with the focus, also in forced colours',
  'focus not covered': 'no control with the focus is wholly covered, at 1280 and at 320 pixels',
} as const

export type CheckName = keyof typeof checkNames

/** Findings of one state: a sentence with the element. */
export type Findings = Partial<Record<CheckName, string[]>>

export const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 320, height: 640 } } as const

/** Rules that axe-core leaves out as experimental. */
const furtherRules = ['label-content-name-mismatch', 'p-as-heading', 'td-has-header']

/** Returns the criteria of a rule of axe-core, such as 1.4.3. */
export function criteriaOfRule(rule: string): string[] {
  const tags = axeRules.find(({ ruleId }) => ruleId === rule)?.tags ?? []
  return tags.flatMap((tag) => {
    const [, principle, guideline, number] = /^wcag(\d)(\d)(\d+)$/.exec(tag) ?? []
    return number === undefined ? [] : `${principle ?? ''}.${guideline ?? ''}.${number}`
  })
}

interface AxeResult {
  violations: { id: string; nodes: { target: unknown[]; any: { message: string }[] }[] }[]
}

async function runAxe(page: Page, rules?: string[]): Promise<string[]> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe)
  const options = {
    ...{ resultTypes: ['violations'], preload: false, rules: { 'target-size': { enabled: true } } },
    runOnly: rules ? { type: 'rule', values: rules } : { type: 'tag', values: levels },
  }
  const { violations } = await page.evaluate<AxeResult>(`axe.run(document, ${JSON.stringify(options)})`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any: [why] }) => `${id}: ${JSON.stringify(target)} ${why?.message ?? ''}`.trim()),
  )
}

const ask = (page: Page, call: string) => page.evaluate<string[]>(`${inPage}; accessibility.${call}`)

/** Waits until a page rests: styles, parts that load, and pictures. */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState()
  await page.locator('[busy]').first().waitFor({ state: 'detached' })
}

interface Checking {
  /** Leaves the walks by keyboard out. */
  isBrief?: boolean
  /** A menu that its visitor opened may cover a control, and Escape closes it. */
  hasMenu?: boolean
}

/** Runs every check on the state that a page shows. Returns the findings and the number of reached controls. */
export async function check(
  page: Page,
  { isBrief = false, hasMenu = false }: Checking = {},
): Promise<{ found: Findings; stops: number }> {
  const found: Findings = {}
  let reached = 0
  await settle(page)
  await page.setViewportSize(sizes.wide)
  const all = [...(await runAxe(page)), ...(await runAxe(page, furtherRules))]
  const isOfSize = (one: string) => one.startsWith('target-size') && !one.includes('obscured') // scrolling shows it
  found.axe = all.filter((one) => !one.startsWith('target-size'))
  found['target size'] = all.filter(isOfSize)
  await page.emulateMedia({ colorScheme: 'dark' })
  found['contrast in the dark'] = await runAxe(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: 'light' })
  found['reduced motion'] = await ask(page, 'motion()')
  const filled = await ask(page, 'filled()')
  await page.emulateMedia({ forcedColors: 'active' })
  found['forced colours'] = await ask(page, `lost(${JSON.stringify(filled)})`)
  if (!isBrief) {
    const { focus } = await walk(page)
    found['visible focus'] = focus.map((one) => `${one} (forced colours)`)
  }
  await page.emulateMedia({ forcedColors: 'none' })
  found['text spacing'] = await ask(page, 'spacing()')
  await page.setViewportSize(sizes.narrow)
  found.reflow = await ask(page, 'sideways()')
  found['text spacing'].push(...(await ask(page, 'spacing()')).map((one) => `${one} (320 pixels)`))
  const narrow = await runAxe(page)
  found['axe at 320'] = narrow.filter((one) => !one.startsWith('target-size'))
  found['target size'].push(...narrow.filter(isOfSize).map((one) => `${one} (320 pixels)`))
  if (!isBrief) {
    const small = await walk(page)
    await page.setViewportSize(sizes.wide)
    const { order, focus, covered, stops } = await walk(page)
    reached = stops
    found['tab order'] = [...order, ...small.order.map((one) => `${one} (320 pixels)`)]
    found['visible focus']?.push(...focus)
    if (!hasMenu)
      found['focus not covered'] = [...covered, ...small.covered.map((one) => `${one} (320 pixels)`)]
  }
  return { found, stops: reached }
}

interface Stop {
  /** The position among all controls of the page, or -1 for another element, or -2 for none. */
  index: number
  name: string
  looksDifferent: boolean
  isCovered: boolean
}

/** Presses the tab key through a page once. */
async function walk(
  page: Page,
): Promise<{ order: string[]; focus: string[]; covered: string[]; stops: number }> {
  const controls = await ask(page, 'controls()')
  const order: string[] = []
  const focus = new Set<string>()
  const covered = new Set<string>()
  const seen = new Set<number>()
  let last = -1
  for (let presses = 0; presses < 4 * controls.length + 20; presses += 1) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate<Stop>('accessibility.stop()')
    if (stop.index === -2) break
    if (stop.index === -1 || stop.index === last) continue // a field of a date has several parts
    if (seen.has(stop.index)) break
    seen.add(stop.index)
    if (stop.index < last) order.push(`${stop.name} comes after ${controls[last] ?? ''}, which is below it`)
    last = stop.index
    if (!stop.looksDifferent) focus.add(stop.name)
    if (stop.isCovered) covered.add(stop.name)
  }
  const missed = await page.evaluate<string[]>(`accessibility.missed(${JSON.stringify([...seen])})`)
  order.push(...missed.map((name) => `${name} is not reached`))
  return { order, focus: [...focus], covered: [...covered], stops: seen.size }
}
