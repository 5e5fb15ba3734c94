/*
 * Builds the widget: `v1.js` with everything that the first step needs, and a file for each further language, with the hash
 * of its content in its name. Run by `npm ci`, and from a checkout when a source has changed (packaging/build.js,
 * `holdfast serve`, the tests).
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeUnlessMade } from '../packaging/made-files.ts'

const widget = resolve(import.meta.dirname)

/** Preact's MIT licence requires this notice in copies. */
const banner = '/*! Holdfast booking widget, Apache-2.0. Contains Preact (c) Jason Miller, MIT. */'

/** Builds `widget/dist` if a source has changed. Returns whether it did. */
export function makeWidget(): Promise<boolean> {
  return makeUnlessMade({
    root: widget,
    // src/package.json has the versions of the bundler and of Preact
    sources: ['**/*.{ts,tsx,css,json}', '../src/package.json', '../tsconfig.json'],
    notSources: ['dist/**'],
    note: 'dist/.made-of',
    make: async (write) => {
      // the entries last, because they import the others
      const files = Object.entries(await builtWidget()).toSorted(([name]) => (isEntry(name) ? 1 : -1))
      for (const [name, text] of files) write(`dist/${name}`, text)
    },
  })
}

const entries = ['v1.js', 'manage.js', 'calendar.js']
const isEntry = (name: string) => entries.includes(name)

/** The files of the widget, of the page on which a client manages a booking, and of the console's calendar, by name. */
async function builtWidget(): Promise<Record<string, string>> {
  const { rolldown } = await import('rolldown') // late: the up-to-date check does not need it
  // apart, so that the widget shares no file with the page and its first step needs one only
  const [ofWidget, ofPage, ofConsole] = await Promise.all([
    bundled({ v1: join(widget, 'v1.ts') }, banner),
    bundled({ manage: join(widget, 'manage/manage-element.tsx') }, banner, 'manage-[name]-[hash].js'),
    bundled({ calendar: join(widget, 'calendar/calendar.ts') }),
  ])
  return { ...ofConsole, ...ofPage, ...ofWidget }

  async function bundled(
    input: Record<string, string>,
    postBanner = '',
    chunkFileNames = '[name]-[hash].js',
  ): Promise<Record<string, string>> {
    const bundle = await rolldown({
      input,
      platform: 'browser',
      tsconfig: join(widget, 'tsconfig.json'),
      plugins: [{ name: 'styles', load: (id) => (id.endsWith('.css') ? stylesAsText(id) : null) }],
      transform: { target: 'es2022' },
    })
    const { output } = await bundle.generate({
      format: 'es',
      entryFileNames: '[name].js',
      chunkFileNames,
      minify: true,
      postBanner,
    })
    await bundle.close()
    return Object.fromEntries(
      output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.code]] : [])),
    )
  }
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
