/* Reads the dates and times that spreadsheets and salon programs write. */

/** The order of day and month in dates such as 01/02/2026. */
export const dateOrders = ['dmy', 'mdy'] as const
export type DateOrder = (typeof dateOrders)[number]

const iso = /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?/
const local = /^(\d{1,2})[-/. ]\s?(\d{1,2})[-/. ]\s?(\d{4}|\d{2})(?!\d)/

/** Returns the order that dates show: one has a number above 12. Undefined if none does. */
export function likelyOrder(texts: Iterable<string>): DateOrder | undefined {
  for (const text of texts) {
    const [, first, second] = local.exec(text.trim()) ?? []
    if (Number(first) > 12) return 'dmy'
    if (Number(second) > 12) return 'mdy'
  }
  return undefined
}

/** Reads a date and time, or undefined. A time alone needs `date`; a text with an offset keeps it. */
export function readTime(
  text: string,
  order: DateOrder,
  date = '',
): Temporal.PlainDateTime | string | undefined {
  const whole = `${date} ${text}`
    .trim()
    .replaceAll(/[\u200e\u200f\u00a0\u202f]/g, ' ')
    .normalize('NFKC')
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)$/.test(whole))
    return exactTime(whole)
  const [match, ...parts] = iso.exec(whole) ?? local.exec(whole) ?? []
  if (match === undefined) return undefined
  const [year, month, day] = inOrder(parts, iso.test(whole) ? undefined : order)
  const rest = whole.slice(match.length).replace(/^[T,\s]+/, '')
  const time = readClock(rest)
  if (!time) return undefined
  try {
    return Temporal.PlainDateTime.from({ year, month, day, ...time }, { overflow: 'reject' })
  } catch {
    return undefined
  }
}

/** Returns a text for `Temporal.Instant`, as a string with its offset. */
function exactTime(text: string): string | undefined {
  try {
    return Temporal.Instant.from(text.replace(' ', 'T').replaceAll(' ', '')).toString()
  } catch {
    return undefined
  }
}

function inOrder([one = '', two = '', three = '']: string[], order: DateOrder | undefined) {
  if (order === undefined) return [Number(one), Number(two), Number(three)] as const
  const year = three.length === 2 ? 2000 + Number(three) : Number(three)
  return order === 'dmy'
    ? ([year, Number(two), Number(one)] as const)
    : ([year, Number(one), Number(two)] as const)
}

const clock =
  /^(?:(上午|下午|午前|午後|ص|م)\s*)?(\d{1,2})(?:[:.h時]\s?(\d{2})?)?(?:分)?(?::(\d{2}))?\s*(a\.?\s?m\.?|p\.?\s?m\.?|ص|م|uhr|h)?$/i

/** Reads `9:00`, `09.00`, `9h30`, `9:00 pm` or `午後3時`. */
function readClock(text: string): { hour: number; minute: number } | undefined {
  const [, before = '', hours = '', minutes = '0', , after = ''] = clock.exec(text) ?? []
  if (hours === '') return undefined
  const half = `${before}${after}`.toLowerCase().replaceAll(/[.\s]/g, '')
  const isLate = ['pm', '下午', '午後', 'م'].includes(half)
  const isEarly = ['am', '上午', '午前', 'ص'].includes(half)
  const hour = Number(hours)
  if ((isLate || isEarly) && hour > 12) return undefined
  return {
    hour: isLate && hour < 12 ? hour + 12 : isEarly && hour === 12 ? 0 : hour,
    minute: Number(minutes),
  }
}

/** Reads minutes: `45`, `45 min`, `0:45`, `1h 30`. */
export function readMinutes(text: string): number | undefined {
  const plain = text.trim().toLowerCase()
  const [, bare] = /^(\d{1,4})\s*(?:min\.?|minutes?|minuten|minutos|minuti|dk|分|دقيقة)?$/.exec(plain) ?? []
  if (bare !== undefined) return Number(bare)
  const [, hours = '', minutes = '0'] =
    /^(\d{1,2})\s*(?::|h|std\.?|時間)\s*(\d{0,2})(?::00)?\s*(?:min\.?|m|分)?$/.exec(plain) ?? []
  return hours === '' ? undefined : Number(hours) * 60 + Number(minutes || '0')
}
