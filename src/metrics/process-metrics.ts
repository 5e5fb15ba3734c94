import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { monotonicMs, systemClock } from '../clock.ts'

/** How often the event loop is asked, in milliseconds. */
const lagResolutionMs = 10
const microsPerSecond = 1e6
const nanosPerSecond = 1e9

/*
 * The names are those that other services on Node have, so that a dashboard for them shows Holdfast too. The library's
 * own collector of them is not used: its timers cannot be stopped, and several services may run in one process.
 */

/** Measures the process. `stop` ends the measuring of the event loop. */
export function processMetrics(registry: Registry): { stop: () => void } {
  const gauge = (name: string, help: string, read: () => number) => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  }
  const startedMs = systemClock.nowMs() - monotonicMs()
  gauge('process_start_time_seconds', 'When the process was started, in seconds since 1970.', () =>
    Math.round(startedMs / 1000),
  )
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time that was used, of the user and the system together.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / microsPerSecond)
    },
  })
  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_total_bytes', 'Heap that JavaScript has.', () => process.memoryUsage().heapTotal)
  gauge('nodejs_heap_size_used_bytes', 'Heap that JavaScript uses.', () => process.memoryUsage().heapUsed)
  return eventLoopMetrics(registry)
}

/** How late the event loop was since the last scrape: the first thing that grows when a process has too much to do. */
function eventLoopMetrics(registry: Registry): { stop: () => void } {
  const delays = monitorEventLoopDelay({ resolution: lagResolutionMs })
  delays.enable()
  // what is measured is the time between two ticks: an idle loop shows the resolution itself
  const late = (nanos: number) => Math.max(0, nanos / nanosPerSecond - lagResolutionMs / 1000)
  const registers = [registry]
  const [mean, p99, max] = [
    new Gauge({
      name: 'nodejs_eventloop_lag_mean_seconds',
      help: 'How late the event loop was on average since the last scrape.',
      registers,
      // sets all three, because it begins anew
      collect: () => {
        if (delays.count === 0) return
        mean.set(late(delays.mean))
        p99.set(late(delays.percentile(99)))
        max.set(late(delays.max))
        delays.reset()
      },
    }),
    new Gauge({
      name: 'nodejs_eventloop_lag_p99_seconds',
      help: 'How late the event loop was at most in 99 of 100 cases since the last scrape.',
      registers,
    }),
    new Gauge({
      name: 'nodejs_eventloop_lag_max_seconds',
      help: 'How late the event loop was at most since the last scrape.',
      registers,
    }),
  ]
  return { stop: () => delays.disable() }
}
