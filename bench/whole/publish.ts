import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { tableLines } from '../../src/cli/table.ts'
import { aimsOf } from './aims.ts'
import { capacityText } from './capacity.ts'
import { countOf, errorLines, headingLine, linesOf } from './figure-lines.ts'
import { limiterOf, markdownOf, settingsOf } from './markdown.ts'
import { meanings } from './plan.ts'
import type { Report } from './report.ts'

const project = resolve(import.meta.dirname, '../..')

/** Prints the whole report, the aims last, and writes it as JSON. Tells where. */
export function publish(report: Report): string {
  const lines = [...figureLines(report), '', ...processLines(report), '', ...aimLines(report)]
  const directory = join(project, 'data')
  mkdirSync(directory, { recursive: true })
  const file = join(directory, `bench-${report.at.slice(0, 19).replaceAll(':', '-')}.json`)
  writeFileSync(file, JSON.stringify(report, null, 2))
  console.log([...lines, '', `${Math.round(report.seconds)} seconds. All of it is in ${file}`].join('\n'))
  return file
}

function figureLines({ figures }: Report): string[] {
  const settings = settingsOf(figures).flatMap((setting) => [
    '',
    `${setting}; requests are counted in ${limiterOf(figures, setting)}`,
    headingLine(),
    ...figures.filter((figure) => figure.setting === setting).flatMap(linesOf),
  ])
  if (figures.length === 0) return []
  return [
    ...settings,
    '',
    ...Object.entries(meanings).map(([operation, meaning]) => `${operation.padEnd(12)}  ${meaning}`),
    'statements: the same ones through the driver without HTTP, over as many connections; on SQLite one commit each.',
    "bare: the same bytes from routes of one bare Fastify process. A ratio is the service's share of such a rate, of rounds in turns.",
    'CPU: seconds of the processor for 1,000 operations, of all processes of the service, of its connections in the database, and of bare Fastify.',
  ]
}

function processLines({ starts, memory, bytesPerBooking }: Report): string[] {
  const whole = (value: number) => value.toFixed(0)
  const ofMemory = Object.entries(memory).map(([setting, one]) => [
    setting,
    ...[one.idle, one.under128, one.watchedSeconds].map(whole),
    one.growthInTenMinutes === undefined ? '–' : whole(one.growthInTenMinutes),
  ])
  const ofStarts = Object.entries(starts).map(([setting, { existingMs, emptyMs }]) => [
    setting,
    whole(existingMs),
    whole(emptyMs),
  ])
  const ofDisk = Object.entries(bytesPerBooking).map(([setting, bytes]) => [setting, whole(bytes)])
  return [
    ...tableLines(['memory', 'idle MB', 'under 128 MB', 'watched s', 'growth in 10 min MB'], ofMemory),
    '',
    ...tableLines(['start', 'existing database ms', 'empty database ms'], ofStarts),
    '',
    ...tableLines(['disk', 'bytes of a booking with all that belongs to it'], ofDisk),
  ]
}

function aimLines(report: Report): string[] {
  const errors = report.figures.reduce((sum, figure) => sum + countOf(figure.errors), 0)
  const rows = aimsOf(report).map(({ what, aim, seen, verdict }) => [what, aim, seen, verdict])
  return [
    `${report.at.slice(0, 16).replace('T', ' ')}, ${report.machine}, Node ${report.node}, ${report.postgres}`,
    ...tableLines(['aim', '', 'seen', ''], rows),
    errors === 0 ? 'No request failed.' : `!! ${errors} REQUESTS FAILED`,
    ...errorLines(report.figures),
    ...report.failures.map((failure) => `!! NOT MEASURED: ${failure}`),
  ]
}

/** Puts the tables between their marks in the documents that quote them. */
export async function writeIntoDocuments(report: Report): Promise<void> {
  const { readme, all } = markdownOf(report)
  await replaceBetweenMarks(join(project, 'README.md'), readme)
  await replaceBetweenMarks(join(project, 'docs/benchmark.md'), all)
  await replaceBetweenMarks(join(project, 'docs/scaling.md'), capacityText(report))
}

const begin = '<!-- written by npm run bench -->'
const end = '<!-- end of what npm run bench wrote -->'

async function replaceBetweenMarks(file: string, text: string): Promise<void> {
  const before = readFileSync(file, 'utf8')
  const [from, to] = [before.indexOf(begin), before.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has no marks for what the benchmark writes`)
  const after = `${before.slice(0, from + begin.length)}\n\n${text}\n\n${before.slice(to)}`
  const options = await resolveConfig(file)
  writeFileSync(file, await format(after, { ...options, filepath: file }))
  console.log(`The tables are in ${file}`)
}
