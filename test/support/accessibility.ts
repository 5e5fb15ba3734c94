import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  nodes: { target: unknown[]; failureSummary: string }[]
}

/** Returns the faults that axe-core finds in a page, in words, by all of its rules or by these. */
export async function violationsIn(page: Page, rules?: string[]): Promise<string[]> {
  await page.waitForLoadState() // its text may arrive before its styles
  await page.locator('[busy]').first().waitFor({ state: 'detached' }) // parts that load are paler
  return violationsNow(page, rules)
}

/** Does the same for a page that is still loading. */
export async function violationsNow(page: Page, rules?: string[]): Promise<string[]> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe)
  const options = { resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) }
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(document, ${JSON.stringify(options)})`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary}`),
  )
}

/** Finds parts of the widget that reach beyond it, and texts that are cut off unintentionally. Runs in the page. */
const findMisfits = `(() => {
  const misfits = []
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) misfits.push('the page scrolls sideways')
  for (const host of document.querySelectorAll('holdfast-booking, holdfast-manage')) {
    const root = host.shadowRoot
    const frame = root.querySelector('.widget').getBoundingClientRect()
    for (const element of root.querySelectorAll('.widget *')) {
      if (element.closest('svg, .heard, option, select')) continue
      const box = element.getBoundingClientRect()
      if (box.width === 0 || box.height === 0) continue
      const name = element.tagName.toLowerCase() + '.' + element.className + ' "' + element.textContent.slice(0, 30) + '"'
      if (box.left < frame.left - 1 || box.right > frame.right + 1) misfits.push(name + ' is wider than the widget')
      const style = getComputedStyle(element)
      const isCutOnPurpose = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
      if (!isCutOnPurpose && style.display !== 'inline' && element.scrollWidth > element.clientWidth + 1) misfits.push(name + ' is cut')
    }
    const buttons = [...root.querySelectorAll('button, input, select, textarea')].filter((one) => one.checkVisibility())
    // on a wide page, the times of a day scroll alone
    const seen = (one) => {
      const box = one.getBoundingClientRect()
      const clip = one.closest('.when-times')?.getBoundingClientRect() ?? box
      const [top, bottom] = [Math.max(box.top, clip.top), Math.min(box.bottom, clip.bottom)]
      return { left: box.left, right: box.right, top, bottom }
    }
    for (const [index, one] of buttons.entries()) {
      for (const other of buttons.slice(index + 1)) {
        const [a, b] = [seen(one), seen(other)]
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
        if (across > 1 && down > 1) misfits.push(one.textContent + ' lies over ' + other.textContent)
      }
    }
  }
  return misfits
})()`

export function misfitsIn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(findMisfits)
}
