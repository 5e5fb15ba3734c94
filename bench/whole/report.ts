import { cpus, totalmem } from 'node:os'
import type { Figure } from './figures.ts'
import type { Memory } from './memory.ts'
import type { Starts } from './starts.ts'

/** Everything that one run has found. */
export interface Report {
  /** When it began. */
  at: string
  machine: string
  /** How many processes wanted a processor in the minute before it began; absent where nothing tells. */
  loadBefore?: number
  node: string
  /** Its version and what it promises of a commit. */
  postgres: string
  figures: Figure[]
  /** By the name of the setting. */
  starts: Record<string, Starts>
  memory: Record<string, Memory>
  bytesPerBooking: Record<string, number>
  /** What could not be measured, and why. */
  failures: string[]
  seconds: number
}

/** What the machine is, as far as it matters. */
export function machine(): string {
  const cores = cpus()
  return `${cores.length} × ${cores[0]?.model.trim() ?? 'processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}`
}

/** Messages of requests that failed, and how often. */
export function errorsOf(figures: Figure[]): Map<string, number> {
  const all = new Map<string, number>()
  for (const { errors } of figures) {
    for (const [message, count] of Object.entries(errors)) all.set(message, (all.get(message) ?? 0) + count)
  }
  return all
}
