/*
 * CSV (RFC 4180) that spreadsheets open safely. Names and notes come from strangers, so a formula gets an apostrophe before
 * it (OWASP, CSV injection). Some spreadsheets split lines at `;` or tabs, even within quotes.
 */

/** Makes spreadsheets read the file as UTF-8. */
export const csvStart = '\uFEFF'

/** The form of files in one language: spreadsheets whose decimal sign is a comma separate cells by semicolons. */
export interface CsvForm {
  separator: ',' | ';'
  locale: string
}

/** Returns the form that spreadsheets in a language read. Swiss ones separate by semicolons in spite of the point. */
export function csvFormOf(locale: string): CsvForm {
  const { region = '' } = new Intl.Locale(locale)
  const isComma = decimalIn(locale) === ','
  return { separator: isComma || ['CH', 'LI'].includes(region) ? ';' : ',', locale }
}

function decimalIn(locale: string): string | undefined {
  return new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value
}

/** A number in the form of a language. It is no formula, even below zero. */
interface CsvNumber {
  readonly number: string
}

/** The value of a cell. Null: an empty cell. */
export type CsvValue = string | number | CsvNumber | null

/** Formats a number with a fixed number of decimals, without groups. */
export function csvNumber(value: number, digits: number, { locale }: CsvForm): CsvNumber {
  const text = value.toFixed(digits)
  return { number: decimalIn(locale) === ',' ? text.replace('.', ',') : text }
}

/** Formats a date, or a local time such as 2026-11-27T09:00, as spreadsheets in a language read it. */
export function csvDate(wallTime: string, { separator, locale }: CsvForm): string {
  const time = wallTime.slice(11, 16)
  const day = wallTime.slice(0, 10)
  if (separator === ',') return `${day} ${time}`.trim()
  const options = { day: '2-digit', month: '2-digit', year: 'numeric', timeZone: 'UTC' } as const
  return `${new Intl.DateTimeFormat(locale, options).format(Date.parse(day))} ${time}`.trim()
}

/** Formats a row, with its line end. */
export function csvRow(values: readonly CsvValue[], { separator }: Pick<CsvForm, 'separator'>): string {
  return `${values.map((value) => csvCell(value, separator)).join(separator)}\r\n`
}

/*
 * At the start, and after characters at which spreadsheets split: before a formula, with any quotes, apostrophes and space
 * in between. Apostrophes count, so that `cellText` removes only ours.
 */
const formulas = /^(?='*[\t\r\n])|(?<=^|[;\t\r\n])(?=['"\s]*[=+\-@])/g
const guardedFormulas = /^'(?='*[\t\r\n])|(?<=^|[;\t\r\n])'(?=['"\s]*[=+\-@])/g

function csvCell(value: CsvValue, separator: string): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  if (typeof value === 'object') return value.number
  const safe = value.replace(formulas, "'")
  return /["\r\n]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns the text of a cell that `csvRow` or another program has written, without the apostrophes before formulas. */
export function cellText(cell: string): string {
  return cell.replace(guardedFormulas, '')
}
