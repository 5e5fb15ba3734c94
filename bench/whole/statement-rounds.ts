import type { Round } from './figures.ts'
import { reads, type Operation } from './plan.ts'
import type { Step } from './record.ts'
import { Replay } from './replay.ts'
import type { Stores } from './stores.ts'

/** What the bare statements of one figure are. */
interface Script {
  operation: Operation
  scripts: Step[][]
  rounds: number
}

const warmMs = 300
const warmConcurrency = 10
/** Fewer would leave connections of the pool unopened and statements unprepared. */
const warmScripts = 20
const warmShare = 0.2

/** The rounds of bare statements of one figure, on a database of their own. */
export class StatementRounds {
  private readonly replay: Replay
  private readonly scripts: Step[][]
  private readonly repeats: boolean
  private readonly ofEachRound: number
  private readonly drop: () => Promise<void>
  private begun = 0

  private constructor(replay: Replay, drop: () => Promise<void>, { operation, scripts, rounds }: Script) {
    this.replay = replay
    this.drop = drop
    this.scripts = scripts
    this.repeats = reads.includes(operation)
    this.ofEachRound = Math.floor((scripts.length - warmOf(scripts)) / rounds)
  }

  /** Makes a copy of a database for them, connects and prepares. */
  static async open(stores: Stores, template: string, script: Script): Promise<StatementRounds> {
    const url = await stores.make(template)
    const all = new StatementRounds(new Replay(url), () => stores.drop(url), script)
    await all.take(warmOf(script.scripts), { concurrency: warmConcurrency, ms: warmMs })
    return all
  }

  /** What was written once cannot be written again: each round has its share of the scripts. */
  run(length: { concurrency: number; ms: number }): Promise<Round> {
    return this.take(this.ofEachRound, length)
  }

  async close(): Promise<void> {
    await this.replay.close()
    await this.drop()
  }

  private take(share: number, length: { concurrency: number; ms: number }): Promise<Round> {
    const { scripts } = this
    const end = this.repeats ? Infinity : Math.min(this.begun + share, scripts.length)
    const next = () => (this.begun < end ? scripts[this.begun++ % scripts.length] : undefined)
    return this.replay.run(next, length)
  }
}

function warmOf(scripts: Step[][]): number {
  return Math.min(warmScripts, Math.ceil(scripts.length * warmShare))
}
