import { expect, test } from 'vitest'
import { documents, proseOf, type Document } from './documents.ts'

/** These documents still break the rules. Rewrite one and remove it from the list; add none. */
const exempt: string[] = ['docs/guides/errors.md']

/** A clause as subject or a condition in front: "What it costs is …", "Where mail is on, …". Questions may start so. */
const clauseOpener = /^(?:what|whatever|who|whoever|whose|whom|where|wherever|how|whether|of what|to whom)\b/i
const foreignWords = /\b(?:anew|beside|whoever|tells|(?:is|are) told|an? \w+ of its own)\b/i
const maxWords = 20

const isExempt = ({ path }: Document) => exempt.includes(path)

test.each(documents.filter((document) => !isExempt(document)))('$path follows the rules', (document) => {
  expect(faultsIn(document)).toEqual([])
})

test.each(documents.filter(isExempt))(
  '$path breaks a rule, or leaves the list of exempt ones',
  (document) => {
    expect(faultsIn(document)).not.toEqual([])
  },
)

test('every exempt document exists', () => {
  expect(documents.map(({ path }) => path)).toEqual(expect.arrayContaining(exempt))
})

test.each(['What it costs is in the guide.', 'It asks anew.', `${'word '.repeat(21)}.`])(
  'finds the fault in "%s"',
  (text) => {
    expect(faultsIn({ path: 'x.md', text })).toHaveLength(1)
  },
)

function faultsIn(document: Document): string[] {
  return sentencesOf(document).filter(
    (sentence) =>
      (clauseOpener.test(sentence) && /[.:]$/.test(sentence)) ||
      foreignWords.test(sentence) ||
      sentence.split(' ').filter((word) => !/^code\W*$/.test(word)).length > maxWords,
  )
}

/** The sentences of paragraphs and list items. Headings, tables and code have rules of their own. */
function sentencesOf(document: Document): string[] {
  return proseOf(document)
    .replaceAll(/<!--.*?-->/gs, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map((block) => block.trim().replace(/^(?:[-*]|\d+\.) /, ''))
    .filter((block) => !/^[|#]/.test(block))
    .map((block) => block.replaceAll(/`[^`]*`/g, 'code').replaceAll(/\]\([^)]*\)/g, ''))
    .flatMap((block) =>
      block
        .replaceAll(/[[*]/g, '')
        .replaceAll(/\s+/g, ' ')
        .split(/(?<=[.!?:]) /),
    )
    .map((sentence) => sentence.trim())
}
