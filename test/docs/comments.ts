import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { project } from './documents.ts'

/** A block comment, or consecutive lines of `//` comments. */
export interface Comment {
  line: number
  text: string
}

/** Built files are excluded: node_modules, dist, and the types of the API in client/. */
export const sources: string[] = globSync('**/*.{ts,tsx,js}', {
  cwd: project,
  exclude: [
    '**/node_modules/**',
    '**/dist/**',
    '**/.next/**',
    'client/api-types.ts',
    'data/**',
    'coverage/**',
  ],
}).toSorted()

/** Returns at most two folders of a path, such as `src/access`. */
export function folderOf(path: string): string {
  return dirname(path).split('/').slice(0, 2).join('/')
}

export function commentsIn(path: string): Comment[] {
  return commentsOf(readFileSync(join(project, path), 'utf8'))
}

const comment =
  /(?<=^|[\s({[,])\/\*[^]*?\*\/|(?<=^[ \t]*)\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|(?<=[ \t])\/\/[^\n]*/gm
const directive = /^(?:eslint|prettier|@ts-|global )/

/** A comment inside a template counts too: it belongs to a program that the file writes. */
export function commentsOf(source: string): Comment[] {
  return [...source.matchAll(comment)]
    .map(({ 0: text, index }) => ({
      line: source.slice(0, index).split('\n').length,
      text: text
        .replaceAll(/^[ \t]*(?:\/\/|\/?\*+\/?) ?|\*\/$/gm, '')
        .replaceAll(/^@\w.*$/gm, '')
        .trim(),
    }))
    .filter(({ text }) => text !== '' && !directive.test(text))
}
