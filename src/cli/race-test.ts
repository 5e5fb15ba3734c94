import { styleText } from 'node:util'
import { Inconclusive } from '../../tools/race-test/client.ts'
import { type RaceReport, type RaceTestOptions, runRaceTest } from '../../tools/race-test/run.ts'
import type { RaceResult } from '../../tools/race-test/scenarios.ts'
import { tokenType } from '../access/token.ts'
import { OperatorError, UsageError } from '../base/errors.ts'
import { type CliCommand, commandIO, print } from './command-line.ts'
import { startDemoServer } from './demo.ts'
import { readUrl, repeated } from './input.ts'

interface Options {
  url?: string[]
  businessKey?: string
  demo?: boolean
  yes?: boolean
  json?: boolean
}

const maxUrls = 8
/** Findings printed per race. `--json` prints all of them. */
const maxFindings = 8
/** Short holds, so that the test sees them expire. */
const demoSettings = { HOLD_SECONDS: '3' }
const signals = ['SIGINT', 'SIGTERM'] as const

export function registerRaceTest(program: CliCommand): void {
  program
    .command('race-test')
    .description('test with many racing clients that a running server never sells a slot twice')
    .option('--url <url>', "the server's URL; repeatable for several nodes", repeated)
    .option('--business-key <key>', 'key of a business; needs the Enterprise plan')
    .option('--demo', 'start and test a server with the demo businesses')
    .option('--yes', 'also test a server that seems to be in production')
    .withJson()
    .examples('race-test --demo', 'race-test --url http://127.0.0.1:3000 --business-key cal_biz_…')
    .addHelpText(
      'after',
      '\nTakes less than a minute and 600 requests, on a new location with new staff and services. The exit code is' +
        '\n0 if no slot was sold twice, 1 if one was or the test could not run, 2 for invalid options.',
    )
    .action(run)
}

async function run({ url: urls = [], businessKey, demo, yes = false, json }: Options): Promise<void> {
  if (demo && (urls.length > 0 || businessKey !== undefined)) {
    throw new UsageError('--demo starts its own server: omit --url and --business-key.')
  }
  const target = demo ? undefined : targetIn(urls, businessKey)
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  // by default a signal would end the process without cleaning up; a second signal still does
  for (const signal of signals) process.once(signal, interrupt)
  const options = { evenInUse: yes, stopping: interruption.signal }
  try {
    const report = target ? await runRaceTest({ ...target, ...options }) : await raceDemo(options)
    const findings = report.races.flatMap((race) => race.findings).length
    const verdict = findings === 0 ? 'passed' : 'failed'
    print({ verdict, ...report }, json, () => reportLines(report, findings))
    if (findings > 0) commandIO().endWith(1)
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error
    throw new OperatorError(`NO VERDICT: ${error.message}.`, { cause: error })
  } finally {
    for (const signal of signals) process.removeListener(signal, interrupt)
  }
}

function targetIn(urls: string[], key: string | undefined): Pick<RaceTestOptions, 'urls' | 'key'> {
  if (urls.length === 0 || key === undefined) {
    throw new UsageError('Give --url and --business-key, or --demo.')
  }
  if (urls.length > maxUrls) throw new UsageError(`Give --url at most ${maxUrls} times.`)
  if (tokenType(key) !== 'business') {
    throw new UsageError('--business-key is not a business key; one begins with cal_biz_.')
  }
  return { urls: urls.map(readUrl), key }
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

function reportLines(report: RaceReport, findings: number): string[] {
  const { races, rounds, requests, seconds, cancelled, leftovers } = report
  const verdict =
    findings === 0
      ? 'no slot was sold twice'
      : `THE SERVICE BROKE ITS PROMISE, ${findings} ${findings === 1 ? 'finding' : 'findings'}`
  const left = leftovers.length === 0 ? '' : `; could not be removed: ${leftovers.join('; ')}`
  return [
    ...races.flatMap(raceLines),
    '',
    `Cleaned up: ${cancelled} bookings cancelled, location, staff and services inactive${left}.`,
    `${styled(['bold', findings === 0 ? 'green' : 'red'], 'VERDICT:')} ${verdict} ` +
      `(${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${requests} requests, ${seconds.toFixed(1)} s).`,
  ]
}

function raceLines({ race, tried, saw, skipped, findings }: RaceResult): string[] {
  const [colour, word] = skipped
    ? (['yellow', 'skipped'] as const)
    : findings.length === 0
      ? (['green', 'ok'] as const)
      : (['red', 'FAULT'] as const)
  const more = findings.length > maxFindings ? [`and ${findings.length - maxFindings} more`] : []
  const lines = [saw, ...findings.slice(0, maxFindings), ...more]
  return [`${styled(colour, word.padEnd(8))}${race}: ${tried}`, ...lines.map((line) => `        ${line}`)]
}

function styled(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { stream: commandIO().stdout })
}
