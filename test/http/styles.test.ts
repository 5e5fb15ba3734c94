import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const isSource = (path: string) => !path.includes('node_modules') && !path.includes('dist')

/** Pages, and scripts that add elements to them, without comments. */
const sources = globSync(['src/{pages,console,base}/**/*.{ts,js}', 'widget/**/*.{ts,tsx}', 'bench/**/*.ts'], {
  cwd: root,
})
  .filter(isSource)
  .map((path) => read(path).replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/ .*/g, ''))
  .join('\n')

/** Returns the text up to the quote, brace or bracket that ends it. Expressions within belong to it. */
function upTo(end: string, start: number): string {
  let depth = 0
  for (let index = start; index < sources.length; index += 1) {
    const letter = sources[index] ?? ''
    if (depth === 0 && letter === end) return sources.slice(start, index)
    if ('{('.includes(letter)) depth += 1
    if ('})'.includes(letter)) depth -= 1
  }
  return ''
}

/** All that may name a class: attributes, calls of scripts, and short texts in quotes, which functions return. */
const naming = [
  ...Array.from(sources.matchAll(/class(?:Name)?=(["{])/g), ({ 1: quote, 0: all, index }) =>
    upTo(quote === '{' ? '}' : '"', index + all.length),
  ),
  ...Array.from(sources.matchAll(/class(?:List\.\w+|Name)\(/g), ({ 0: all, index }) =>
    upTo(')', index + all.length),
  ),
  ...Array.from(sources.matchAll(/(['`])([a-z0-9 $\\{}-]+)\1/g), ({ 2: text = '' }) => text),
  ...Array.from(sources.matchAll(/` ?([a-z]+-)\$\{/g), ({ 1: text = '' }) => `${text}\${`),
].join('\n')
const isPlace = /^[rn]\d+$/ // a row or a height of the calendar, such as r12
const names = new Set(naming.match(/[a-z][\w-]*/g))

/** The beginnings of classes that sources complete, such as `is-${status}`. */
const beginnings = Array.from(naming.matchAll(/([a-z][a-z-]*-)\$\{/g), ([, beginning = '']) => beginning)

/** Elements that browsers add. */
const ofNoPage = new Set(['from', 'to', 'turbo-progress-bar'])

/** The name of a data attribute in scripts, such as `dataset.lookUp`. */
const inScript = (name: string) =>
  name.replace('data-', 'dataset.').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const stylePaths = globSync(['src/pages/*.css', 'widget/**/*.css'], { cwd: root }).filter(isSource)
const allStyles = stylePaths.map(read).join('\n')

describe.each(stylePaths)('%s', (path) => {
  const styles = read(path).replaceAll(/\/\*[^]*?\*\//g, '')

  test('has no rule for a class that no page has', () => {
    const classes = new Set(
      Array.from(styles.matchAll(/\.([a-z][\w-]*)(?=[^{};]*\{)/g), ([, name = '']) => name),
    )
    const isUsed = (name: string) =>
      names.has(name) || isPlace.test(name) || beginnings.some((beginning) => name.startsWith(beginning))
    expect([...classes].filter((name) => !isUsed(name))).toEqual([])
  })
  test('has no rule for a tag, an id or a value that no page has', () => {
    const selectors = Array.from(styles.matchAll(/(?<=^|[{};])[^{};@]+(?=\{)/g), ([text]) =>
      text.replaceAll(/:(dir|nth-[a-z-]+|:part)\([^)]*\)/g, ''),
    ).join('\n')
    const tags = selectors.matchAll(/(?<=^|[\s(,>+~])([a-z][a-z0-9-]*)(?=[\s.:#[),]|$)/gm)
    const ids = selectors.matchAll(/#([a-z][\w-]*)/g)
    const attributes = selectors.matchAll(/\[([a-z-]+)/g)
    const missing = (all: Iterable<RegExpMatchArray>, isUsed: (name: string) => boolean) =>
      [...new Set(Array.from(all, ([, name = '']) => name))].filter((name) => !isUsed(name))
    expect(
      missing(
        tags,
        (name) => ofNoPage.has(name) || sources.includes(`<${name}`) || sources.includes(`'${name}'`),
      ),
    ).toEqual([])
    expect(missing(ids, (name) => new RegExp(`['"\`]${name}['"\`$]`).test(sources))).toEqual([])
    expect(missing(attributes, (name) => sources.includes(name) || sources.includes(inScript(name)))).toEqual(
      [],
    )
  })

  test('sets no property that no rule reads', () => {
    const set = new Set(Array.from(styles.matchAll(/(?<![\w-])(--[\w-]+)(?=:)/g), ([, name = '']) => name))
    expect([...set].filter((name) => !allStyles.includes(`var(${name}`) && !sources.includes(name))).toEqual(
      [],
    )
  })
})
