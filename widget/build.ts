/*
 * Makes the files of the widget that are served: `v1.js` with everything that the first step needs, and a file with the
 * hash of its content in its name for each further language. `npm ci` does so, and what runs from a checkout whenever a
 * source has changed (packaging/build.js, `holdfast serve`, the tests).
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeUnlessMade } from '../packaging/made-files.ts'

const widget = resolve(import.meta.dirname)

/** Preact is under the MIT licence, which wants to be named in copies. */
const banner = '/*! Holdfast booking widget, Apache-2.0. Contains Preact (c) Jason Miller, MIT. */'

/** Makes `widget/dist`, unless it was made of these very sources. Tells whether it had to. */
export function makeWidget(): Promise<boolean> {
  return makeUnlessMade({
    root: widget,
    // package.json has the versions of the bundler and of Preact
    sources: ['**/*.{ts,tsx,css,json}', '../package.json', '../tsconfig.json'],
    notSources: ['dist/**'],
    note: 'dist/.made-of',
    make: async (write) => {
      // the entry last: it names the others
      const files = Object.entries(await builtWidget()).toSorted(([name]) => (name === 'v1.js' ? 1 : -1))
      for (const [name, text] of files) write(`dist/${name}`, text)
    },
  })
}

/** The text of each file of the widget, by its name. */
export async function builtWidget(): Promise<Record<string, string>> {
  const { rolldown } = await import('rolldown') // late: what looks whether there is anything to do needs none
  const bundle = await rolldown({
    input: { v1: join(widget, 'v1.ts') },
    platform: 'browser',
    tsconfig: join(widget, 'tsconfig.json'),
    plugins: [{ name: 'styles', load: (id) => (id.endsWith('.css') ? stylesAsText(id) : null) }],
    transform: { target: 'es2022' },
  })
  const { output } = await bundle.generate({
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
    postBanner: banner,
  })
  await bundle.close()
  return Object.fromEntries(
    output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.code]] : [])),
  )
}

function stylesAsText(file: string) {
  const text = readFileSync(file, 'utf8')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,>]) ?/g, '$1')
    .replaceAll(/: /g, ':')
  return { code: `export default ${JSON.stringify(text)}`, moduleType: 'js' as const }
}

if (import.meta.main) await makeWidget()
