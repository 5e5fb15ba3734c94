import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const project = resolve(import.meta.dirname, '../..')

/** A document of the project. */
export interface Document {
  /** Relative to the root of the project. */
  path: string
  text: string
}

export const documents: Document[] = globSync('**/*.md', {
  cwd: project,
  exclude: ['**/node_modules/**', 'data/**', 'coverage/**'],
})
  .toSorted()
  .map((path) => ({ path, text: readFileSync(join(project, path), 'utf8') }))

export function documentAt(path: string): Document {
  const found = documents.find((document) => document.path === path)
  if (!found) throw new Error(`there is no document ${path}`)
  return found
}

/** A fenced block, and the HTML comment before it, which describes its test. */
export interface Block {
  mark: string | undefined
  language: string
  text: string
}

export function blocksOf({ text }: Document): Block[] {
  const fence =
    /(?:<!-- (?<mark>[^\n]*) -->\n\n)?^(?<indent> *)```(?<language>\w*)\n(?<text>.*?)\n\k<indent>```$/gms
  return [...text.matchAll(fence)].map(({ groups = {} }) => ({
    mark: groups['mark'],
    language: groups['language'] ?? '',
    text: (groups['text'] ?? '').replaceAll(new RegExp(`^${groups['indent'] ?? ''}`, 'gm'), ''),
  }))
}

/** Returns a document without its fenced blocks. */
export function proseOf({ text }: Document): string {
  return text.replace(/^( *)```.*?^\1```$/gms, '')
}

/** Returns the cells of the table after a heading, without its header row. */
export function tableUnder(document: Document, heading: string): string[][] {
  const [, after] = document.text.split(`\n${heading}\n`)
  const rows = /^\|.*\|$(?:\n^\|.*\|$)*/m.exec(after ?? '')?.[0].split('\n') ?? []
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
