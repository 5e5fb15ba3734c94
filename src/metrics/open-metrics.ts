import { Registry } from '@prometheus-io/client'
import type { Context } from '../context.ts'
import { databaseMetrics, type Counts } from './database-metrics.ts'
import type { Metrics } from './metrics.ts'
import { processMetrics } from './process-metrics.ts'
import { serviceMetrics } from './service-metrics.ts'

/** The metrics of one service: what it counts, and how they are read. */
export interface OpenMetrics {
  metrics: Metrics
  /** All of them in the text format of Prometheus. Does not fail while the database is away. */
  scrape(): Promise<string>
  contentType: string
  close(): void
}

/** Opens the metrics of a service in a registry of its own: several services may run in one process. */
export function openMetrics(
  context: Pick<Context, 'db' | 'cache' | 'clock'>,
  { version, ...counts }: { version: string } & Counts,
): OpenMetrics {
  const registry = new Registry()
  const build = { version, engine: context.db.engine, node: process.versions.node }
  const metrics = serviceMetrics(registry, build)
  databaseMetrics(registry, context, counts)
  const { stop } = processMetrics(registry)
  return { metrics, scrape: () => registry.metrics(), contentType: registry.contentType, close: stop }
}
