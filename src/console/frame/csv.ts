/*
 * CSV (RFC 4180) that spreadsheets open safely: what would begin a formula there gets an apostrophe before it, because names
 * and notes come from strangers (OWASP, CSV injection).
 */

/** So that spreadsheets take the file for UTF-8. */
export const csvStart = '\uFEFF'

/** One row, with its end. */
export function csvRow(values: readonly (string | number | null)[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^\s*[=+\-@]|^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
