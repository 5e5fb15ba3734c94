import type { Quota } from '../../src/access/rate-limit-types.ts'

const lengths = { minute: 60_000, hour: 3_600_000 }

/**
 * The rules of the contract in the slowest and plainest form. Every counted request is kept, and the windows are
 * derived from all of them each time. It does not know clocks that are set back.
 */
export class LimitModel {
  private readonly countedAt = new Map<string, number[]>()

  count(quota: Quota, nowMs: number): { counted: boolean; minute: object | null; hour: object | null } {
    const before = this.windows(quota, nowMs)
    const max = { minute: quota.perMinute, hour: quota.perHour ?? Infinity }
    const counted = (['minute', 'hour'] as const).every((unit) => (before[unit]?.used ?? 0) < max[unit])
    if (counted) this.times(quota).push(nowMs)
    return { counted, ...this.windows(quota, nowMs) }
  }

  windows(quota: Quota, nowMs: number) {
    return {
      minute: this.window(quota, lengths.minute, nowMs),
      hour: quota.perHour === null ? null : this.window(quota, lengths.hour, nowMs),
    }
  }

  /**
   * A window begins with the first request and contains those within its length. The next one after it opens another.
   */
  private window(quota: Quota, lengthMs: number, nowMs: number): { used: number; endsAtMs: number } | null {
    let opened: number | undefined
    let used = 0
    for (const time of this.times(quota)) {
      if (opened === undefined || time >= opened + lengthMs) {
        opened = time
        used = 0
      }
      used += 1
    }
    if (opened === undefined || nowMs >= opened + lengthMs) return null
    return { used, endsAtMs: opened + lengthMs }
  }

  private times({ kind, id }: Quota): number[] {
    const name = JSON.stringify([kind, id])
    const times = this.countedAt.get(name) ?? []
    this.countedAt.set(name, times)
    return times
  }
}
