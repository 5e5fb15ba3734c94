import { expect, test } from 'vitest'
import { commentsIn, commentsOf, folderOf, sources } from './comments.ts'
import { documents, proseOf, type Document } from './documents.ts'

/** A clause as subject or a condition in front: "What it costs is …", "Where mail is on, …". Questions may start so. */
const clauseOpener = /^(?:what|whatever|who|whoever|whose|whom|where|wherever|how|whether|of what|to whom)\b/i
/** Comments often have no verb, so that any clause in front counts. */
const commentOpener =
  /^(?:what|whatever|who|whoever|whose|whom|where|wherever|how|whether|of|that|to whom)\b/i
const foreignWords = /\b(?:anew|beside|whoever|tells|(?:is|are) told|an? \w+ of its own)\b/i
const maxWords = 20

test.each(documents)('$path follows the rules', (document) => {
  expect(faultsIn(document)).toEqual([])
})

test.each(['What it costs is in the guide.', 'It asks anew.', `${'word '.repeat(21)}.`])(
  'finds the fault in "%s"',
  (text) => {
    expect(faultsIn({ path: 'x.md', text })).toHaveLength(1)
  },
)

const folders = Map.groupBy(sources, folderOf)

test.each([...folders])('comments in %s follow the rules', (_folder, paths) => {
  const faults = paths.flatMap((path) =>
    commentsIn(path).flatMap(({ line, text }) =>
      commentFaultsIn(text).map((fault) => `${path}:${line}: ${fault}`),
    ),
  )
  expect(faults).toEqual([])
})

test.each([
  '/** Whether it is open. */',
  '// The server answers.\n// Whether it is open, the caller knows.',
  'call()\t// asks anew',
  `/**\n * ${'word '.repeat(12)}\n * ${'word '.repeat(12)}\n */`,
])('finds the fault in the comment "%s"', (source) => {
  expect(commentsOf(source).flatMap(({ text }) => commentFaultsIn(text))).toHaveLength(1)
})

test.each([
  "const address = 'https://example.com' + ' /* '",
  '/** Returns `what it tells anew`. */',
  '// eslint-disable-next-line where -- whoever tells',
  '/** @returns what it is told */',
])('finds no fault in "%s"', (source) => {
  expect(commentsOf(source).flatMap(({ text }) => commentFaultsIn(text))).toEqual([])
})

function faultsIn(document: Document): string[] {
  return sentencesOf(proseOf(document), /(?<=[.!?:]) /).flatMap((sentence) =>
    [...openerFaults(sentence), ...wordFaults(sentence)].map((fault) => `${fault}: ${sentence}`).slice(0, 1),
  )
}

function commentFaultsIn(text: string): string[] {
  return sentencesOf(text, /(?<=[.!?:;]) /).flatMap((sentence, index) => {
    const [opener] = (index === 0 && commentOpener.exec(sentence)) || []
    const first = opener === undefined ? [] : [`begins with "${opener}"`]
    return [...first, ...openerFaults(sentence), ...wordFaults(sentence)]
      .map((fault) => `${fault}: ${sentence}`)
      .slice(0, 1)
  })
}

function openerFaults(sentence: string): string[] {
  const [opener] = clauseOpener.exec(sentence) ?? []
  return opener !== undefined && /[.:]$/.test(sentence) ? [`begins with "${opener}"`] : []
}

function wordFaults(sentence: string): string[] {
  const [foreign] = foreignWords.exec(sentence) ?? []
  const words = sentence.split(' ').filter((word) => !/^code\W*$/.test(word)).length
  return [
    ...(foreign === undefined ? [] : [`says "${foreign}"`]),
    ...(words > maxWords ? [`has ${words} words, more than ${maxWords}`] : []),
  ]
}

/** Returns the sentences of paragraphs and list items. Headings, tables and code have their own rules. */
function sentencesOf(prose: string, ends: RegExp): string[] {
  return prose
    .replaceAll(/<!--.*?-->/gs, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map((block) => block.trim().replace(/^(?:[-*]|\d+\.) /, ''))
    .filter((block) => !/^[|#]/.test(block))
    .map((block) => block.replaceAll(/`[^`]*`/g, 'code').replaceAll(/\]\([^)]*\)/g, ''))
    .flatMap((block) => block.replaceAll(/[[*]/g, '').replaceAll(/\s+/g, ' ').split(ends))
    .map((sentence) => sentence.trim())
}
