import { busiestOf } from './aims.ts'
import type { Figure } from './figures.ts'
import { settingsOf, tableText } from './markdown.ts'
import type { Operation } from './plan.ts'
import type { Report } from './report.ts'

/** The busiest second of 10,000 businesses, as docs/scaling.md assumes it: operations a second. */
const busiestSecond: Partial<Record<Operation, number>> = {
  session: 28,
  hold: 28,
  convert: 19,
  availability: 370,
}
const bookingsKept = 146_000_000
const sizes = [
  { businesses: '10,000', times: 1 },
  { businesses: '1,000,000', times: 100 },
]
/** At which the cost of an operation is taken. */
const usualConcurrency = 32

/** What docs/scaling.md says of a run: the most that was seen of each operation, and what the busiest second costs. */
export function capacityText(report: Report): string {
  return [mostTable(report.figures), costTable(report)].filter((text) => text !== undefined).join('\n\n')
}

function mostTable(figures: Figure[]): string {
  const rows = settingsOf(figures).flatMap((setting) =>
    (['flow', 'hold', 'convert', 'show', 'availability'] as const).flatMap((operation) => {
      const most = busiestOf(figures, setting, operation)
      if (!most) return []
      const busy = (cpuPerThousand: number | undefined) =>
        cpuPerThousand === undefined ? '–' : ((most.perSecond * cpuPerThousand) / 1_000).toFixed(2)
      return [
        [
          setting,
          operation,
          most.perSecond.toFixed(0),
          String(most.concurrency),
          busy(most.serviceCpuPerThousand),
          busy(most.databaseCpuPerThousand),
          most.loadCpuShare.toFixed(2),
        ],
      ]
    }),
  )
  const headings = ['', '', 'Most a second', 'At once', 'Processors: service', 'database', 'load']
  return tableText(headings, rows)
}

/** Undefined when the costs of an operation on PostgreSQL were not seen. */
function costTable({ figures, bytesPerBooking }: Report): string | undefined {
  const cost = (of: (figure: Figure) => number | undefined) => {
    const each = Object.entries(busiestSecond).map(([operation, perSecond]) => {
      const seen = figures.find(
        (one) =>
          one.setting === 'PostgreSQL' && one.operation === operation && one.concurrency === usualConcurrency,
      )
      return ((seen && of(seen)) ?? NaN) * (perSecond / 1_000)
    })
    return each.reduce((sum, one) => sum + one, 0)
  }
  const service = cost(({ serviceCpuPerThousand }) => serviceCpuPerThousand)
  const database = cost(({ databaseCpuPerThousand }) => databaseCpuPerThousand)
  const bytes = (bytesPerBooking['PostgreSQL'] ?? NaN) * bookingsKept
  if (Number.isNaN(service + database + bytes)) return undefined
  const row = (what: string, text: (times: number) => string) => [
    what,
    ...sizes.map(({ times }) => text(times)),
  ]
  return tableText(
    ['In the busiest second', ...sizes.map(({ businesses }) => `${businesses} businesses`)],
    [
      row('processors of the service', (times) => (service * times).toFixed(1)),
      row('processors of the database', (times) => (database * times).toFixed(1)),
      row('disk of two years of bookings', (times) => `${((bytes * times) / 1e12).toFixed(1)} TB`),
    ],
  )
}
