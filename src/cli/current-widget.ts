import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Context } from '../context.ts'

const widget = resolve(import.meta.dirname, '../../widget')

/**
 * Builds the widget of a checkout before it is served, when it is missing or its sources have changed. A package and an
 * image bring it along, without its sources. Never fails: without a widget everything else works.
 */
export async function makeCurrentWidget({ log }: Context): Promise<void> {
  const isThere = () => existsSync(join(widget, 'dist/v1.js'))
  const sources = join(widget, 'build.ts')
  if (!existsSync(sources)) {
    if (!isThere()) log.warn('the booking widget is missing here; everything else works')
    return
  }
  try {
    // by a name that is put together: what is installed has no such file
    const { makeWidget } = (await import(sources)) as { makeWidget: () => Promise<boolean> }
    if (await makeWidget()) log.info('the booking widget was built')
  } catch (error) {
    const what = isThere() ? 'is older than its sources' : 'is missing'
    log.warn(
      { err: error },
      `the booking widget ${what} and cannot be built here: run npm ci, without --ignore-scripts, as the owner of this directory; everything else works`,
    )
  }
}
