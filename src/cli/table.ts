import Table from 'cli-table3'
import { styleText } from 'node:util'
import { surroundings } from './surroundings.ts'

const noBorder = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
}

/** Rows of text in columns, under headings that are bold where the terminal can (NO_COLOR is honoured). */
export function tableLines(headings: string[], rows: string[][]): string[] {
  if (rows.length === 0) return ['(none)']
  const table = new Table({
    head: headings.map((heading) => styleText('bold', heading, { stream: surroundings().stdout })),
    chars: noBorder,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  table.push(...rows)
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
}
