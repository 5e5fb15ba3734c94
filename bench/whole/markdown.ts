import { aimsOf } from './aims.ts'
import { countOf } from './figure-lines.ts'
import type { Figure } from './figures.ts'
import type { Report } from './report.ts'

/** README.md shows what many at once get, and docs/benchmark.md all of it. */
const shownConcurrency = 32

/** The tables of a run as the documents quote them, with their date and machine. */
export function markdownOf(report: Report): { readme: string; all: string } {
  const { figures } = report
  const shown = figures.filter(({ concurrency }) => concurrency === shownConcurrency)
  const about = aboutLine(report)
  const aims = tableText(
    ['Aim', 'At', 'Seen', ''],
    aimsOf(report).map(({ what, aim, seen, verdict }) => [what, aim, seen, verdict]),
  )
  return {
    readme: [about, aims, `With ${shownConcurrency} requests at once:`, figureTable(shown)].join('\n\n'),
    all: [
      about,
      ...settingsOf(figures).flatMap((setting) => [
        `### ${setting}`,
        `Requests are counted against their limits in ${limiterOf(figures, setting)}.`,
        figureTable(figures.filter((figure) => figure.setting === setting)),
      ]),
      ...['### Memory and start', processTable(report)],
    ].join('\n\n'),
  }
}

function aboutLine({ at, machine, loadBefore, node, postgres, seconds, figures }: Report): string {
  const errors = figures.reduce((sum, figure) => sum + countOf(figure.errors), 0)
  const load =
    loadBefore === undefined ? '' : ` The load of the machine before it began was ${loadBefore.toFixed(1)}.`
  return `\`npm run bench\` of ${at.slice(0, 10)} on ${machine}, with everything on it: Node ${node}, ${postgres}. It took ${Math.round(seconds / 60)} minutes; ${errors} requests failed.${load}`
}

function figureTable(figures: Figure[]): string {
  const share = (rate: number, ratio: number) => `${rate.toFixed(0)}: ×${ratio.toFixed(2)}`
  const headings = [
    ...['', 'On', 'At once', 'Per second', 'p50, p99 ms'],
    ...['Bare statements', 'Bare Fastify', 'CPU s per 1,000: service, database', 'MB'],
  ]
  const rows = figures.map((figure) => [
    figure.operation,
    figure.setting,
    String(figure.concurrency),
    figure.perSecond.toFixed(0),
    `${figure.p50Ms.toFixed(1)}, ${figure.p99Ms.toFixed(1)}`,
    share(figure.statementsPerSecond, figure.ofStatements),
    share(figure.barePerSecond, figure.ofBare),
    `${figure.serviceCpuPerThousand?.toFixed(2) ?? '–'}, ${figure.databaseCpuPerThousand?.toFixed(2) ?? '–'}`,
    figure.residentMegabytes?.toFixed(0) ?? '–',
  ])
  return tableText(headings, rows)
}

function processTable({ memory, starts, bytesPerBooking }: Report): string {
  const headings = [
    ...['', 'Idle', 'At 128 connections', 'Growth in 10 minutes'],
    ...['Start', 'Start on an empty database', 'Disk of a booking'],
  ]
  const settings = new Set([...Object.keys(memory), ...Object.keys(starts)])
  const text = (value: number | undefined, unit: string) =>
    value === undefined ? '–' : `${value.toFixed(0)} ${unit}`
  const rows = [...settings].map((setting) => {
    const [seen, start] = [memory[setting], starts[setting]]
    return [
      setting,
      text(seen?.idle, 'MB'),
      text(seen?.under128, 'MB'),
      text(seen?.growthInTenMinutes, 'MB'),
      text(start?.existingMs, 'ms'),
      text(start?.emptyMs, 'ms'),
      text(bytesPerBooking[setting], 'bytes'),
    ]
  })
  return tableText(headings, rows)
}

/** A table of Markdown. */
export function tableText(headings: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The settings of figures in their order. */
export function settingsOf(figures: Figure[]): string[] {
  return [...new Set(figures.map(({ setting }) => setting))]
}

/** Where a setting counts requests. */
export function limiterOf(figures: Figure[], setting: string): string {
  return figures.find((figure) => figure.setting === setting)?.limiter ?? ''
}
