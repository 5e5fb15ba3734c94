import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Context } from '../context.ts'

const widget = resolve(import.meta.dirname, '../../widget')

/** A checkout without the built widget gets it before it serves. What is installed or an image brings it along. */
export async function buildMissingWidget({ log }: Context): Promise<void> {
  const built = join(widget, 'dist')
  if (existsSync(join(built, 'v1.js'))) return
  try {
    // by a name that is put together, because what serves does without the sources of the widget and its bundler
    const { buildWidget } = (await import(join(widget, 'build.ts'))) as {
      buildWidget: (directory: string) => Promise<void>
    }
    await buildWidget(built)
    log.info('the widget was missing and has been built')
  } catch (error) {
    log.warn({ err: error }, 'the widget is missing and cannot be built here; everything else works')
  }
}
