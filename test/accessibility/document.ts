import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { project } from '../docs/documents.ts'
import { axeVersion, type CheckName, checkNames, criteriaOfRule, type Findings } from './checks.ts'
import { type Criterion, criteria, readOn } from './criteria.ts'
import type { State } from './states.ts'
import { byHand, clauses, limits } from './words.ts'

/** A checked state. */
export interface Result extends Pick<State, 'area' | 'name' | 'route' | 'isBrief'> {
  found: Findings
  /** Controls that the tab key reached. */
  stops: number
}

export interface Run {
  results: Result[]
  /** The day of the run, such as 2026-11-29. */
  day: string
  chromium: string
}

export const reportPath = 'docs/accessibility.md'

interface Finding {
  check: CheckName
  state: string
  text: string
  criteria: string[]
}

export const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
  version: string
}
const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
  devDependencies: Record<string, string>
}

const isOfAxe = (check: CheckName) => check === 'axe' || check === 'axe at 320'

/** Returns what the program found, without IDs, so that two runs compare. */
function findingsOf({ results }: Run): Finding[] {
  return results.flatMap(({ area, name, found }) =>
    (Object.entries(found) as [CheckName, string[]][]).flatMap(([check, list]) =>
      list.map((text) => ({
        ...{ check, state: `${area}: ${name}` },
        text: text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…'),
        criteria: isOfAxe(check)
          ? criteriaOfRule(text.split(':', 1)[0] ?? '')
          : criteria.filter(({ checks }) => checks.includes(check)).map(({ id }) => id),
      })),
    ),
  )
}

const verdicts = { yes: 'supports', partly: 'supports partly', 'n/a': 'not applicable' } as const

/** Returns the verdict of a criterion: a finding of the program makes it partial. */
export function verdictOf({ id, verdict }: Criterion, findings: readonly { criteria: string[] }[]): string {
  const isFound = findings.some((finding) => finding.criteria.includes(id))
  return isFound && verdict === 'yes' ? verdicts.partly : verdicts[verdict]
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;')
const row = (...cells: (string | number)[]) => `| ${cells.map((one) => cell(String(one))).join(' | ')} |`
const table = (head: string[], rows: string[]) =>
  [row(...head), row(...head.map(() => '---')), ...rows].join('\n')

function howOf({ checks, byHand: words, tests = [] }: Criterion, findings: Finding[], id: string): string {
  const byProgram = [...new Set(checks.map((check) => (isOfAxe(check) ? 'axe-core' : check)))]
  const parts = [
    byProgram.length > 0 ? `Program: ${byProgram.join(', ')}.` : '',
    words === undefined ? '' : `Read by hand: ${words}`,
    tests.length > 0
      ? `Tests: ${tests.map((test) => `[${test.replace(/^test\/|\.test\.ts$/g, '')}](../${test})`).join(', ')}.`
      : '',
    findings.some((finding) => finding.criteria.includes(id)) ? 'See [findings](#findings).' : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function criteriaTable(findings: Finding[]): string {
  return table(
    ['Criterion', 'Level', 'Result', 'Basis'],
    criteria.map((one) =>
      row(`${one.id} ${one.name}`, one.level, verdictOf(one, findings), howOf(one, findings, one.id)),
    ),
  )
}

function checksTable({ results }: Run, findings: Finding[]): string {
  const names = Object.keys(checkNames) as CheckName[]
  return table(
    ['Check', 'States', 'Findings', 'In states'],
    names.map((name) => {
      const own = findings.filter(({ check }) => check === name)
      const states = results.filter(({ found }) => found[name] !== undefined).length
      return row(checkNames[name], states, own.length, new Set(own.map(({ state }) => state)).size)
    }),
  )
}

/** Returns one row for each check and state with findings. */
function findingsTable(findings: Finding[]): string {
  if (findings.length === 0) return 'The program found nothing.'
  const groups = Map.groupBy(findings, ({ check, state }) => `${check}\n${state}`)
  return table(
    ['Criteria', 'State', 'Check', 'Number', 'Example'],
    [...groups.values()].map((group) => {
      const [first] = group
      const all = [...new Set(group.flatMap((one) => one.criteria))].toSorted()
      return row(
        all.join(', '),
        first?.state ?? '',
        first?.check ?? '',
        group.length,
        `\`${(first?.text ?? '').replaceAll('`', '').slice(0, 120)}\``,
      )
    }),
  )
}

function statesTable({ results }: Run): string {
  const routes = Map.groupBy(results, ({ area, route }) => `${area}\n${route}`)
  return table(
    ['Area', 'Page', 'States'],
    [...routes.values()].map((group) => {
      const [first] = group
      return row(first?.area ?? '', `\`${first?.route ?? ''}\``, group.map(({ name }) => name).join('; '))
    }),
  )
}

/** Returns the report in Markdown. */
export async function writeReport(run: Run): Promise<string> {
  const findings = findingsOf(run)
  const { results, day, chromium } = run
  const walked = results.filter(({ isBrief }) => !isBrief)
  const stops = results.reduce((sum, one) => sum + one.stops, 0)
  const counts = Map.groupBy(criteria, (one) => verdictOf(one, findings))
  const count = (verdict: string) => counts.get(verdict)?.length ?? 0
  const tools = manifest.devDependencies
  const text = `# Accessibility conformance report

<!-- written by npm run accessibility; the words of people are in test/accessibility -->

| | |
| --- | --- |
| Product | Holdfast: booking pages, widget, console, guides |
| Version | ${version} |
| Date | ${day} |
| Standard | WCAG 2.2 levels A and AA; EN 301 549 V3.2.1, clauses 9, 11 and 12 |
| Result | ${criteria.length} criteria: ${count('supports')} supported, ${count('supports partly')} partly, ${count('not applicable')} not applicable |

Holdfast meets most criteria, but not all. [Findings](#findings) and [limits](#limits) list the gaps.

The European Accessibility Act (Directive 2019/882) covers online booking for consumers since 28 June 2025. It exempts microenterprises that provide services. This report describes the software. A business that uses it publishes another statement, which also covers its texts, colours and pictures.

## Method

\`npm run accessibility\` starts Holdfast with the demo data on SQLite. It opens ${results.length} states of ${new Set(results.map(({ route }) => route)).size} pages and checks each. It uses:

- axe-core ${axeVersion}, with the rules for levels A and AA and three experimental ones
- Chromium ${chromium}, driven by playwright-core ${tools['playwright-core'] ?? ''}
- windows of 1280 and 320 pixels, both schemes of colours, forced colours, reduced motion

The tab key walked through ${walked.length} states and reached ${stops} controls. The other states are guides and the reference, which share their frame with a walked one. All states are in English. The tests of the widget repeat axe-core in Arabic, from right to left.

${checksTable(run, findings)}

A target that a fixed bar covers is no finding of its size, because scrolling shows it. A menu or panel that its visitor opened may cover controls, because Escape closes it.

${byHand(readOn)}

## Criteria

"Supports partly" means that at least one state or function does not meet the criterion. Results of a program are no proof: it finds only some faults.

${criteriaTable(findings)}

## Findings

${findingsTable(findings)}

## EN 301 549

Clause 9 of V3.2.1 repeats WCAG 2.1 at levels A and AA. The table above covers it: 9.1.1.1 is 1.1.1, and so on. WCAG 2.1 also has 4.1.1, which WCAG 2.2 removed. Browsers now repair such faults.

${table(
  ['Clause', 'Result', 'Remark'],
  clauses.map((one) => row(...one)),
)}

## Limits

${limits.map((one) => `- ${one}`).join('\n')}

## States

${statesTable(run)}
`
  return format(text, { ...(await resolveConfig(join(project, reportPath))), parser: 'markdown' })
}
