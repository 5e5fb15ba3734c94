import type { SideConnections } from '../database/database.ts'
import { instantFromMs, toMs } from '../instants.ts'
import type { Quota } from './quota-rules.ts'
import { countRequest, type WindowsRow } from './window-queries.ts'
import { hourMs, latestEndMs, minuteMs } from './window-rules.ts'
import type { Count, Windows, WindowStore } from './window-types.ts'

/** Keeps windows in a table of PostgreSQL: exact over all servers of a database. */
export class PostgresStore implements WindowStore {
  private readonly connections: SideConnections

  constructor(connections: SideConnections) {
    this.connections = connections
  }

  async count(quotas: readonly Quota[], nowMs: number): Promise<Count> {
    const rows = await countRequest(this.connections.queries, {
      callers: quotas.map(({ kind, id }) => `${kind}:${id}`),
      perMinute: quotas.map(({ perMinute }) => perMinute),
      perHour: quotas.map(({ perHour }) => perHour),
      now: instantFromMs(nowMs),
      minute: limitsOf(minuteMs, nowMs),
      hour: limitsOf(hourMs, nowMs),
    })
    return { counted: rows.every(({ counted }) => counted), windows: rows.map(windowsOf) }
  }

  close(): Promise<void> {
    return this.connections.close()
  }
}

function limitsOf(lengthMs: number, nowMs: number) {
  return {
    endsAt: instantFromMs(nowMs + lengthMs),
    latestEnd: instantFromMs(latestEndMs(lengthMs, nowMs)),
  }
}

function windowsOf(row: WindowsRow): Windows {
  return {
    minute: row.minute_ends_at && { used: row.minute_used, endsAtMs: toMs(row.minute_ends_at) },
    hour: row.hour_ends_at && { used: row.hour_used, endsAtMs: toMs(row.hour_ends_at) },
  }
}
