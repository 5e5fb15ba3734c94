import { errorsOf } from './report.ts'
import type { Figure } from './figures.ts'

const columns: [heading: string, width: number, cell: (figure: Figure) => string][] = [
  ['operation', -12, ({ operation }) => operation],
  ['at once', 7, ({ concurrency }) => String(concurrency)],
  ['per s', 6, ({ perSecond }) => perSecond.toFixed(0)],
  ['p50 ms', 7, ({ p50Ms }) => p50Ms.toFixed(1)],
  ['p99 ms', 7, ({ p99Ms }) => p99Ms.toFixed(1)],
  ['errors', 6, ({ errors }) => String(countOf(errors))],
  ['| statements/s', 14, ({ statementsPerSecond }) => statementsPerSecond.toFixed(0)],
  ['ratio', 5, ({ ofStatements }) => ofStatements.toFixed(2)],
  ['| bare/s', 8, ({ barePerSecond }) => barePerSecond.toFixed(0)],
  ['ratio', 5, ({ ofBare }) => ofBare.toFixed(2)],
  ['| CPU s/1000', 12, ({ serviceCpuPerThousand }) => secondsText(serviceCpuPerThousand)],
  ['database', 8, ({ databaseCpuPerThousand }) => secondsText(databaseCpuPerThousand)],
  ['bare', 5, ({ bareCpuPerThousand }) => secondsText(bareCpuPerThousand)],
  ['load CPU', 8, ({ loadCpuShare }) => `${Math.round(loadCpuShare * 100)} %`],
  ['MB', 5, ({ residentMegabytes }) => residentMegabytes?.toFixed(0) ?? '–'],
]

/** What stands above the lines of figures. */
export function headingLine(): string {
  return columns.map(([heading, width]) => padded(heading, width)).join('  ')
}

/** One line of the table; further ones for what it was compared with besides, and for errors, which nobody is to miss. */
export function linesOf(figure: Figure): string[] {
  const { pgbenchPerSecond, ofPgbench, oneCommitEachPerSecond, ofOneCommitEach } = figure
  const more = (what: string, perSecond: number | undefined, ratio: number | undefined) =>
    perSecond === undefined || ratio === undefined
      ? []
      : [`${' '.repeat(14)}beside ${what}: ${perSecond.toFixed(0)} a second, ratio ${ratio.toFixed(2)}`]
  return [
    columns.map(([, width, cell]) => padded(cell(figure), width)).join('  '),
    ...more('pgbench with the same insert', pgbenchPerSecond, ofPgbench),
    ...more('the same service with one commit each', oneCommitEachPerSecond, ofOneCommitEach),
    ...errorLines([figure]),
  ]
}

/** Each kind of error in capitals, and how often it was. */
export function errorLines(figures: Figure[]): string[] {
  return [...errorsOf(figures)].map(([message, count]) => `!! ERROR, ${count} times: ${message}`)
}

/** How many errors there were. */
export function countOf(errors: Record<string, number>): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0)
}

function secondsText(seconds: number | undefined): string {
  return seconds?.toFixed(2) ?? '–'
}

function padded(text: string, width: number): string {
  return width < 0 ? text.padEnd(-width) : text.padStart(width)
}
