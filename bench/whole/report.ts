import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import type { Figure } from './figures.ts'
import type { Memory } from './memory.ts'
import type { Starts } from './starts.ts'

const project = resolve(import.meta.dirname, '../..')

/** Everything that one run has found. */
export interface Report {
  at: string
  machine: string
  node: string
  postgres: string
  figures: Figure[]
  /** By engine. */
  starts: Record<string, Starts>
  memory: Record<string, Memory>
  bytesPerBooking: Record<string, number>
  /** Inserts of a claim a second by pgbench; or why there are none. */
  pgbench: { clients: number; perSecond: number } | string
  seconds: number
}

/** What the machine is, as far as it matters. */
export function machine(): string {
  const cores = cpus()
  return `${cores.length} × ${cores[0]?.model.trim() ?? 'processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}`
}

/** One line while the run goes on. */
export function lineOf(figure: Figure): string {
  return Object.values(row(figure)).join('  ')
}

function row(figure: Figure) {
  const errors = Object.values(figure.errors).reduce((sum, count) => sum + count, 0)
  const cpu = (seconds: number | undefined) => seconds?.toFixed(2) ?? '–'
  return {
    setting: figure.setting,
    operation: figure.operation,
    'at once': figure.concurrency,
    'per s': Math.round(figure.perSecond),
    'p50 ms': figure.p50Ms.toFixed(1),
    'p99 ms': figure.p99Ms.toFixed(1),
    errors,
    'statements/s': Math.round(figure.statementsPerSecond),
    'of them': figure.ofStatements.toFixed(2),
    'bare Fastify/s': Math.round(figure.barePerSecond),
    'of it': figure.ofBare.toFixed(2),
    'CPU s/1000': cpu(figure.serviceCpuPerThousand),
    database: cpu(figure.databaseCpuPerThousand),
    'load CPU': `${Math.round(figure.loadCpuShare * 100)} %`,
    MB: figure.residentMegabytes?.toFixed(0) ?? '–',
  }
}

/** Prints the report as tables and writes it as JSON. Tells where. */
export function publish(report: Report): string {
  console.log(`\n${report.at}, ${report.machine}, Node ${report.node}, ${report.postgres}`)
  console.table(report.figures.map(row))
  for (const setting of new Set(report.figures.map((figure) => figure.setting))) {
    const limiter = report.figures.find((figure) => figure.setting === setting)?.limiter ?? ''
    console.log(`${setting}: requests are counted in ${limiter}.`)
  }
  console.log(
    '"statements" are the same ones through the driver, "bare Fastify" the same bytes; on SQLite one commit each.',
  )
  for (const [message, count] of errorsOf(report)) console.log(`error, ${count} times: ${message}`)
  console.table(report.starts)
  console.table(report.memory)
  console.log(
    typeof report.pgbench === 'string'
      ? report.pgbench
      : `pgbench, the insert of a claim alone, ${report.pgbench.clients} clients: ${Math.round(report.pgbench.perSecond)} a second`,
  )
  console.log('bytes a booking takes on the disk, with all that belongs to it:', report.bytesPerBooking)
  for (const line of aims(report)) console.log(line)
  const directory = join(project, 'data')
  mkdirSync(directory, { recursive: true })
  const file = join(directory, `bench-${report.at.slice(0, 16).replace(':', '-')}.json`)
  writeFileSync(file, JSON.stringify(report, null, 2))
  console.log(`${Math.round(report.seconds)} seconds. All of it is in ${file}`)
  return file
}

function errorsOf({ figures }: Report): Map<string, number> {
  const all = new Map<string, number>()
  for (const { errors } of figures) {
    for (const [message, count] of Object.entries(errors)) all.set(message, (all.get(message) ?? 0) + count)
  }
  return all
}

/** What is aimed at, and the best that was seen of it at any concurrency. */
function aims({ figures, pgbench }: Report): string[] {
  const best = (setting: string, operation: string, value: (figure: Figure) => number) =>
    Math.max(...figures.filter((one) => one.setting === setting && one.operation === operation).map(value))
  const line = (what: string, value: number, aim: number) =>
    Number.isFinite(value) ? [`${what}: ${value.toFixed(2)} (aim: ${aim})`] : []
  const ofStatements = (figure: Figure) => figure.ofStatements
  const holds = best('PostgreSQL', 'hold', ({ perSecond }) => perSecond)
  return [
    'At the best concurrency:',
    ...line('hold on PostgreSQL, of its bare statements', best('PostgreSQL', 'hold', ofStatements), 0.6),
    ...(typeof pgbench === 'string'
      ? []
      : line('hold on PostgreSQL, of pgbench', holds / pgbench.perSecond, 0.33)),
    ...line('hold on SQLite, of one commit each', best('SQLite', 'hold', ofStatements), 3),
    ...line(
      'show on SQLite, of bare Fastify',
      best('SQLite', 'show', ({ ofBare }) => ofBare),
      0.5,
    ),
    ...line('flow on SQLite, of its bare statements', best('SQLite', 'flow', ofStatements), 0.4),
    ...line('flow on PostgreSQL, of its bare statements', best('PostgreSQL', 'flow', ofStatements), 0.4),
  ]
}
