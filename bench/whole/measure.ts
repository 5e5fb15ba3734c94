import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBareRoutes, type OwnServer } from '../support/processes.ts'
import { Load } from './load.ts'
import type { LoadResult } from './load-messages.ts'
import { startNodes, type Setting } from './nodes.ts'
import type { Operation, Plan } from './plan.ts'
import { figureOf, type Costs, type Figure } from './figures.ts'
import { processorSeconds } from './processor.ts'
import { record, type Recording } from './record.ts'
import { replay } from './replay.ts'
import type { World } from './requests.ts'

/** What is measured against each other in turns. */
interface Contest {
  setting: Setting
  plan: Plan
  template: string
  world: World
  url: string
  nodes: OwnServer[]
  bare: OwnServer
  load: Load
  recording: Recording
}

const warmMs = 400
const warmConcurrency = 8

/** Measures all operations of one setting at all concurrencies. `template` is a database with the world in it. */
export async function measureSetting(
  setting: Setting,
  plan: Plan,
  { template, world, told }: { template: string; world: World; told: (figure: Figure) => void },
): Promise<Figure[]> {
  const { stores } = setting
  const forRecord = await stores.make(template)
  const recording = await record(forRecord, world, plan)
  await stores.drop(forRecord)
  const url = await stores.make(template)
  const nodes = await startNodes(setting, url)
  const bare = await startBareRoutes(fileOf(recording.answers))
  const load = await Load.start(world, 1)
  const contest: Contest = { setting, plan, template, world, url, nodes, bare, load, recording }
  const figures: Figure[] = []
  try {
    for (const operation of plan.operations) {
      const warm = { operation, concurrency: warmConcurrency, roundMs: warmMs }
      await load.run({ ...warm, addresses: nodes.map(({ address }) => address) })
      await load.run({ ...warm, addresses: [bare.address] })
      for (const concurrency of plan.concurrencies) {
        const figure = await measure(contest, operation, concurrency)
        told(figure)
        figures.push(figure)
      }
    }
    return figures
  } finally {
    await load.stop()
    await bare.stop()
    for (const node of nodes) await node.stop()
    await stores.drop(url)
  }
}

function fileOf(answers: Record<string, string>): string {
  const file = join(mkdtempSync(join(tmpdir(), 'holdfast-bench-')), 'answers.json')
  writeFileSync(file, JSON.stringify(answers))
  return file
}

async function measure(contest: Contest, operation: Operation, concurrency: number): Promise<Figure> {
  const { plan, nodes, bare, load, recording, setting } = contest
  const own: (LoadResult & Costs)[] = []
  const statements: number[] = []
  const bareRounds: LoadResult[] = []
  for (let round = 0; round < plan.rounds; round += 1) {
    const addresses = nodes.map(({ address }) => address)
    const asked = { operation, concurrency, roundMs: plan.roundMs, addresses }
    await load.run(asked, async (work) => {
      const result = await withCosts(contest, work)
      own.push(result)
      return result
    })
    const scripts = recording.scripts.get(operation) ?? []
    statements.push(await replayOnCopy(contest, enough(scripts, plan.scripts), concurrency))
    bareRounds.push(await load.run({ ...asked, roundMs: plan.roundMs / 2, addresses: [bare.address] }))
  }
  return figureOf({ setting, operation, concurrency, own, statements, bareRounds, nodes })
}

/** A few scripts of a read stand for many. */
function enough<T>(scripts: T[], count: number): T[] {
  return Array.from({ length: count }, (_, index) => scripts[index % scripts.length]).filter(
    (script) => script !== undefined,
  )
}

async function replayOnCopy(
  { setting, template }: Contest,
  scripts: Parameters<typeof replay>[1],
  concurrency: number,
): Promise<number> {
  const copy = await setting.stores.make(template)
  const { perSecond } = await replay(copy, scripts, concurrency)
  await setting.stores.drop(copy)
  return perSecond
}

async function withCosts(
  { setting, url, nodes }: Contest,
  work: () => Promise<LoadResult>,
): Promise<LoadResult & Costs> {
  const pids = nodes.map(({ pid }) => pid)
  const backends = await setting.stores.backends(url)
  const [service, database] = [processorSeconds(pids), processorSeconds(backends)]
  const result = await work()
  const since = (before: number | undefined, of: number[]) =>
    before === undefined ? undefined : (processorSeconds(of) ?? before) - before
  return { ...result, serviceCpu: since(service, pids), databaseCpu: since(database, backends) }
}
