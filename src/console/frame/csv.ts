/*
 * CSV (RFC 4180) that spreadsheets open safely: what would begin a formula there gets an apostrophe before it, because names
 * and notes come from strangers (OWASP, CSV injection). Some split lines at `;` or tabs and heed no quotes in between.
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
  const safe = value.replace(/^(?=\s*[=+\-@]|[\t\r\n])|(?<=[;\t\r\n])(?=\s*"*\s*[=+\-@])/g, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
