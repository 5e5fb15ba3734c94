import { Worker } from 'node:worker_threads'
import type { Consignment, Returned, SendingSettings, ToThread } from './sending-types.ts'

/** Who hears what comes back. */
export interface SendingEnds {
  /** Of each that was handed over it is told once. */
  returned(batch: Returned[]): void
  /** The thread ended by itself, and with it what was handed over: what of it was sent nobody knows. */
  lost(error: unknown): void
}

/**
 * Sends deliveries in a thread of its own: what it costs to speak with receivers, and their TLS, costs the requests of
 * this server nothing. A server without webhooks does without.
 */
export class SendingThread {
  private readonly settings: SendingSettings
  private readonly ends: SendingEnds
  private readonly execArgv: string[]
  private worker: Worker | undefined

  /** `execArgv` are options of Node for the thread: what is loaded before this process, such as tracing, is not for it. */
  constructor(settings: SendingSettings, ends: SendingEnds, execArgv: string[] = []) {
    this.settings = settings
    this.ends = ends
    this.execArgv = execArgv
  }

  /** Starts the thread, unless it runs: else the first delivery would wait for that. */
  start(): void {
    this.worker ??= this.open()
  }

  /** `nowMs` is the present, in milliseconds since 1970-01-01T00:00:00Z. */
  send(consignments: Consignment[], nowMs: number): void {
    this.start()
    this.tell({ type: 'send', nowMs, consignments })
  }

  /** Nothing more is begun: what waits for its turn comes back. */
  drain(): void {
    this.tell({ type: 'drain' })
  }

  /** What is in flight is ended too, and comes back as if no attempt had been made. */
  end(): void {
    this.tell({ type: 'end' })
  }

  async close(): Promise<void> {
    const { worker } = this
    this.worker = undefined
    await worker?.terminate()
  }

  private tell(message: ToThread): void {
    this.worker?.postMessage(message)
  }

  private open(): Worker {
    const worker = new Worker(new URL('./send-in-thread.ts', import.meta.url), {
      name: 'webhooks',
      workerData: this.settings,
      execArgv: this.execArgv,
    })
    worker.on('message', (batch: Returned[]) => this.ends.returned(batch))
    worker.on('error', (error) => {
      if (this.worker !== worker) return
      this.worker = undefined // the next delivery starts another
      this.ends.lost(error)
    })
    worker.unref()
    return worker
  }
}
