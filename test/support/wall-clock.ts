/*
 * The local time of a zone, from Intl for one instant at a time. This checks the arithmetic of src/availability in
 * another way, which asks Temporal for the changes of a zone.
 */

/** The local date and the minutes since its midnight at an instant. */
export interface WallTime {
  date: string
  minutes: number
}

/**
 * Returns a function that converts instants, in milliseconds since 1970-01-01T00:00:00Z, into wall time of one zone.
 */
export function wallClock(timeZone: string): (instantMs: number) => WallTime {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  const known = new Map<number, WallTime>()
  const read = (instantMs: number) => {
    const found = /^(\d{4}-\d\d-\d\d), (\d\d):(\d\d)$/.exec(format.format(instantMs))
    if (!found) throw new Error(`the clock of ${timeZone} cannot be read`)
    const [, date = '', hours, minutes] = found
    return { date, minutes: Number(hours) * 60 + Number(minutes) }
  }
  return (instantMs) => {
    const time = known.get(instantMs) ?? read(instantMs)
    known.set(instantMs, time)
    return time
  }
}

/** Returns the date some days before or after another. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
}
