import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { settings } from '../../src/base/config.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { emptyDirectory, project, startHoldfast } from '../support/holdfast-process.ts'

const read = (path: string) => readFileSync(join(project, path), 'utf8')
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ')
const compose = read('compose.yaml')
const known = Object.values(settings).map(({ variable }) => variable)

/** What is copied: from the checkout, and from the stages before. */
function copiesIn(text: string) {
  return [...text.matchAll(/^COPY (--from=\S+ )?(.+) (\S+)$/gm)].map(([, stage, sources = '', to = '']) => ({
    stage: stage !== undefined,
    sources: sources.split(' '),
    to,
  }))
}

const copies = copiesIn(dockerfile)
const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))

/** The words of an instruction in its JSON form. */
function wordsOf(instruction: RegExp): string[] {
  return JSON.parse(instruction.exec(dockerfile)?.[1] ?? '[]') as string[]
}

const entry = [...wordsOf(/^ENTRYPOINT (.*)$/m), ...wordsOf(/^CMD (.*)$/m)]
const healthCheck = wordsOf(/^HEALTHCHECK .*CMD (.*)$/m)
const environment = Object.fromEntries(
  [...(/^ENV (.*)$/m.exec(dockerfile)?.[1]?.matchAll(/(\w+)=(\S+)/g) ?? [])].map(([, name, value]) => [
    name ?? '',
    value ?? '',
  ]),
)

test('every file that the Dockerfile copies is in the checkout', () => {
  const sources = copies.filter(({ stage }) => !stage).flatMap(({ sources }) => sources)
  expect(sources).toContain('package.json')
  expect(sources.filter((source) => !existsSync(join(project, source)))).toEqual([])
})

test('what the image needs is let through by .dockerignore, and nothing else is', () => {
  const [first, ...lines] = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  expect(first).toBe('*')
  const through = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const copied = copies.filter(({ stage }) => !stage).flatMap(({ sources }) => sources)
  const needed = copied.filter((source) => !copied.includes(dirname(source)))
  const folders = [...new Set(needed.map(dirname))].filter((folder) => folder !== '.')
  expect(lines).toContain('widget/dist') // the image makes its own
  expect(new Set(through)).toEqual(new Set([...needed, ...folders]))
  for (const folder of folders) expect(lines).toContain(`${folder}/*`)
})

test('versions are those of package.json', () => {
  const nodes = [...dockerfile.matchAll(/^FROM node:([\d.]+)-slim/gm)].map(([, version]) => version)
  const ownNodes = Object.entries(packageJson.optionalDependencies).filter(([name]) =>
    name.startsWith('node-'),
  )
  const own = new Set(ownNodes.map(([, version]) => version))
  expect(nodes).toHaveLength(3)
  expect(new Set(nodes)).toEqual(own)
  expect(/image\.version="(.*?)"/.exec(dockerfile)?.[1]).toBe(packageJson.version)
  expect(/image: holdfast:(\S+)/.exec(compose)?.[1]).toBe(packageJson.version)
})

test('the image installs what production needs and runs no install scripts', () => {
  expect(dockerfile).toMatch(/^RUN npm ci .*--omit=dev.*--ignore-scripts$/m)
})

test('the image runs as nobody in particular, stops on SIGTERM and keeps its data in the volume', () => {
  expect(/^USER (\w+)$/m.exec(lastStage)?.[1]).toBe('node')
  expect(lastStage.indexOf('\nUSER ')).toBeGreaterThan(lastStage.lastIndexOf('\nRUN '))
  expect(lastStage).toMatch(/^STOPSIGNAL SIGTERM$/m)
  const volume = /^VOLUME (\S+)$/m.exec(lastStage)?.[1] ?? 'none'
  expect(environment['DATABASE_URL']).toBe(`sqlite:${volume}/holdfast.db`)
  expect(lastStage).toContain(`install -d -o node -g node -m 0700 ${volume}`)
  expect(/^EXPOSE (\d+)$/m.exec(lastStage)?.[1]).toBe(environment['PORT'])
})

test('every variable that Dockerfile and compose.yaml set is one that Holdfast reads', () => {
  expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([])
  expect(environment['NODE_ENV']).toBe('production')
  const [, service = ''] = /\n {2}holdfast:\n((?: {4}.*\n|\n)*)/.exec(compose) ?? []
  const [, block = ''] = /\n {4}environment:\n((?: {6}.*\n)*)/.exec(service) ?? []
  const set = [...block.matchAll(/^ {6}([A-Z_]+):/gm)].map(([, name]) => name ?? '')
  expect(set).toContain('DATABASE_URL')
  expect(set.filter((name) => !known.includes(name))).toEqual([])
  const named = [...compose.matchAll(/\b([A-Z]+(?:_[A-Z]+)+): \d/g)].map(([, name]) => name ?? '')
  expect(named.filter((name) => !known.includes(name))).toEqual([])
})

test('compose.yaml waits for the health of what it depends on, and gives the server time to stop', () => {
  const services = [...compose.matchAll(/^ {2}(\w+):\n(?= {4}(?:build|image):)/gm)].map(([, name]) => name)
  expect(services).toEqual(['holdfast', 'postgres', 'redis'])
  for (const name of ['postgres', 'redis']) {
    expect(compose).toMatch(new RegExp(`\\n {6}${name}:\\n {8}condition: service_healthy\\n`))
    expect(compose).toMatch(new RegExp(`//(?:.*@)?${name}:\\d+`))
  }
  expect(compose.match(/^ {4}healthcheck:$/gm)).toHaveLength(2)
  expect(Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1])).toBeGreaterThan(10)
})

/** The commands of docs/guides/self-hosting.md and docs/guides/upgrading.md, which only a container engine can run. */
test('the commands for containers in the guides fit Dockerfile and compose.yaml', () => {
  const textWith = (guide: string, words: string) =>
    blocksOf(documentAt(guide)).find(({ text }) => text.includes(words))?.text ?? ''
  const docker = textWith('docs/guides/self-hosting.md', 'docker build')
  const volume = /^VOLUME (\S+)$/m.exec(dockerfile)?.[1] ?? 'none'
  expect(docker).toContain(`--volume holdfast:${volume} `)
  expect(docker).toContain(`--publish 127.0.0.1:3000:${environment['PORT'] ?? ''} `)
  expect(docker).toMatch(
    new RegExp(`^docker exec holdfast ${wordsOf(/^ENTRYPOINT (.*)$/m).join(' ')} doctor$`, 'm'),
  )
  // as the user of the image, into its volume
  const backup = textWith('docs/guides/backups.md', 'docker exec')
  expect(backup).toContain(`&& ${wordsOf(/^ENTRYPOINT (.*)$/m).join(' ')} backup ${volume}/backups --keep`)
  const upgrade = textWith('docs/guides/upgrading.md', 'compose')
  // it builds what is checked out, so the new release has to be there first
  const [fetch, checkout] = textWith('docs/guides/upgrading.md', 'npm ci').split('\n')
  expect(upgrade.split('\n').slice(0, 2)).toEqual([fetch, checkout])
  const [, names = ''] = /^docker compose pull (.*)$/m.exec(upgrade) ?? []
  expect(names.split(' ')).toEqual([...compose.matchAll(/^ {2}(\w+):\n {4}image:/gm)].map(([, name]) => name))
})

test('what the image holds is enough to serve, to answer its health check, and to stop on SIGTERM', async () => {
  const image = emptyDirectory()
  for (const { stage, sources, to } of copiesIn(lastStage)) {
    for (const source of sources) {
      const target = join(image, to === './' ? source : to)
      mkdirSync(dirname(target), { recursive: true })
      if (to === 'node_modules') symlinkSync(join(project, to), target)
      else cpSync(join(project, stage ? to : source), target, { recursive: true })
    }
  }
  const [node, program = '', ...args] = entry
  const data = emptyDirectory()
  const variables = { ...environment, PORT: '0', DATABASE_URL: `sqlite:${data}/holdfast.db` }
  const server = startHoldfast(args, { directory: image, variables, program: join(image, program) })
  const [, port = ''] = await server.says(/^Holdfast serves http:\/\/\S+:(\d+)$/m)
  expect(node).toBe('node')
  expect(await health(image, port)).toEqual({ code: 0, stderr: '' })
  // the sources of the widget and what builds it stay outside
  expect((await fetch(`http://127.0.0.1:${port}/widget/v1.js`)).status).toBe(200)
  expect([existsSync(join(image, 'widget/build.ts')), server.stdout().includes('was built')]).toEqual([
    false,
    false,
  ])
  server.signal('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, signal: null })
  expect(await health(image, port)).toEqual({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^http://127.0.0.1:${port}/healthz: .*ECONNREFUSED`)) as string,
  })
  expect(globSync('*', { cwd: data })).toContain('holdfast.db')
})

/** Runs the health check as the engine would: with the variables of the image. */
async function health(image: string, port: string): Promise<{ code: number; stderr: string }> {
  const [node, ...args] = healthCheck
  expect(node).toBe('node')
  const check = spawn(process.execPath, args, { cwd: image, env: { ...environment, PORT: port } })
  let stderr = ''
  check.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(check, 'close')) as [number]
  return { code, stderr }
}
