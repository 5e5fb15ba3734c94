import { cellText } from './csv.ts'

/* Reads CSV as spreadsheets and other programs write it: any of three separators, and the encodings of Windows. */

const separators = [',', ';', '\t'] as const

/** A row. `row` is its number in a spreadsheet, from 1. */
export interface CsvRecord {
  row: number
  cells: string[]
}

/** A file that is not CSV. */
export class CsvFault extends Error {
  /** The row where a quoted cell begins that never ends. */
  readonly row: number

  constructor(row: number) {
    super(`a quotation mark in row ${row} is never closed`)
    this.row = row
  }
}

/** Decodes a file: UTF-8, UTF-16 with a byte-order mark, or else Windows-1252, which Excel writes. */
export function decodeCsv(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Yields the rows that are not empty. Cells are trimmed, in NFC and without `\r`. Throws a CsvFault. */
export function* readCsv(text: string): Generator<CsvRecord, void> {
  const named = /^sep=([,;\t])\r?\n/i.exec(text) // a line for Excel
  const separator = named?.[1] ?? likelySeparator(text)
  let at = named?.[0].length ?? 0
  let row = 1
  while (at < text.length) {
    const cells: string[] = []
    let isOver = false
    while (!isOver) {
      const cell = readCell(text, at, separator)
      if (!cell) throw new CsvFault(row)
      cells.push(cleaned(cell.text))
      at = cell.end
      isOver = text[at] !== separator
      if (!isOver) at += 1
    }
    if (text[at] === '\r') at += 1
    if (text[at] === '\n') at += 1
    if (cells.some((cell) => cell !== '')) yield { row, cells }
    row += 1
  }
}

/** Reads a cell up to its separator or line end. Undefined if its quotation mark is never closed. */
function readCell(text: string, start: number, separator: string): { text: string; end: number } | undefined {
  let at = start
  let read = ''
  if (text[at] === '"') {
    at += 1
    for (let isOpen = true; isOpen;) {
      const end = text.indexOf('"', at)
      if (end === -1) return undefined
      read += text.slice(at, end)
      isOpen = text[end + 1] === '"'
      if (isOpen) read += '"'
      at = end + (isOpen ? 2 : 1)
    }
  }
  const rest = at
  while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at += 1
  return { text: read + text.slice(rest, at), end: at }
}

function cleaned(cell: string): string {
  return cellText(cell).toWellFormed().replaceAll(/\r\n?/g, '\n').trim().normalize('NFC')
}

/** Returns the separator that the first line has most often outside quotation marks. */
function likelySeparator(text: string): string {
  const counts = new Map<string, number>(separators.map((one) => [one, 0]))
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '\n' || character === '\r') break
    else if (counts.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one)
  return most?.[0] ?? ','
}
