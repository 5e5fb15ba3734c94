import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { parameter, readForms } from '../../src/base/messages.ts'

/* Compares each file of texts/ with English, and English with the code. A fault names its file and key. */

const project = resolve(import.meta.dirname, '../..')
const files = globSync('*.json', { cwd: join(project, 'texts') })
const textsIn = (file: string) =>
  JSON.parse(readFileSync(join(project, 'texts', file), 'utf8')) as Record<string, string>
const english = textsIn('en.json')
const keys = Object.keys(english)

/** Texts that the build passes to browsers, where a plural must be resolved before. */
const isInBrowsers = (key: string) => /^(widget|booking|manage)\./.test(key)

interface Parameter {
  name: string
  forms: Record<string, string> | undefined
}

function parametersOf(text: string): Parameter[] {
  return [...text.matchAll(parameter)].map(([, name = '', plural]) => ({
    name,
    forms: plural === undefined ? undefined : readForms(plural),
  }))
}

/** Returns the names of all parameters, including those within plurals. */
function namesIn(text: string): string[] {
  const found = parametersOf(text).flatMap(({ name, forms = {} }) => [
    name,
    ...Object.values(forms).flatMap(namesIn),
  ])
  return [...new Set(found)].toSorted()
}

const hasPlural = (text: string) => parametersOf(text).some(({ forms }) => forms)

describe.each(files)('texts/%s', (file) => {
  const language = file.replace('.json', '')
  const texts = textsIn(file)
  const inBoth = keys.filter((key) => texts[key] !== undefined)
  const faultsOf = (find: (text: string, key: string) => string[]) =>
    inBoth.flatMap((key) => find(texts[key] ?? '', key).map((fault) => `texts/${file}, "${key}": ${fault}`))

  test('has each text of English, no other, in the same order', () => {
    expect(keys.filter((key) => !(key in texts)).map((key) => `texts/${file} lacks "${key}"`)).toEqual([])
    expect(
      Object.keys(texts).flatMap((key) => (key in english ? [] : [`texts/${file} has an unknown "${key}"`])),
    ).toEqual([])
    expect(Object.keys(texts)).toEqual(keys)
  })

  test('is well formed', () => {
    expect(faultsOf(faultsOfForm)).toEqual([])
  })

  test('has the parameters of English', () => {
    const faults = faultsOf((text, key) => {
      const [own, wanted] = [namesIn(text), namesIn(english[key] ?? '')]
      return [
        ...wanted.filter((name) => !own.includes(name)).map((name) => `lacks {${name}}`),
        ...own.filter((name) => !wanted.includes(name)).map((name) => `{${name}} is not in English`),
      ]
    })
    expect(faults).toEqual([])
  })

  test('has the forms of each plural that its language has', () => {
    const rules = new Intl.PluralRules(language)
    const needed = new Set(['other', ...Array.from({ length: 200 }, (_, count) => rules.select(count))])
    const faults = faultsOf((text) =>
      parametersOf(text).flatMap(({ forms }) => [
        ...[...needed].filter((rule) => forms && !(rule in forms)).map((rule) => `lacks the form "${rule}"`),
        ...Object.keys(forms ?? {}).flatMap((rule) =>
          needed.has(rule) ? [] : [`has the form "${rule}", which no number takes`],
        ),
      ]),
    )
    expect(faults).toEqual([])
  })

  test('has plurals in browsers only where English has them', () => {
    const faults = faultsOf((text, key) =>
      isInBrowsers(key) && hasPlural(text) !== hasPlural(english[key] ?? '')
        ? [hasPlural(text) ? 'no plural may stand here' : 'is no plural, but English is']
        : [],
    )
    expect(faults).toEqual([])
  })

  // with more than two forms, no noun may follow a number
  test('has numbers without a plural only where their form does not matter', () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    if (!pluralCategories.includes('few')) return
    const harmless = /: \{count\}\.?$|^\p{Script=Arabic}+ ?\{count\} \p{Script=Arabic}+\.$/u
    const faults = faultsOf((text) =>
      /\{count\}/.test(text) && !hasPlural(text) && !harmless.test(text)
        ? ['needs a plural, or {count} at its end behind a colon']
        : [],
    )
    expect(faults).toEqual([])
  })
})

function faultsOfForm(text: string): string[] {
  const rest = text.replaceAll(parameter, '')
  return [
    ...(text === '' || text !== text.trim() ? ['is empty, or has a space at an end'] : []),
    ...(/[{}]/.test(rest)
      ? ['has a brace that is neither {name} nor {count, plural, one {…} other {…}}']
      : []),
    // ICU, and thus translators' tools, treat the following characters as literal text
    ...(/'[{}]/.test(text) ? ["has ' before a brace; write ’"] : []),
    ...(parametersOf(text).some(({ forms = {} }) => Object.values(forms).some((form) => form.includes('#')))
      ? ['has # in a plural; write {count}']
      : []),
  ]
}

test('no line of the French widget begins with a mark that belongs to the word before', () => {
  const french = Object.entries(textsIn('fr.json')).filter(([key]) => /^(widget|booking)\./.test(key))
  expect(french.filter(([, text]) => / [?!:;»]|« /.test(text))).toEqual([])
})

describe('the code', () => {
  const used = usesOfTexts()

  test('says each text', () => {
    expect(
      keys.filter((key) => !used.keys.has(key)).map((key) => `texts/en.json: nothing says "${key}"`),
    ).toEqual([])
  })

  test('fills in the parameters of each text', () => {
    expect(used.faults).toEqual([])
  })

  test('knows the plurals in browsers, and no name twice', () => {
    const counted = keys.filter((key) => isInBrowsers(key) && hasPlural(english[key] ?? ''))
    const source = readFileSync(join(project, 'widget/texts.ts'), 'utf8')
    const [, listed = ''] = /^type Counted = (.*)$/m.exec(source) ?? []
    expect(counted.map((key) => `'${ownName(key)}'`).join(' | '), 'Counted in widget/texts.ts').toBe(listed)
    for (const key of counted) expect([key, english[key]?.replace(parameter, '')]).toEqual([key, ''])
    const names = keys.filter((key) => /^(widget|booking)\./.test(key)).map(ownName)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})

/** The name of a text in the views of the widget. */
function ownName(key: string): string {
  return key.replace(/^(widget|booking)\./, '')
}

/** Returns the keys in the code, and calls of `say` and `fill` without the text's parameters. */
function usesOfTexts() {
  const found = { keys: new Set<string>(), faults: [] as string[] }
  for (const path of globSync(['src/**/*.ts', 'widget/**/*.{ts,tsx}'], {
    cwd: project,
    exclude: ['widget/{dist,calendar}/**'],
  })) {
    const source = readFileSync(join(project, path), 'utf8')
    const tree = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
    const isWidget = path.startsWith('widget/')
    const named = (node: ts.Node) => keysNamed(node, isWidget)
    const visit = (node: ts.Node): void => {
      for (const key of named(node)) found.keys.add(key)
      if (ts.isCallExpression(node) && /\b(say|fill)$/.test(node.expression.getText())) {
        const [text, values] = node.arguments
        // only the types of a template know its names
        const wanted = text ? within(text, (part) => (ts.isTemplateExpression(part) ? [] : named(part))) : []
        for (const key of wanted) {
          const lacking = namesIn(english[key] ?? '').filter((name) => !givesValue(values, name))
          const { line } = tree.getLineAndCharacterOfPosition(node.pos)
          found.faults.push(...lacking.map((name) => `${path}:${line + 1}: "${key}" needs {${name}}`))
        }
      }
      node.forEachChild(visit)
    }
    visit(tree)
  }
  return found
}

/** Collects the results of `find` for a node and all below it. */
function within(node: ts.Node, find: (node: ts.Node) => string[]): string[] {
  const found = find(node)
  node.forEachChild((child) => void found.push(...within(child, find)))
  return found
}

/** Returns the keys that a node names: as a text, as a template, or in the widget as `texts.name`. */
function keysNamed(node: ts.Node, isWidget: boolean): string[] {
  if (ts.isTemplateExpression(node)) {
    const parts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
    const pattern = new RegExp(`^${parts.map((part) => RegExp.escape(part)).join('\\w+')}$`)
    return parts[0]?.includes('.') ? keys.filter((key) => pattern.test(key)) : []
  }
  const names = ts.isStringLiteralLike(node)
    ? [node.text]
    : ts.isPropertyAccessExpression(node) && /\btexts$/.test(node.expression.getText())
      ? [node.name.text]
      : ts.isBindingElement(node) && /\btexts$/.test(node.parent.parent.getText())
        ? [node.name.getText()]
        : []
  return names.flatMap((name) =>
    isWidget ? keys.filter((key) => ownName(key) === name) : name in english ? [name] : [],
  )
}

/** True if an argument has a value for a parameter, as far as the syntax shows. */
function givesValue(values: ts.Expression | undefined, name: string): boolean {
  if (values === undefined) return false
  if (!ts.isObjectLiteralExpression(values)) return true
  return values.properties.some((one) => ts.isSpreadAssignment(one) || one.name.getText() === name)
}
