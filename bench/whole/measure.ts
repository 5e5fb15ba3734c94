import { startBareRoutes, type OwnServer } from '../support/processes.ts'
import { figureOf, type Costs, type Figure, type Seen } from './figures.ts'
import { Load } from './load.ts'
import type { LoadResult, Round } from './load-messages.ts'
import { startNodes, startWithOneCommitEach, type Setting } from './nodes.ts'
import { Pgbench } from './pgbench.ts'
import { lengthsOf, type Operation, type Plan } from './plan.ts'
import { processorSeconds } from './processor.ts'
import { record, type Recording } from './record.ts'
import type { World } from './requests.ts'
import { StatementRounds } from './statement-rounds.ts'
import type { Timetable } from './timetable.ts'
import { temporaryFile } from './temporary-file.ts'

/** What is measured against each other in turns. */
interface Contest {
  setting: Setting
  plan: Plan
  timetable: Timetable
  leftOut: Ground['leftOut']
  template: string
  url: string
  nodes: OwnServer[]
  bare: OwnServer
  load: Load
  recording: Recording
  /** For holds, where there is one. */
  pgbench: Pgbench | undefined
  oneCommitEach: OwnServer | undefined
}

/** What measuring needs besides the setting. `template` is a database with the world in it. */
export interface Ground {
  template: string
  world: World
  timetable: Timetable
  told: (figure: Figure) => void
  /** For what there is no time. */
  leftOut: (operation: Operation, concurrency: number) => void
  /** For an operation that went wrong: the others go on, unless this throws. */
  failed: (operation: Operation, error: Error) => void
}

const noRivals = { pgbench: undefined, oneCommitEach: undefined }

type AskedRound = Omit<Round, 'addresses'>

const warmConcurrency = 8
/** What a figure takes besides its rounds: copies of the database, sessions and holds that its requests use up. */
const aroundFigureSeconds = 1.5
/** What a setting takes besides its figures: recording statements, starting servers. */
const aroundSettingSeconds = 25

/** How long a figure is planned to take, in seconds. */
function figureSeconds(plan: Plan, concurrency: number): number {
  const { roundMs, statementsMs, bareMs } = lengthsOf(plan, concurrency)
  return aroundFigureSeconds + (plan.rounds * (roundMs + statementsMs + bareMs)) / 1000
}

/** How long warming up an operation takes, of the service and of bare Fastify, in seconds. */
function warmSeconds({ warmMs }: Plan): number {
  return (2 * warmMs) / 1000
}

/** How long a setting is planned to take, in seconds. */
export function settingSeconds(plan: Plan): number {
  const figures = plan.concurrencies.map((concurrency) => figureSeconds(plan, concurrency))
  const each = figures.reduce((sum, one) => sum + one, warmSeconds(plan))
  return aroundSettingSeconds + plan.operations.length * each
}

/** Measures all operations of one setting at all concurrencies. */
export async function measureSetting(setting: Setting, plan: Plan, ground: Ground): Promise<Figure[]> {
  const { template, world, timetable, leftOut } = ground
  const { stores } = setting
  await using undo = new AsyncDisposableStack()
  const copy = async () => {
    const url = await stores.make(template)
    undo.defer(() => stores.drop(url))
    return url
  }
  const started = (server: OwnServer) => {
    undo.defer(() => server.stop())
    return server
  }
  const recording = await record(await copy(), world, { ...plan, variables: setting.variables })
  const url = await copy()
  const nodes = (await startNodes(setting, url)).map(started)
  const bare = started(
    await startBareRoutes(temporaryFile('answers.json', JSON.stringify(recording.answers))),
  )
  const load = await Load.start(world, 1)
  undo.defer(() => load.stop())
  const isPostgres = stores.engine === 'postgres'
  const pgbench = isPostgres && setting.nodes === 1 ? Pgbench.open(await copy(), recording) : undefined
  const oneCommitEach = isPostgres ? undefined : started(await startWithOneCommitEach(await copy()))
  const contest = { setting, plan, timetable, leftOut, template, url, nodes, bare, load, recording }
  timetable.finish(aroundSettingSeconds)
  const figures: Figure[] = []
  for (const operation of plan.operations) {
    const rivals = operation === 'hold' ? { pgbench, oneCommitEach } : noRivals
    try {
      await measureOperation({ ...contest, ...rivals }, operation, (figure) => {
        figures.push(figure)
        ground.told(figure)
      })
    } catch (error) {
      ground.failed(operation, error as Error)
    }
  }
  return figures
}

async function measureOperation(
  contest: Contest,
  operation: Operation,
  told: (figure: Figure) => void,
): Promise<void> {
  const { plan, timetable, leftOut } = contest
  await warm(contest, operation)
  timetable.finish(warmSeconds(plan))
  for (const concurrency of plan.concurrencies) {
    if (timetable.isLate && concurrency !== plan.leastConcurrency) {
      timetable.skip(figureSeconds(plan, concurrency))
      leftOut(operation, concurrency)
      continue
    }
    const figure = await measure(contest, operation, concurrency)
    timetable.finish(figureSeconds(plan, concurrency))
    told(figure)
  }
}

async function warm(
  { plan, load, nodes, bare, oneCommitEach }: Contest,
  operation: Operation,
): Promise<void> {
  const asked = { operation, concurrency: warmConcurrency, roundMs: plan.warmMs }
  await load.run({ ...asked, addresses: nodes.map(({ address }) => address) })
  await load.run({ ...asked, addresses: [bare.address] })
  if (oneCommitEach) await load.run({ ...asked, addresses: [oneCommitEach.address] })
}

async function measure(contest: Contest, operation: Operation, concurrency: number): Promise<Figure> {
  const { plan, nodes, bare, setting, pgbench, oneCommitEach } = contest
  const lengths = lengthsOf(plan, concurrency, contest.timetable.share)
  const asked = { operation, concurrency, roundMs: lengths.roundMs }
  const seen: Omit<Seen, 'setting' | 'operation' | 'concurrency' | 'nodes'> = {
    ...{ own: [], statements: [], bare: [], pgbench: [], oneCommitEach: [] },
  }
  const statements = await StatementRounds.open(setting.stores, contest.template, {
    operation,
    scripts: contest.recording.scripts.get(operation) ?? [],
    rounds: plan.rounds,
  })
  try {
    for (let round = 0; round < plan.rounds; round += 1) {
      seen.own.push(await runWithCosts(contest, asked, nodes))
      seen.statements.push(await statements.run({ concurrency, ms: lengths.statementsMs }))
      seen.bare.push(await runWithCosts(contest, { ...asked, roundMs: lengths.bareMs }, [bare]))
      if (pgbench) seen.pgbench.push(await pgbench.run(concurrency))
      if (oneCommitEach) {
        seen.oneCommitEach.push(await runWithCosts(contest, asked, [oneCommitEach]))
      }
    }
  } finally {
    await statements.close()
  }
  return figureOf({ setting, operation, concurrency, nodes, ...seen })
}

/** Loads servers and sees what it costs them and the connections to their database. */
async function runWithCosts(
  { load, setting, url }: Contest,
  round: AskedRound,
  servers: OwnServer[],
): Promise<LoadResult & Costs> {
  await load.prepare({ ...round, addresses: servers.map(({ address }) => address) })
  const pids = servers.map(({ pid }) => pid)
  const backends = await setting.stores.backends(url)
  const [server, database] = [processorSeconds(pids), processorSeconds(backends)]
  const result = await load.runPrepared()
  const since = (before: number | undefined, of: number[]) =>
    before === undefined ? undefined : (processorSeconds(of) ?? before) - before
  return { ...result, serverCpu: since(server, pids), databaseCpu: since(database, backends) }
}
