import type { Formats } from './formats.ts'

/** `9:05`: the rest of a hold. */
export function countdownText(formats: Formats, seconds: number): string {
  const rest = formats.number(seconds % 60, { minimumIntegerDigits: 2 })
  return `${formats.number(Math.floor(seconds / 60))}:${rest}`
}
