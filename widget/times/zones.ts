const formats = new Map<string, Intl.DateTimeFormat>()

/** Creating a format takes a hundred times as long as using it. */
function formatIn(zone: string, locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${Object.keys(options).join()}`
  let format = formats.get(key)
  if (!format) {
    format = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone })
    formats.set(key, format)
  }
  return format
}

/** The local date, such as `2026-12-01`, in a zone at an instant. */
export function dateIn(zone: string, ms: number): string {
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const parts = formatIn(zone, 'en-CA-u-ca-gregory-nu-latn', date).formatToParts(ms)
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
}

/** The zone of this device. */
export function ownZoneName(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Whether the browser knows a zone of this name. */
export function isZone(name: string): boolean {
  try {
    return name !== '' && dateIn(name, 0) !== ''
  } catch {
    return false
  }
}

/** Whether two zones have the same local time at an instant. */
export function sameTimeIn(one: string, other: string, ms: number): boolean {
  return one === other || offsetName(one, ms) === offsetName(other, ms)
}

function offsetName(zone: string, ms: number): string {
  const parts = formatIn(zone, 'en', { timeZoneName: 'longOffset' }).formatToParts(ms)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

/** The local hour, 0 to 23, in a zone at an instant. */
export function hourIn(zone: string, ms: number): number {
  const parts = formatIn(zone, 'en', { hour: 'numeric', hourCycle: 'h23' }).formatToParts(ms)
  return Number(parts.find(({ type }) => type === 'hour')?.value ?? 0)
}
