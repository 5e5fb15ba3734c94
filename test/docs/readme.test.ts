import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { readConfig, settings } from '../../src/base/config.ts'
import { runCommand } from '../support/command-line.ts'
import { blocksOf, documentAt, documents, project, proseOf, tableUnder } from './documents.ts'

describe('the configuration', () => {
  test('of the guide is that of the program: every variable, its default and its meaning', () => {
    expect(tableUnder(documentAt('docs/guides/configuration.md'), '## Settings')).toEqual(
      Object.values(settings).map(({ variable, fallback, about }) => [
        `\`${variable}\``,
        fallback === '' ? '(empty)' : `\`${fallback}\``,
        about,
      ]),
    )
  })

  test('of .env.example is that of the program too', () => {
    const [, ...entries] = readFileSync(join(project, '.env.example'), 'utf8').trimEnd().split('\n\n')
    expect(entries.pop()).toMatch(/^# of compose.yaml alone: .*\n# POSTGRES_PASSWORD=$/)
    expect(entries).toEqual(
      Object.values(settings).map(({ variable, fallback, about }) => `# ${about}\n# ${variable}=${fallback}`),
    )
  })

  test('of .env.example without its comment signs is the default one', () => {
    const text = readFileSync(join(project, '.env.example'), 'utf8').replaceAll(/^# (?=[A-Z_]+=)/gm, '')
    const variables = parseEnv(text)
    expect(Object.keys(variables)).toHaveLength(Object.keys(settings).length + 1) // and POSTGRES_PASSWORD
    expect(readConfig(variables)).toEqual(readConfig({}))
  })
})

/** Returns the name by which GitHub lets a link point to a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

test.each(documents)('every link in $path leads somewhere', (document) => {
  const targets = [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '')
  const broken = targets.filter((target) => {
    if (/^https?:\/\//.test(target)) return false
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? document.path : join(dirname(document.path), path)
    if (!existsSync(join(project, file))) return true
    if (anchor === undefined) return false
    const headings = [...proseOf(documentAt(file)).matchAll(/^#+ (.*)$/gm)].map(([, text]) => text ?? '')
    return !headings.map(anchorOf).includes(anchor)
  })
  expect(broken).toEqual([])
})

async function helpFor(command: string): Promise<string> {
  return (await runCommand([...command.split(' ').filter(Boolean), '--help'])).stdout
}

/** Returns the commands in `--help` and their subcommands, each with its help. */
async function commandsIn(help: string, before = ''): Promise<[command: string, help: string][]> {
  const [, list = ''] = help.split('\nCommands:\n')
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => `${before}${name ?? ''}`)
  const commands = names
    .filter((name) => !name.endsWith('help'))
    .map(async (name): Promise<[string, string][]> => {
      const own = await helpFor(name)
      const inner = await commandsIn(own, `${name} `)
      return inner.length > 0 ? inner : [[name, own]]
    })
  return (await Promise.all(commands)).flat()
}

/** Returns the text of `--help` after the line on usage. */
function aboutIn(help: string): string {
  const [, about = ''] = help.split('\n\n')
  return about.replaceAll(/\s+/g, ' ')
}

describe('the command line', async () => {
  const commands = new Map(await commandsIn(await helpFor('')))

  /** Every use of the program in a document: in code spans, and in lines for a shell. */
  const uses = documents.flatMap((document) => {
    const spans = proseOf(document).matchAll(/`(?:npx )?holdfast ([^`]+)`/g)
    const shells = blocksOf(document)
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => [...text.matchAll(/(?:npx holdfast|bin\/holdfast\.js) ([^\n|)]+)/g)])
    return [...spans, ...shells].map(([, use]) => ({ path: document.path, use: (use ?? '').trim() }))
  })

  test('is spoken of at all', () => {
    expect(commands.size).toBeGreaterThan(0)
    expect(uses.length).toBeGreaterThan(0)
  })

  test.each(uses)('`holdfast $use` of $path exists', ({ use }) => {
    const command = [...commands.keys()].find((name) => use === name || use.startsWith(`${name} `))
    expect(command, 'a command that --help lists').toBeDefined()
    const unknown = [...use.matchAll(/--[a-z-]+/g)].filter(
      ([option]) => !commands.get(command ?? '')?.includes(`  ${option} `),
    )
    expect(unknown).toEqual([])
  })

  test('is described whole in its guide, in the words of --help', () => {
    const described = tableUnder(documentAt('docs/guides/cli.md'), '## Commands')
    expect(described).toEqual([...commands].map(([command, help]) => [`\`${command}\``, aboutIn(help)]))
  })
})

test('every npm script that a document names is in package.json', () => {
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  // the examples are separate projects, whose READMEs are run
  const ofTheProject = documents.filter(({ path }) => !path.startsWith('examples/'))
  const named = ofTheProject.flatMap(({ text }) =>
    [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, run, short]) => run ?? short ?? ''),
  )
  expect(new Set(named)).toContain('start')
  expect(named.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([])
})

/** In README.md and CONTRIBUTING.md, and in other documents for programs and tests of the checkout. */
test('every file and folder that a line for a shell names is in the checkout', () => {
  const named = documents.flatMap((document) =>
    blocksOf(document)
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => [...text.matchAll(/(?<=^|\s)(?:\.ci|bin|test|packaging)\/[\w./-]+/gm)])
      .map(([path]) => path),
  )
  expect(named).toContain('.ci/run')
  expect(named.filter((path) => !existsSync(join(project, path)))).toEqual([])
  const benches = documents.flatMap(({ text }) => [...text.matchAll(/npm run bench -- ([a-z][a-z-]*)/g)])
  expect(benches.length).toBeGreaterThan(0)
  const usage = readFileSync(join(project, 'bench/run.ts'), 'utf8')
  const ofToday = benches.filter(({ input, index }) => !/^[^`]*` of commit/.test(input.slice(index)))
  expect(
    ofToday.filter(([, name = '']) => !new RegExp(`^ *(npm run bench -- )?${name} `, 'm').test(usage)),
  ).toEqual([])
})
