import type { Operation } from './plan.ts'
import type { World } from './requests.ts'

/** What the load process is told. */
export type LoadOrder =
  { kind: 'world'; world: World; salt: number } | ({ kind: 'prepare' } & Round) | { kind: 'run' }

/** How the servers are loaded for a while. */
export interface Round {
  addresses: string[]
  operation: Operation
  concurrency: number
  roundMs: number
}

/** What it has seen in one round. */
export interface LoadResult {
  /** Operations that were answered as they should be. */
  done: number
  seconds: number
  latenciesMs: number[]
  /** What went wrong, and how often. */
  errors: Record<string, number>
  /** Seconds of the processor that the load process itself used meanwhile. */
  cpuSeconds: number
}
