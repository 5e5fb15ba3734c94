import type { Command } from 'commander'
import { styleText } from 'node:util'
import { tokenType } from '../access/token-format.ts'
import { OperatorError, UsageError } from '../errors.ts'
import { NoVerdict } from '../race-test/race-client.ts'
import type { RaceReport, RaceResult } from '../race-test/race-types.ts'
import { runRaceTest, type RaceTestOptions } from '../race-test/run-race-test.ts'
import { startDemoServer } from './demo-server.ts'
import { print } from './run-command.ts'
import { surroundings } from './surroundings.ts'

interface Options {
  url: string[]
  businessKey?: string
  demo?: boolean
  yes?: boolean
  json?: boolean
}

const mostUrls = 8
/** More of one race say nothing new; `--json` has them all. */
const mostFaults = 8
/** Holds of the demo end while the test waits. */
const demoSettings = { HOLD_SECONDS: '3' }

/** `holdfast race-test`: has many clients race for the same slots of a running service, and says whether one was sold twice. */
export function addRaceTest(program: Command): void {
  program
    .command('race-test')
    .description(
      'have many clients race for the same slots of a running service; says whether one was sold twice',
    )
    .option('--url <url>', 'where it runs; again for each further address of the same service', collect, [])
    .option('--business-key <key>', 'of a business on the plan enterprise')
    .option('--demo', 'start a server of its own with the demo world, and test that')
    .option('--yes', 'also where people seem to rely on the service')
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExamples:\n  $ holdfast race-test --demo' +
        '\n  $ holdfast race-test --url http://127.0.0.1:3000 --business-key cal_biz_…' +
        '\n\nTakes less than a minute and less than 600 requests, on a location, staff and services of its own. The exit code' +
        '\nis 0 when nothing was sold twice, 1 when something was or when it could not be tried, 2 for a mistake.',
    )
    .action(runCommand)
}

function collect(url: string, before: string[]): string[] {
  return [...before, url]
}

async function runCommand({ demo = false, yes = false, json, ...given }: Options): Promise<void> {
  const interruption = new AbortController()
  const stopping = interruption.signal
  const interrupt = () => interruption.abort()
  if (demo) assertNothingElse(given)
  const target = demo ? undefined : checkTarget(given)
  // the default would end the process and leave everything behind; a second one does
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
  const options = { evenInUse: yes, stopping }
  try {
    const report = target ? await runRaceTest({ ...target, ...options }) : await raceDemo(options)
    print(outcome(report), { json, lines: () => reportLines(report) })
    if (faultsOf(report).length > 0) surroundings().endWith(1)
  } catch (error) {
    if (!(error instanceof NoVerdict)) throw error
    throw new OperatorError(`NO VERDICT: ${error.message}.`, { cause: error })
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, interrupt)
  }
}

function assertNothingElse({ url, businessKey }: Options): void {
  if (url.length === 0 && businessKey === undefined) return
  throw new UsageError('--demo starts a server of its own: leave --url and --business-key out.')
}

function checkTarget({ url, businessKey }: Options): Pick<RaceTestOptions, 'urls' | 'key'> {
  if (url.length === 0 || businessKey === undefined) {
    throw new UsageError('Give --url and --business-key, or --demo.')
  }
  if (url.length > mostUrls) throw new UsageError(`Give at most ${mostUrls} times --url.`)
  if (tokenType(businessKey) !== 'business') {
    throw new UsageError('--business-key is no business key; one begins with cal_biz_.')
  }
  return { urls: url.map(checkUrl), key: businessKey }
}

function checkUrl(text: string): string {
  const { protocol, origin } = URL.parse(text) ?? {}
  if (origin !== undefined && /^https?:$/.test(protocol ?? '')) return text.replace(/\/+$/, '')
  throw new UsageError(`--url has the form http://127.0.0.1:3000; "${text}" has not.`)
}

async function raceDemo(options: Pick<RaceTestOptions, 'evenInUse' | 'stopping'>): Promise<RaceReport> {
  const server = await startDemoServer(demoSettings)
  try {
    const key = server.world.businesses[0]?.business_key ?? ''
    return await runRaceTest({ urls: [server.url], key, ...options })
  } finally {
    await server.stop()
  }
}

function faultsOf({ races }: RaceReport): string[] {
  return races.flatMap(({ faults }) => faults)
}

function outcome(report: RaceReport) {
  return { verdict: faultsOf(report).length === 0 ? 'passed' : 'failed', ...report }
}

function reportLines(report: RaceReport): string[] {
  const { races, rounds, requests, seconds, cancelled, leftovers } = report
  const faults = faultsOf(report)
  const colour = faults.length === 0 ? 'green' : 'red'
  const verdict =
    faults.length === 0
      ? 'no slot was sold twice'
      : `THE SERVICE BROKE ITS PROMISE, ${faults.length} ${faults.length === 1 ? 'finding' : 'findings'}`
  const left = leftovers.length === 0 ? '' : `; could not be taken away: ${leftovers.join('; ')}`
  return [
    ...races.flatMap(raceLines),
    '',
    `Cleaned up: ${cancelled} bookings cancelled, location, staff and services inactive${left}.`,
    `${styleText(['bold', colour], 'VERDICT:', { stream: surroundings().stdout })} ${verdict} ` +
      `(${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${requests} requests, ${seconds.toFixed(1)} s).`,
  ]
}

function raceLines({ race, tried, saw, skipped, faults }: RaceResult): string[] {
  const [colour, word] = skipped
    ? (['yellow', 'skipped'] as const)
    : faults.length === 0
      ? (['green', 'ok'] as const)
      : (['red', 'FAULT'] as const)
  const mark = styleText(colour, word.padEnd(8), { stream: surroundings().stdout })
  const more = faults.length > mostFaults ? [`and ${faults.length - mostFaults} more`] : []
  const lines = [saw, ...faults.slice(0, mostFaults), ...more]
  return [`${mark}${race}: ${tried}`, ...lines.map((line) => `        ${line}`)]
}
