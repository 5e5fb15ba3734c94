import type { Formats } from './formats.ts'

/** Formats an instant as `Tuesday, 1 December 2026, 10:30`. */
export function momentText(formats: Formats, ms: number, zone: string): string {
  return `${formats.longDay(ms, zone)}, ${formats.time(ms, zone)}`
}
