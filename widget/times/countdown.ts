import type { Formats } from './formats.ts'

/** Formats the rest of a hold: `9:05`. */
export function countdownText(formats: Formats, seconds: number): string {
  const rest = formats.number(seconds % 60, { minimumIntegerDigits: 2 })
  return `${formats.number(Math.floor(seconds / 60))}:${rest}`
}
