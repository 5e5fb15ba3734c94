import { variantOf } from '../../src/console/frame/texts.ts'
import { templates } from '../../src/console/site/service-templates.ts'
import innen from '../../texts/variants/de-x-innen.json' with { type: 'json' }
import { globSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

/* Compares each file of texts/console with English, and English with the code. A fault names its file and key. */

const project = resolve(import.meta.dirname, '../..')
const languages = globSync('texts/console/*.json', { cwd: project }).map((file) => basename(file, '.json'))
const textsIn = (language: string) =>
  JSON.parse(readFileSync(join(project, `texts/console/${language}.json`), 'utf8')) as Record<string, string>
const english = textsIn('en')
const keys = Object.keys(english)
const variants = { 'de-x-innen': innen }

test('the console has the languages of the widget', () => {
  const ofClients = globSync('texts/*.json', { cwd: project }).map((file) => basename(file, '.json'))
  expect(languages.toSorted()).toEqual(ofClients.toSorted())
})

/** Scripts of pages fill these in, and support only `{name}`. */
const isForScripts = (key: string) => /^(live|services\.seats)\./.test(key)

/** A message of the API, which is in English. Other languages may omit it. */
const mayBeLacking = 'detail'

interface Part {
  name: string
  kind: 'argument' | 'select' | 'plural' | 'selectordinal'
  /** The forms of a select or plural, with their contents. */
  forms: Record<string, Part[]>
}

/** Returns the parameters of a message. Throws for an invalid message, and for formats that no text needs. */
function partsOf(text: string): Part[] {
  type Elements = ReturnType<IntlMessageFormat['getAst']>
  const read = (elements: Elements): Part[] =>
    elements.flatMap((element): Part[] => {
      if (!('value' in element)) throw new Error('# in a plural; write {count}')
      const { value: name } = element
      const type: number = element.type
      if (type === 0) return [] // text
      if ('options' in element) {
        const forms = Object.entries(element.options).map(([form, { value }]) => [form, read(value)] as const)
        const kind = 'pluralType' in element ? pluralKinds[element.pluralType ?? 'cardinal'] : 'select'
        return [{ name, kind, forms: Object.fromEntries(forms) }]
      }
      if (type !== 1) throw new Error(`{${name}} has a format; hand over a text`)
      return [{ name, kind: 'argument', forms: {} }]
    })
  return read(new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true }).getAst())
}

const pluralKinds = { cardinal: 'plural', ordinal: 'selectordinal' } as const

/** Returns the parts of a message, including those within forms. */
function allParts(text: string): Part[] {
  const all = (parts: Part[]): Part[] =>
    parts.flatMap((part) => [part, ...Object.values(part.forms).flatMap(all)])
  return all(partsOf(text))
}

/** Returns the type of each parameter, as declared by text-groups.ts. */
function parametersOf(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { name, kind, forms } of allParts(text)) {
    if (kind !== 'argument')
      found[name] = kind !== 'select' ? 'number' : 'true' in forms ? 'boolean' : 'string'
    else found[name] ??= 'string | number'
  }
  return found
}

describe.each(languages)('texts/console/%s.json', (language) => {
  const texts = textsIn(language)
  const faultsOf = (find: (text: string, key: string) => string[]) =>
    keys.flatMap((key) => {
      const text = texts[key]
      const faults = text === undefined ? [] : find(text, key)
      return faults.map((fault) => `texts/console/${language}.json, "${key}": ${fault}`)
    })

  test('has each text of English, no other, in the same order', () => {
    expect(keys.filter((key) => !(key in texts))).toEqual([])
    expect(Object.keys(texts).filter((key) => !(key in english))).toEqual([])
    expect(Object.keys(texts)).toEqual(keys)
  })

  test('is well formed', () => {
    expect(faultsOf((text, key) => faultsOfForm(key, text))).toEqual([])
  })

  test('has the parameters of English', () => {
    const faults = faultsOf((text, key) => {
      const [own, wanted] = [text, english[key] ?? ''].map((one) => Object.keys(parametersOf(one)))
      return [
        ...(wanted ?? [])
          .filter((name) => !own?.includes(name) && name !== mayBeLacking)
          .map((name) => `lacks {${name}}`),
        ...(own ?? []).filter((name) => !wanted?.includes(name)).map((name) => `{${name}} is not in English`),
      ]
    })
    expect(faults).toEqual([])
  })

  test('has the forms of each plural that its language has', () => {
    const faults = faultsOf((text) =>
      allParts(text).flatMap(({ kind, forms }) => {
        if (kind === 'argument' || kind === 'select') return []
        const needed = kind === 'plural' ? formsIn(language, 'cardinal') : formsIn(language, 'ordinal')
        const own = Object.keys(forms).filter((form) => !form.startsWith('='))
        const isComplete = own.every((form) => needed.has(form)) && needed.size === own.length
        const isExact = own.length < Object.keys(forms).length // such as `=1`, which needs no grammar
        return isComplete || isExact ? [] : [`has the forms ${own.join()} instead of ${[...needed].join()}`]
      }),
    )
    expect(faults).toEqual([])
  })
})

describe('texts/variants', () => {
  const { 'de-x-innen': phrases } = variants
  const german = Object.values(textsIn('de'))
  const replaced = Object.values(variantOf('de-x-innen', phrases))

  test('leave no word that they replace elsewhere', () => {
    const left = replaced.filter((text) =>
      /(?<!Kundin oder (der|dem|den) )\b(Kunden?|Inhaber)\b(?!:)/.test(text),
    )
    expect(left).toEqual([])
  })

  test('have no phrase that no text contains', () => {
    expect(Object.keys(phrases).filter((phrase) => !german.some((text) => text.includes(phrase)))).toEqual([])
  })

  test('keep the parameters', () => {
    const parameters = (texts: string[]) =>
      texts.map((text) => (text.includes('{') ? parametersOf(text) : {}))
    expect(parameters(replaced)).toEqual(parameters(german))
  })
})

/** Returns the forms of whole numbers. */
function formsIn(language: string, type: 'cardinal' | 'ordinal'): Set<string> {
  const rules = new Intl.PluralRules(language, { type })
  return new Set(['other', ...Array.from({ length: 200 }, (_, count) => rules.select(count))])
}

function faultsOfForm(key: string, text: string): string[] {
  if (text === '' || text !== text.trim()) return ['is empty, or has a space at an end']
  if (/''|'[{}]/.test(text)) return ["has '' or ' before a brace; write ’"]
  try {
    const parts = partsOf(text)
    return isForScripts(key) && parts.some(({ kind }) => kind !== 'argument') ? ['may have {name} only'] : []
  } catch (error) {
    return [String(error)]
  }
}

describe('the code', () => {
  test('declares the parameters of each text in text-groups.ts', () => {
    const declared = readFileSync(join(project, 'src/console/frame/text-groups.ts'), 'utf8')
    const lines = keys
      .filter((key) => !isForScripts(key))
      .flatMap((key) => {
        const parameters = Object.entries(parametersOf(english[key] ?? '')).toSorted(([a], [b]) =>
          a < b ? -1 : 1,
        )
        const types = parameters.map(([name, type]) => `${name}: ${type}`)
        return types.length === 0 ? [] : [`  '${key}': { ${types.join('; ')} }`]
      })
    const listed = declared.slice(declared.indexOf('interface TextParameters'))
    expect(listed.split('\n').filter((line) => line.startsWith('  '))).toEqual(lines)
  })

  const ofTemplates = new Set(
    Object.entries(templates).flatMap(([trade, services]) =>
      Object.entries(services).flatMap(([name, [category]]) => [
        `templates.${trade}.${name}`,
        `templates.${trade}.categories.${category}`,
      ]),
    ),
  )

  test('names each service of a template and its category', () => {
    expect([...ofTemplates].filter((key) => !keys.includes(key))).toEqual([])
  })

  test('uses each text', () => {
    const files = globSync(['src/console/**/*.ts', 'src/pages/*.ts', 'widget/calendar/*.ts'], {
      cwd: project,
    })
    const uses = files.map((file) => {
      const found = namesIn(readFileSync(join(project, file), 'utf8'))
      if (file.startsWith('widget/')) found.names.add('live') // the only texts they get
      return found
    })
    const isUsed = (key: string) => {
      if (/^templates\.(?!trades)/.test(key)) return ofTemplates.has(key) // looked up by trade
      const groups = key.split('.')
      const name = groups.pop() ?? ''
      return uses.some(
        ({ names, looksUp }) =>
          groups.every((group) => names.has(group)) && (names.has(name) || looksUp.has(groups.at(-1) ?? '')),
      )
    }
    expect(keys.filter((key) => !isUsed(key))).toEqual([])
  })
})

/**
 * Returns the names of properties and literals in a file. Also returns the groups whose texts it looks up by a value.
 */
function namesIn(source: string): { names: Set<string>; looksUp: Set<string> } {
  const [names, looksUp] = [new Set<string>(), new Set<string>()]
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) names.add(node.name.text)
    if (ts.isBindingElement(node)) names.add((node.propertyName ?? node.name).getText())
    if (ts.isStringLiteralLike(node)) names.add(node.text)
    for (const group of groupsLookedUp(node)) looksUp.add(/\w+$/.exec(group.getText())?.[0] ?? '')
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true))
  return { names, looksUp }
}

function groupsLookedUp(node: ts.Node): ts.Node[] {
  if (ts.isElementAccessExpression(node)) return [node.expression]
  if (ts.isSpreadAssignment(node)) return [node.expression]
  return ts.isCallExpression(node) ? node.arguments.slice(0, 1) : []
}
