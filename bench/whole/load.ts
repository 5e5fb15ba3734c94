import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { endWithUs } from '../support/processes.ts'
import type { LoadOrder, LoadResult, Round } from './load-messages.ts'
import type { World } from './requests.ts'

/** No round takes longer, with what has to be made for it. */
const longestMs = 60_000

/** The load generator in its own process. */
export class Load {
  private readonly child: ChildProcess

  private constructor(child: ChildProcess) {
    this.child = child
  }

  /** Those with different salts ask from different addresses. */
  static async start(world: World, salt: number): Promise<Load> {
    // in a group of its own: who interrupts the benchmark in a terminal leaves it to clean up
    const child = fork(join(import.meta.dirname, 'load-process.ts'), { execArgv: [], detached: true })
    endWithUs(child)
    const load = new Load(child)
    await load.tell({ kind: 'world', world, salt })
    return load
  }

  /** Loads servers for a while. */
  async run(round: Round): Promise<LoadResult> {
    await this.prepare(round)
    return this.runPrepared()
  }

  /** Makes what the requests of a round use up. */
  async prepare(round: Round): Promise<void> {
    await this.tell({ kind: 'prepare', ...round })
  }

  /** Loads servers with the round that is prepared. */
  async runPrepared(): Promise<LoadResult> {
    const result = await this.tell({ kind: 'run' })
    if (!result) throw new Error('the load process tells no result')
    return result
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const ended = once(this.child, 'exit')
    this.child.disconnect()
    await ended
  }

  private async tell(order: LoadOrder): Promise<LoadResult | undefined> {
    const over = new AbortController()
    const { signal } = over
    const answer = Promise.race([
      once(this.child, 'message', { signal }),
      once(this.child, 'exit', { signal }).then(() => [{ failure: 'the load process ended' }]),
      pause(longestMs, undefined, { signal }).then(() => [{ failure: `no answer within ${longestMs} ms` }]),
    ])
    this.child.send(order)
    const [said] = (await answer) as [{ result?: LoadResult; failure?: string }]
    over.abort() // the others listen no more
    if (said.failure !== undefined) throw new Error(said.failure)
    return said.result
  }
}
