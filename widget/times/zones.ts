const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns a cached format, because creating one takes a hundred times as long as using it. */
function formatIn(zone: string, locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${Object.keys(options).join()}`
  let format = formats.get(key)
  if (!format) {
    format = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone })
    formats.set(key, format)
  }
  return format
}

/** Returns the local date in a zone at an instant, such as `2026-12-01`. */
export function dateIn(zone: string, ms: number): string {
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const parts = formatIn(zone, 'en-CA-u-ca-gregory-nu-latn', date).formatToParts(ms)
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
}

/** Returns the zone of this device. */
export function ownZoneName(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Returns true if the browser knows a zone of this name. */
export function isZone(name: string): boolean {
  try {
    return name !== '' && dateIn(name, 0) !== ''
  } catch {
    return false
  }
}

/** Returns true if two zones have the same local time at an instant. */
export function sameTimeIn(one: string, other: string, ms: number): boolean {
  return one === other || offsetName(one, ms) === offsetName(other, ms)
}

function offsetName(zone: string, ms: number): string {
  const parts = formatIn(zone, 'en', { timeZoneName: 'longOffset' }).formatToParts(ms)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

/** Returns the local hour in a zone at an instant, from 0 to 23. */
export function hourIn(zone: string, ms: number): number {
  const parts = formatIn(zone, 'en', { hour: 'numeric', hourCycle: 'h23' }).formatToParts(ms)
  return Number(parts.find(({ type }) => type === 'hour')?.value ?? 0)
}
