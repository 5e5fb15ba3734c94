import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { expect, test } from 'vitest'
import { problemKinds, type ProblemCode } from '../../src/base/errors.ts'
import { fieldErrorTexts, problemTexts } from '../../src/base/problem-texts.ts'
import { documentAt, project } from './documents.ts'

const path = 'docs/guides/errors.md'
const mark = '<!-- Generated from src/base/problem-texts.ts: npm run errors:write -->\n'

const fieldErrorTable = [
  '| Code | Meaning |\n| --- | --- |',
  ...Object.entries(fieldErrorTexts).map(([code, text]) => `| \`${code}\` | ${text} |`),
].join('\n')

function section(code: ProblemCode): string {
  const { when, fields, whatToDo, seeAlso } = problemTexts[code]
  return [
    `### \`${code}\` – ${problemKinds[code].status}`,
    fields === undefined ? `${when} ${whatToDo}` : when,
    ...(fields === undefined ? [] : [`**Fields:** ${fields}`]),
    ...(code === 'validation_failed' ? [fieldErrorTable] : []),
    ...(fields === undefined ? [] : [whatToDo]),
    ...(seeAlso === undefined ? [] : [`See ${seeAlso}.`]),
  ].join('\n\n')
}

async function generated(): Promise<string> {
  const codes = Object.keys(problemKinds) as ProblemCode[] // its own keys
  const byStatus = [...Map.groupBy(codes, (code) => problemKinds[code].status)]
  const chapters = byStatus
    .toSorted(([one], [other]) => one - other)
    .map(([status, ofStatus]) =>
      [`## ${status} ${STATUS_CODES[status] ?? ''}`, ...ofStatus.map(section)].join('\n\n'),
    )
  const options = await resolveConfig(join(project, path))
  return format(chapters.join('\n\n'), { ...options, parser: 'markdown' })
}

test('the guide to errors has the text of every problem code', async () => {
  const [introduction = '', shown] = documentAt(path).text.split(`${mark}\n`)
  const text = await generated()
  if (process.env['HOLDFAST_WRITE_ERRORS'] === '1') {
    writeFileSync(join(project, path), `${introduction}${mark}\n${text}`)
  } else {
    expect(shown, 'The texts have changed: run "npm run errors:write".').toBe(text)
  }
})

test('every code of an invalid field has a text, and no other', () => {
  const sources = globSync('src/**/*.ts', { cwd: project }).map((file) =>
    readFileSync(join(project, file), 'utf8'),
  )
  const validation = readFileSync(join(project, 'src/base/validation.ts'), 'utf8')
  const used = [
    ...validation.matchAll(/\bfieldError\(\s*'([a-z_]+)'/g),
    ...sources.flatMap((text) => [...text.matchAll(/\bpointer\b[^{}]*?\bcode: '([a-z_]+)'/g)]),
  ].map(([, code]) => code)
  expect(new Set(Object.keys(fieldErrorTexts))).toEqual(new Set(used))
})
