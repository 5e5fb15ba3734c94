import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Everything that names classes: pages, and scripts that add elements to them. */
const sources = globSync(['src/**/*.{ts,js}', 'widget/**/*.{ts,tsx}', 'bench/**/*.ts'], {
  cwd: root,
  exclude: (name) => name.includes('node_modules') || name.includes('dist'),
})
  .map(read)
  .join('\n')

/** The beginnings of classes that sources complete, such as `is-${status}`. */
const beginnings = Array.from(sources.matchAll(/([a-z][a-z-]*-)\$\{/g), ([, beginning = '']) => beginning)

describe.each(globSync('src/pages/*.css', { cwd: root }))('%s', (path) => {
  const styles = read(path).replaceAll(/\/\*[^]*?\*\//g, '')
  const classes = new Set(
    Array.from(styles.matchAll(/\.([a-z][\w-]*)(?=[^{}]*\{)/g), ([, name = '']) => name),
  )

  test(`${basename(path)} has no rule for a class that no page has`, () => {
    const isUsed = (name: string) =>
      new RegExp(String.raw`(?<![\w-])${name}(?![\w-])`).test(sources) ||
      beginnings.some((beginning) => name.startsWith(beginning)) ||
      sources.includes(`${name.replace(/\d+$/, '')}\${`) // a row of the calendar, such as r12
    expect([...classes].filter((name) => !isUsed(name))).toEqual([])
  })
})
