import type { SideConnections } from '../database/database.ts'
import { instantFromMs, toMs } from '../instants.ts'
import type { Quota } from './quota-rules.ts'
import { countRequest, findWindows, type WindowOfRequest, type WindowsRow } from './window-queries.ts'
import { hourMs, latestEndMs, minuteMs, openWindows } from './window-rules.ts'
import type { Count, Windows, WindowStore } from './window-types.ts'

/** Keeps windows in a table of PostgreSQL: exact over all servers of a database. */
export class PostgresStore implements WindowStore {
  private readonly connections: SideConnections

  constructor(connections: SideConnections) {
    this.connections = connections
  }

  async count(quota: Quota, nowMs: number): Promise<Count> {
    const row = await countRequest(this.connections.queries, {
      caller: callerOf(quota),
      now: instantFromMs(nowMs),
      minute: windowOf(quota.perMinute, minuteMs, nowMs),
      hour: quota.perHour === null ? null : windowOf(quota.perHour, hourMs, nowMs),
    })
    return { counted: row.counted, ...windowsOf(row, nowMs) }
  }

  async look(quota: Quota, nowMs: number): Promise<Windows> {
    const row = await findWindows(this.connections.queries, callerOf(quota))
    return row ? windowsOf(row, nowMs) : { minute: null, hour: null }
  }

  close(): Promise<void> {
    return this.connections.close()
  }
}

function callerOf({ kind, id }: Quota): string {
  return `${kind}:${id}`
}

function windowOf(most: number, lengthMs: number, nowMs: number): WindowOfRequest {
  return {
    most,
    endsAt: instantFromMs(nowMs + lengthMs),
    latestEnd: instantFromMs(latestEndMs(lengthMs, nowMs)),
  }
}

function windowsOf(row: WindowsRow, nowMs: number): Windows {
  return openWindows(
    {
      minute: { used: row.minute_used, endsAtMs: toMs(row.minute_ends_at) },
      hour: row.hour_ends_at && { used: row.hour_used, endsAtMs: toMs(row.hour_ends_at) },
    },
    nowMs,
  )
}
