/*
 * CSV (RFC 4180) that spreadsheets open safely. Names and notes come from strangers, so a formula gets an apostrophe before
 * it (OWASP, CSV injection). Some spreadsheets split lines at `;` or tabs, even within quotes.
 */

/** Makes spreadsheets read the file as UTF-8. */
export const csvStart = '\uFEFF'

/** Formats a row, with its line end. */
export function csvRow(values: readonly (string | number | null)[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = value.replace(/^(?=\s*[=+\-@]|[\t\r\n])|(?<=[;\t\r\n])(?=\s*"*\s*[=+\-@])/g, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
