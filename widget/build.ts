/*
 * Builds the widget: `v1.js` with everything that the first step needs, a file for each further language, and
 * `holdfast.js` for popups and the floating button. Both scripts work with and without `type="module"`. Other file names contain a hash of their
 * content. Run by `npm ci`, and in a checkout after a change of the sources (packaging/build.js, `holdfast
 * serve`, the tests).
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Plugin } from 'rolldown'
import { makeUnlessMade } from '../packaging/made-files.ts'
import { parameter, readForms } from '../src/base/messages.ts'

const widget = resolve(import.meta.dirname)

/** Preact's MIT licence requires this notice in copies. */
const banner = '/*! Holdfast booking widget, Apache-2.0. Contains Preact (c) Jason Miller, MIT. */'

/** Builds `widget/dist` if a source has changed. Returns true if it did. */
export function makeWidget(): Promise<boolean> {
  return makeUnlessMade({
    root: widget,
    // src/package.json pins the versions of the bundler and Preact
    sources: [
      ...['**/*.{ts,tsx,css,json}', '../texts/*.json', '../src/base/messages.ts', '../src/base/money.ts'],
      ...['../src/package.json', '../tsconfig.json', '../embed/widget/*.ts'],
    ],
    notSources: ['dist/**'],
    note: 'dist/.made-of',
    make: async (write) => {
      // the entries last, because they import the others
      const files = Object.entries(await builtWidget()).toSorted(([name]) => (isEntry(name) ? 1 : -1))
      for (const [name, text] of files) write(`dist/${name}`, text)
    },
  })
}

const entries = ['v1.js', 'holdfast.js', 'manage.js', 'calendar.js']
const isEntry = (name: string) => entries.includes(name)

/** Returns the files of the widget, its popups, the client's manage page and the console's calendar, by name. */
async function builtWidget(): Promise<Record<string, string>> {
  const { rolldown } = await import('rolldown') // loaded late: the up-to-date check does not need it.
  // bundled separately, so that the widget shares no file with the page and its first step needs only one
  const [ofWidget, ofPopups, ofPage, ofConsole] = await Promise.all([
    bundled(
      { v1: join(widget, 'v1.ts') },
      { postBanner: banner, plugins: [texts({ atOnce: ['widget'], later: ['booking', 'wait'] })] },
    ),
    bundled({ holdfast: join(widget, 'popups/holdfast.ts') }),
    bundled(
      { manage: join(widget, 'manage/manage-element.tsx') },
      {
        postBanner: banner,
        chunkFileNames: 'manage-[name]-[hash].js',
        plugins: [texts({ atOnce: ['widget', 'booking', 'manage'] })],
      },
    ),
    bundled({ calendar: join(widget, 'calendar/calendar.ts') }),
  ])
  const popups = inScope(ofPopups['holdfast.js'] ?? '', 'holdfast')
  return { ...ofConsole, ...ofPage, ...asScript(ofWidget), 'holdfast.js': popups }

  async function bundled(
    input: Record<string, string>,
    {
      postBanner = '',
      chunkFileNames = '[name]-[hash].js',
      plugins = [],
    }: { postBanner?: string; chunkFileNames?: string; plugins?: Plugin[] } = {},
  ): Promise<Record<string, string>> {
    const bundle = await rolldown({
      input,
      platform: 'browser',
      tsconfig: join(widget, 'tsconfig.json'),
      plugins: [
        { name: 'styles', load: (id) => (id.endsWith('.css') ? stylesAsText(id) : null) },
        ...plugins,
      ],
      transform: { target: 'es2022' },
    })
    const { output } = await bundle.generate({
      format: 'es',
      entryFileNames: '[name].js',
      chunkFileNames,
      minify: true,
      comments: { legal: true, annotation: false }, // each component would carry one
      postBanner,
    })
    await bundle.close()
    return Object.fromEntries(
      output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.code]] : [])),
    )
  }
}

/** Expression by which later files find the exports of the entry. It adds no other name to the page. */
const shared = `customElements.get('holdfast-booking').shared`

/**
 * Wraps code in a function scope, in which `$url` is its address. A classic script has neither `import.meta` nor, of
 * another origin, a base for what it imports; a module has no `document.currentScript`. The stack names the file of either.
 */
function inScope(code: string, name: string): string {
  const address = String.raw`/https?:[^\s()@]+?\/widget\/${name}\.js/.exec(Error().stack)?.[0]??location.href`
  return `($url=>{'use strict';${code.replaceAll('import.meta.url', '$url').trim()}})(${address})\n`
}

/**
 * Wraps files in a function scope, without imports and exports, because the page may use the same variable
 * names. Later files find an export by its name inside the entry, which is shorter than two names.
 */
function asScript(files: Record<string, string>): Record<string, string> {
  /** Reads `a as b,c` as pairs: [a, b], [c, c]. */
  const pairs = (names: string) =>
    Array.from(names.matchAll(/([\w$]+)(?: as ([\w$]+))?/g), ([, one = '', other = one]) => [one, other])
  const imported = /import\{([^}]*)\}from"\.\/v1\.js";/
  const [whole = '', exported = ''] = /export\{([^}]*)\};?\s*$/.exec(files['v1.js'] ?? '') ?? []
  const inside = new Map(pairs(exported).map(([own, name]) => [name, own]))
  const found = (names: string) =>
    pairs(names)
      .map(([name, own]) => `${inside.get(name)}:${own}`)
      .join()
  return Object.fromEntries(
    Object.entries(files).map(([name, code]) => {
      if (name !== 'v1.js')
        return [name, code.replace(imported, (_, names: string) => `const{${found(names)}}=${shared};`)]
      const body = code
        .slice(0, -whole.length)
        .replace(banner, '')
        .replaceAll(/\bimport\([`"']\.\/([\w.-]+)[`"']\)/g, 'import($url+`/../$1`)')
        .trim()
      if (exported === '' || /\bimport(?!\(\$url|\.meta\.url)\b/.test(body))
        throw new Error('v1.js cannot be a script')
      return [name, `${banner}\n${inScope(`${body}${shared}??={${[...inside.values()].join()}}`, 'v1')}`]
    }),
  )
}

const folder = resolve(widget, '../texts')

/**
 * Provides the modules `texts:…` (modules.d.ts): English in two parts, and a file for each other language.
 */
function texts({ atOnce, later = [] }: { atOnce: string[]; later?: string[] }): Plugin {
  const others = globSync('*.json', { cwd: folder })
    .toSorted()
    .map((file) => basename(file, '.json'))
    .filter((name) => name !== 'en')
  const loads = others.map((name) => `${name}:()=>import('texts:${name}')`)
  const modules: Record<string, () => string> = {
    languages: () =>
      `import{texts}from'texts:en';export const languages={en:async()=>({texts}),${loads.join()}}`,
    en: () => textsOf('en', atOnce),
    'en-later': () => textsOf('en', later),
  }
  return {
    name: 'texts',
    resolveId: (id) => (id.startsWith('texts:') ? join(folder, id.slice(6)) : null), // the end of the ID names the file
    load: (id) => {
      const name = basename(id)
      if (id !== join(folder, name)) return null
      return modules[name]?.() ?? textsOf(name, [...atOnce, ...later])
    },
  }
}

/** Returns the texts of some groups as a module. Omits the group name if views do. */
function textsOf(language: string, groups: string[]): string {
  const all = JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8')) as Record<string, string>
  const wanted = Object.entries(all).filter(([key]) => groups.some((group) => key.startsWith(`${group}.`)))
  const entries = wanted.map(([key, text]) => [key.replace(/^(widget|booking)\./, ''), compiled(text)])
  return `export const texts=${JSON.stringify(Object.fromEntries(entries))}`
}

/** Returns a text, or the forms of one with a plural. */
function compiled(text: string) {
  const [[, , plural] = []] = text.matchAll(parameter)
  return plural === undefined ? text : readForms(plural)
}

function stylesAsText(file: string) {
  const text = readFileSync(file, 'utf8')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,>]) ?/g, '$1')
    .replaceAll(/: /g, ':')
    .replaceAll(';}', '}')
    .replaceAll(/(?<=[ :,(])0\./g, '.')
  return { code: `export default ${JSON.stringify(text)}`, moduleType: 'js' as const }
}

if (import.meta.main) await makeWidget()
