/*
 * Builds the packages @holdfast/widget and @holdfast/react. Run by `npm ci`, `npm test` and `npm pack`
 * (packaging/build.js).
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeUnlessMade } from '../packaging/made-files.ts'

const project = resolve(import.meta.dirname, '..')

/** Builds the `dist` of both packages if a source has changed. Returns true if it did. */
export function makeEmbeds(): Promise<boolean> {
  return makeUnlessMade({
    root: project,
    sources: ['embed/*.{ts,json}', 'embed/*/*.{ts,tsx}', 'package.json', 'tsconfig.json'],
    notSources: [],
    note: 'embed/.made-of',
    make: async (write) => {
      import.meta.resolve('typescript') // absent from an installation for production
      for (const name of ['widget', 'react'])
        write(`embed/${name}/LICENSE`, readFileSync(join(project, 'LICENSE'), 'utf8'))
      for (const [path, text] of Object.entries(compiled()))
        write(`embed/${path.replace('/', '/dist/')}`, text)
    },
  })
}

/** Returns scripts and declarations, by path such as `react/holdfast-react.js`. */
function compiled(): Record<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-embed-'))
  try {
    const compiler = join(project, 'node_modules/typescript/bin/tsc')
    const command = [compiler, '--project', join(project, 'embed'), '--outDir', directory]
    const { status, stdout } = spawnSync(process.execPath, command, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`the packages of the widget do not compile:\n${stdout}`)
    const read = (path: string) =>
      readFileSync(join(directory, path), 'utf8').replaceAll('.ts"', '.js"').replaceAll(".ts'", ".js'")
    return Object.fromEntries(globSync('*/*.{js,d.ts}', { cwd: directory }).map((path) => [path, read(path)]))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

if (import.meta.main) await makeEmbeds()
