/*
 * Makes the files of the widget that are served: `v1.js` with everything that the first step needs, and a file with the hash of
 * its content in its name for each further language. Run by `npm run build:widget`; a test compares what is committed
 * with what this makes.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const widget = resolve(import.meta.dirname)

/** Preact is under the MIT licence, which wants to be named in copies. */
const banner = '/*! Holdfast booking widget, Apache-2.0. Contains Preact (c) Jason Miller, MIT. */'

/** Builds the widget into a directory, which it empties first. */
export async function buildWidget(directory: string): Promise<void> {
  const bundle = await rolldown({
    input: { v1: join(widget, 'v1.ts') },
    platform: 'browser',
    tsconfig: join(widget, 'tsconfig.json'),
    plugins: [{ name: 'styles', load: (id) => (id.endsWith('.css') ? stylesAsText(id) : null) }],
    transform: { target: 'es2022' },
  })
  rmSync(directory, { recursive: true, force: true })
  await bundle.write({
    dir: directory,
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
    postBanner: banner,
  })
  await bundle.close()
}

function stylesAsText(file: string) {
  const text = readFileSync(file, 'utf8')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,>]) ?/g, '$1')
    .replaceAll(/: /g, ':')
  return { code: `export default ${JSON.stringify(text)}`, moduleType: 'js' as const }
}

if (import.meta.main) await buildWidget(join(widget, 'dist'))
