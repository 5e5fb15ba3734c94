import type { Figure } from './figures.ts'
import type { Operation } from './plan.ts'
import type { Report } from './report.ts'

/** Something that is aimed at, and what was seen of it. */
export interface Aim {
  what: string
  aim: string
  seen: string
  /** Undefined when the run was too short to say. */
  reached: boolean | undefined
  /** Such as "missed by 12 %". */
  verdict: string
}

/** Memory that is flat grows by less in ten minutes. */
const flatMegabytes = 10

interface Bound {
  value: number
  atLeast?: number
  atMost?: number
  text: (value: number) => string
}

/** All aims of which the run has seen something. */
export function aimsOf(report: Report): Aim[] {
  const ratios = ratioAims.flatMap(({ what, setting, operation, ratio, atLeast }) => {
    const busiest = busiestOf(report.figures, setting, operation)
    const value = busiest && ratio(busiest)
    if (!busiest || value === undefined) return []
    const text = (number: number) => number.toFixed(2)
    return [aim(`${what} (${busiest.concurrency} at once)`, { value, atLeast, text })]
  })
  return [...ratios, ...memoryAims(report), ...startAims(report)]
}

const ratioAims: {
  what: string
  setting: string
  operation: Operation
  ratio: (figure: Figure) => number | undefined
  atLeast: number
}[] = [
  {
    what: 'hold on PostgreSQL, of its bare statements',
    setting: 'PostgreSQL',
    operation: 'hold',
    ratio: ({ ofStatements }) => ofStatements,
    atLeast: 0.6,
  },
  {
    what: 'hold on PostgreSQL, of pgbench with the same insert',
    setting: 'PostgreSQL',
    operation: 'hold',
    ratio: ({ ofPgbench }) => ofPgbench,
    atLeast: 1 / 3,
  },
  {
    what: 'hold on SQLite, of its bare statements with one commit each',
    setting: 'SQLite',
    operation: 'hold',
    ratio: ({ ofStatements }) => ofStatements,
    atLeast: 3,
  },
  {
    what: 'hold on SQLite, of the same service with one commit each',
    setting: 'SQLite',
    operation: 'hold',
    ratio: ({ ofOneCommitEach }) => ofOneCommitEach,
    atLeast: 3,
  },
  {
    what: 'show on SQLite, of bare Fastify, limits in memory',
    setting: 'SQLite',
    operation: 'show',
    ratio: ({ ofBare }) => ofBare,
    atLeast: 0.5,
  },
  ...['SQLite', 'PostgreSQL'].map((setting) => ({
    what: `session → hold → booking on ${setting}, of its bare statements`,
    setting,
    operation: 'flow' as const,
    ratio: ({ ofStatements }: Figure) => ofStatements,
    atLeast: 0.4,
  })),
]

/** The figure of the concurrency at which the service does most: what its capacity is. */
export function busiestOf(figures: Figure[], setting: string, operation: Operation): Figure | undefined {
  return figures
    .filter((one) => one.setting === setting && one.operation === operation)
    .toSorted((one, other) => other.perSecond - one.perSecond)[0]
}

function memoryAims({ memory }: Report): Aim[] {
  const text = (value: number) => `${value.toFixed(0)} MB`
  return Object.entries(memory).flatMap(
    ([setting, { idle, under128, growthInTenMinutes, watchedSeconds }]) => [
      aim(`memory idle, ${setting}`, { value: idle, atMost: 120, text }),
      aim(`memory under load at 128 connections, ${setting}`, { value: under128, atMost: 250, text }),
      growthInTenMinutes === undefined
        ? {
            what: `memory flat over 10 minutes, ${setting}`,
            aim: `at most ${text(flatMegabytes)} more`,
            seen: `watched for ${watchedSeconds} s`,
            reached: undefined,
            verdict: 'not judged: --only memory --memory-seconds 600',
          }
        : aim(`memory flat over 10 minutes, ${setting}`, {
            value: growthInTenMinutes,
            atMost: flatMegabytes,
            text: (value) => `${text(value)} more`,
          }),
    ],
  )
}

function startAims({ starts }: Report): Aim[] {
  const text = (value: number) => `${value.toFixed(0)} ms`
  return Object.entries(starts).flatMap(([setting, { existingMs, emptyMs }]) => [
    aim(`start on an existing database, ${setting}`, { value: existingMs, atMost: 1_000, text }),
    aim(`start on an empty database, ${setting}`, { value: emptyMs, atMost: 2_000, text }),
  ])
}

function aim(what: string, { value, atLeast, atMost, text }: Bound): Aim {
  const bound = atLeast ?? atMost ?? NaN
  const reached = atLeast === undefined ? value <= bound : value >= bound
  const missedPercent = Math.abs(value / bound - 1) * 100
  return {
    what,
    aim: `${atLeast === undefined ? 'at most' : 'at least'} ${text(bound)}`,
    seen: text(value),
    reached,
    verdict: reached ? 'reached' : `MISSED by ${Math.max(1, Math.round(missedPercent))} %`,
  }
}
