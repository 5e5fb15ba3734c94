import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bareVariables, startHoldfast } from '../support/holdfast-process.ts'
import { longDescribe } from '../support/long.ts'
import { blocksOf, documentAt, documents, project, type Block, type Document } from './documents.ts'

/*
 * Runs the commands in the documents as a reader would, and compares their answers with the printed ones. The comment
 * before a block names its kind:
 *   - <!-- runs -->: run in the order of the document, in one shell. A ```json block after it is its answer, a ```jsonc
 *     block its beginning.
 *   - <!-- values -->: variables that the reader fills in from the output of npm start
 *   - <!-- printed by npm start -->: lines of that output, in order. … represents any text.
 *   - <!-- runs with a session -->: run with the token of a session as TOKEN
 *
 * blocks.test.ts lists all other kinds, and ensures that every block has one.
 */

interface Server {
  /** Its output for people and for its log. */
  output: string
  address: string
  stop(): Promise<void>
}

const shellMilliseconds = 20_000
const firstGuide = 'docs/guides/first-booking.md'

const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl) {
  console.warn('\n*** SKIPPED: there is no curl here, so the commands in the documents are not run.\n')
}

let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-docs-'))
})

afterAll(() => {
  rmSync(directory, { recursive: true, force: true })
})

/** Returns a reader's shell variables, without the settings of the person who runs the tests. */
function shellWith(variables: Record<string, string>): NodeJS.ProcessEnv {
  return { ...bareVariables, HOME: process.env['HOME'] ?? directory, ...variables }
}

async function startServer(variables: Record<string, string>): Promise<Server> {
  const server = startHoldfast(['serve'], {
    directory, // a .env of the checkout must not influence the documents
    // the logo of the demo is below the URL in the documents' examples
    variables: { PORT: '0', PUBLIC_URL: 'http://127.0.0.1:3000', DRAIN_SECONDS: '0', ...variables },
  })
  const [, address = ''] = await server.says(/\nHoldfast serves (\S+).*\n\n$/s) // its last words end with an empty line
  return {
    output: server.stdout(),
    address,
    stop: async () => {
      server.signal('SIGTERM')
      await server.ended
    },
  }
}

function runInShell(script: string, variables: Record<string, string>): string {
  const shell = spawnSync('sh', ['-eu', '-c', script], {
    cwd: project,
    env: shellWith(variables),
    encoding: 'utf8',
    timeout: shellMilliseconds,
  })
  expect(shell, shell.stderr).toMatchObject({ status: 0 })
  return shell.stdout
}

/** Returns JSON text in which values that vary between runs are made equal. */
function withoutChance(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d/g, '<time>')
    .replaceAll(/"\d{4}(?=-\d\d-\d\d")/g, '"<year>')
    .replaceAll(/(cal_[a-z]{3}_)[0-9A-Za-z…]+/g, '$1<secret>')
    .replaceAll(/(feeds\/)[\w-]{43}/g, '$1<secret>')
}

function expectAnswer(given: string, documented: string): void {
  expect(JSON.parse(withoutChance(given))).toEqual(JSON.parse(withoutChance(documented)))
}

/** Compares an abbreviated answer up to the comment in it. */
function expectBeginning(given: string, documented: string): void {
  const [shown = '', ...rest] = documented.split(/^ *\/\/.*$/m)
  expect(rest).toHaveLength(1)
  const plain = (text: string) =>
    withoutChance(text)
      .replaceAll(/\s/g, '')
      .replaceAll(/,(?=[}\]])/g, '')
  expect(plain(given).slice(0, plain(shown).length)).toBe(plain(shown))
}

/** Returns the printed lines for a shell, and the keys above them. */
function printedBy({ output, address }: Server) {
  const key = (name: string) => new RegExp(`${name} +(cal_\\w+)`).exec(output)?.[1] ?? ''
  return {
    lines: output.slice(output.indexOf('\nAPI=')).trim(),
    variables: {
      API: `${address}/api/v1`,
      HUB_KEY: key('hub key'),
      BUSINESS_KEY: key('business key'),
      PUBLISHABLE_KEY: key('publishable key'),
    },
  }
}

function blocksMarked(document: Document, mark: string): Block[] {
  return blocksOf(document).filter((block) => block.mark === mark)
}

describe('npm start on an empty database', () => {
  const blocks = blocksOf(documentAt(firstGuide))
  const at = blocks.findIndex(({ mark }) => mark === 'printed by npm start')
  let server: Server

  beforeAll(async () => {
    server = await startServer({ DATABASE_URL: `sqlite:${join(directory, 'printed.db')}` })
  })
  afterAll(() => server.stop())

  test('prints what the guide to a first booking shows', () => {
    const shown = (blocks[at]?.text ?? '').split('\n').map((line) =>
      line
        .replace(/(?<=^Holdfast serves |^API=)http:\/\/127\.0\.0\.1:3000/, server.address) // elsewhere PUBLIC_URL
        .split('…')
        .map((part) => RegExp.escape(part))
        .join('.*'),
    )
    expect(shown.length).toBeGreaterThan(1)
    expect(server.output).toMatch(new RegExp(`^${shown.join('$.*?^')}$`, 'ms'))
  })

  test.runIf(hasCurl)('prints lines for a shell that book, show and cancel a slot', () => {
    const answers = runInShell(printedBy(server).lines, {}).trim().split('\n')
    const [booked, shown, cancelled] = answers.map((line) => JSON.parse(line) as { status: string })
    expect(answers).toHaveLength(3)
    expect(booked).toMatchObject({ status: 'confirmed' })
    expect(shown).toMatchObject(booked ?? {})
    expect(cancelled).toMatchObject({ status: 'cancelled' })
    expectAnswer(answers[0] ?? '', blocks[at + 1]?.text ?? '')
  })
})

for (const document of documents.filter((one) => blocksMarked(one, 'runs').length > 0)) {
  // each with a separate server
  const describeIt = document.path === firstGuide ? describe : longDescribe
  describeIt(`the commands in ${document.path}`, () => {
    const boundary = '--- the next block ---'
    let server: Server

    beforeAll(async () => {
      server = await startServer({ DATABASE_URL: `sqlite:${join(directory, crypto.randomUUID())}.db` })
    })
    afterAll(() => server.stop())

    test.runIf(hasCurl)('work as they are pasted, and are answered as the document says', () => {
      const { variables } = printedBy(server)
      for (const { text } of blocksMarked(document, 'values')) {
        const named = [...text.matchAll(/^(\w+)=/gm)].map(([, name]) => name)
        expect(Object.keys(variables)).toEqual(expect.arrayContaining(named))
      }
      const blocks = blocksOf(document)
      const places = blocks.flatMap(({ mark }, index) => (mark === 'runs' ? [index] : []))
      const script = places.map((place) => blocks[place]?.text).join(`\necho; echo '${boundary}'\n`)
      const outputs = runInShell(script, variables).split(boundary)
      expect(outputs).toHaveLength(places.length)
      for (const [index, place] of places.entries()) {
        const answer = blocks[place + 1]
        if (answer?.language === 'json') expectAnswer(outputs[index] ?? '', answer.text)
        if (answer?.language === 'jsonc') expectBeginning(outputs[index] ?? '', answer.text)
      }
    })
  })
}

longDescribe.each(documents.filter((document) => blocksMarked(document, 'runs with a session').length > 0))(
  'the commands in $path that go on with a session',
  (document) => {
    let server: Server
    beforeAll(async () => {
      server = await startServer({ DATABASE_URL: `sqlite:${join(directory, crypto.randomUUID())}.db` })
    })
    afterAll(() => server.stop())

    test.runIf(hasCurl)('give a session in its place', async () => {
      const { variables } = printedBy(server)
      const exchange = `${variables.API}/session`
      const headers = { authorization: `Bearer ${variables.PUBLISHABLE_KEY}` }
      for (const { text } of blocksMarked(document, 'runs with a session')) {
        const session = await (await fetch(exchange, { method: 'POST', headers })).json()
        const token = (session as { session_token: string }).session_token
        const output = runInShell(text, { ...variables, TOKEN: token })
        expect(JSON.parse(output)).toMatchObject({
          session_token: expect.stringMatching(/^cal_ses_/) as string,
        })
        const old = await fetch(`${variables.API}/services`, {
          headers: { authorization: `Bearer ${token}` },
        })
        expect(old.status).toBe(401)
      }
    })
  },
)
