import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { LoadOrder, LoadResult, Round } from './load-messages.ts'
import type { World } from './requests.ts'

/** The load generator in its own process. */
export class Load {
  private readonly child: ChildProcess

  private constructor(child: ChildProcess) {
    this.child = child
  }

  /** Those with different salts ask from different addresses. */
  static async start(world: World, salt: number): Promise<Load> {
    const child = fork(join(import.meta.dirname, 'load-process.ts'), { execArgv: [] })
    process.once('exit', () => child.kill('SIGKILL'))
    const load = new Load(child)
    await load.tell({ kind: 'world', world, salt })
    return load
  }

  /** Loads servers for a while. `around` sees the load alone, and not what has to be there before it. */
  async run(
    round: Round,
    around: (work: () => Promise<LoadResult>) => Promise<LoadResult> = (work) => work(),
  ): Promise<LoadResult> {
    await this.tell({ kind: 'prepare', ...round })
    return around(async () => {
      const result = await this.tell({ kind: 'run' })
      if (!result) throw new Error('the load process tells no result')
      return result
    })
  }

  async stop(): Promise<void> {
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
    ])
    this.child.send(order)
    const [said] = (await answer) as [{ result?: LoadResult; failure?: string }]
    over.abort() // the other one of the two listens no more
    if (said.failure !== undefined) throw new Error(said.failure)
    return said.result
  }
}
