/*
 * Builds the server for the package, with everything that it needs. Node runs no TypeScript below node_modules.
 * Besides, from a cold disk some thirty files load sooner than the fifteen hundred of a checkout. Run by `npm pack`
 * (packaging/build.js).
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import type { OutputChunk } from 'rolldown'
import { makeUnlessMade } from './made-files.ts'

const project = resolve(import.meta.dirname, '..')

/** As deep as the folders of src/, so that the code finds neighbouring files by the same paths. */
const target = 'dist/server'

/** Loaded by pg only on request, and not installed. */
const neverBundled = ['pg-native', 'pg-cloudflare']

/** Builds `dist/` if a source has changed. Returns true if it did. */
export function makeServer(): Promise<boolean> {
  return makeUnlessMade({
    root: project,
    // the lock file has the versions of bundled packages
    sources: ['src/**/*.*', 'tools/**/*.ts', 'packaging/*.ts', 'package.json', 'package-lock.json'],
    notSources: [],
    note: 'dist/.made-of',
    make: async (write) => {
      const chunks = await builtServer()
      const { minifySync } = await import('rolldown/utils')
      // a fifth of a package is space and comments; its names stay
      const withoutSpace = (name: string, code: string) =>
        minifySync(name, code, { compress: false, mangle: false, codegen: { removeWhitespace: true } }).code
      for (const { fileName, code, map, moduleIds } of chunks) {
        // errors of the workers are never shown, and nobody fixes a package here: their maps would only be large
        const isOurs = moduleIds.some((id) => id.startsWith(join(project, 'src/')))
        const isMapped = map && isOurs && !fileName.endsWith('-program.js')
        write(`${target}/${fileName}`, isMapped ? code : withoutSpace(fileName, code))
        if (isMapped) write(`${target}/${fileName}.map`, mapFromProject(map))
      }
      for (const path of globSync('src/pages/*.{css,js,png,svg}', { cwd: project })) {
        write(`${target}/${basename(path)}`, readFileSync(join(project, path)))
      }
      write('dist/licenses.txt', noticesOf(chunks))
    },
  })
}

/**
 * Returns a separate chunk for everything that is loaded late, such as a command, Stripe or the driver of PostgreSQL.
 */
async function builtServer(): Promise<OutputChunk[]> {
  const { rolldown } = await import('rolldown') // loaded late, because the up-to-date check does not need it
  const bundle = await rolldown({
    input: {
      main: join(project, 'packaging/package-main.ts'),
      'busy-times-program': join(project, 'src/calendars/busy-times-program.ts'), // for a worker
      'holidays-program': join(project, 'src/catalogue/holidays-program.ts'), // for a worker
    },
    platform: 'node',
    resolve: { alias: { 'ical.js': join(project, 'node_modules/ical.js/dist/ical.min.js') } }, // a third of the size
    external: neverBundled,
    onLog: (_level, log, report) => {
      report('error', log) // its warnings would be failures in an installation
    },
  })
  const { output } = await bundle.generate({
    dir: join(project, target),
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
    keepNames: true, // names of errors are visible
  })
  await bundle.close()
  return output.filter((file) => file.type === 'chunk')
}

/** Returns the map with paths from the root of the project, and without the texts of the sources. */
function mapFromProject(map: NonNullable<OutputChunk['map']>): string {
  const sources = map.sources.map((source) => relative(project, resolve(project, target, source)))
  const { version, names, mappings } = map
  return JSON.stringify({ version, sources, names, mappings })
}

/** Returns the licences of the bundled packages, which must be in copies. */
function noticesOf(chunks: OutputChunk[]): string {
  const folders = chunks
    .flatMap(({ moduleIds }) => moduleIds)
    .flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
  const notices = [...new Set(folders)].toSorted().map(noticeOf)
  return `The files of dist/server contain these packages.\n\n${notices.join('\n')}`
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder })
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8')
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n\n${text.trim()}\n`
}

if (import.meta.main) await makeServer()
