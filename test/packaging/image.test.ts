import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, globSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { settings } from '../../src/base/config.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { bareVariables, emptyDirectory, project, startHoldfast } from '../support/holdfast-process.ts'
import { bytesBelow } from '../support/installed-package.ts'
import { longTest } from '../support/long.ts'

const read = (path: string) => readFileSync(join(project, path), 'utf8')
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ')
const compose = read('compose.yaml')
const example = read('.env.example')
const { services, volumes } = parse(compose) as {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}

/** The tested parts of a service in compose.yaml. */
interface Service {
  image?: string
  build?: string
  env_file?: unknown
  environment?: Record<string, string | number>
  depends_on?: unknown
  healthcheck?: { test: string[] }
  stop_grace_period?: string
  read_only?: boolean
  tmpfs?: string[]
  cap_drop?: string[]
  volumes?: string[]
  ports?: string[]
}

const known = Object.values(settings).map(({ variable }) => variable)

/** Returns the copied paths: from the checkout, and from earlier stages. */
function copiesIn(text: string) {
  return [...text.matchAll(/^COPY (--from=\S+ )?(.+) (\S+)$/gm)].map(([, stage, sources = '', to = '']) => ({
    stage: stage !== undefined,
    sources: sources.split(' '),
    to,
  }))
}

const copies = copiesIn(dockerfile)
const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))

/** Returns the words of an instruction in its JSON form. */
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
  expect(lines).toContain('widget/dist') // the image builds it
  expect(new Set(through)).toEqual(new Set(copied.filter((source) => !copied.includes(dirname(source)))))
})

test('versions are those of package.json', () => {
  const nodes = [...dockerfile.matchAll(/^FROM node:([\d.]+)-slim/gm)].map(([, version]) => version)
  const ownNodes = Object.entries(packageJson.optionalDependencies).filter(([name]) =>
    name.startsWith('node-'),
  )
  const own = new Set(ownNodes.map(([, version]) => version))
  expect(nodes).toHaveLength(2)
  expect(new Set(nodes)).toEqual(own)
  expect(/image\.version="(.*?)"/.exec(dockerfile)?.[1]).toBe(packageJson.version)
  expect(services['holdfast']?.image).toBe(`holdfast:${packageJson.version}`)
})

test('the image is built without install scripts, and installs nothing itself', () => {
  expect(dockerfile).toMatch(/^RUN npm ci .*--omit=dev.*--ignore-scripts$/m)
  expect(lastStage).not.toMatch(/npm (ci|install)|node_modules node_modules/)
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
  const set = Object.keys(services['holdfast']?.environment ?? {})
  expect(set).toContain('DATABASE_URL')
  expect(set.filter((name) => !known.includes(name))).toEqual([])
})

test('compose.yaml hands every setting of .env to the server, but those of the container', () => {
  const { env_file, environment: own = {} } = services['holdfast'] ?? {}
  expect(env_file).toEqual([{ path: '.env', required: false }])
  expect(own).toMatchObject({ NODE_ENV: environment['NODE_ENV'], HOST: environment['HOST'] })
  expect(String(own['PORT'])).toBe(environment['PORT'])
  // settings for a proxy, email and deposits are left to the operator
  const theirs = ['PUBLIC_URL', 'SMTP_URL', 'MAIL_FROM', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']
  for (const name of theirs)
    expect([name, example.includes(`\n# ${name}=`), name in own]).toEqual([name, true, false])
  // the variables that compose.yaml itself reads from .env
  const read = [...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name ?? '')
  expect(new Set(read)).toEqual(new Set(['POSTGRES_PASSWORD', 'TRUST_PROXY']))
  expect(own['TRUST_PROXY']).toBe('${TRUST_PROXY:-172.16.0.0/12}') // the gateways of Docker's networks
  expect(example).toContain('\n# TRUST_PROXY=')
  expect(example).toContain('\n# POSTGRES_PASSWORD=')
})

test('compose.yaml waits for the health of what it depends on, and gives the server time to stop', () => {
  expect(Object.keys(services)).toEqual(['holdfast', 'postgres', 'redis'])
  const { depends_on, environment: own = {}, healthcheck, stop_grace_period } = services['holdfast'] ?? {}
  expect(depends_on).toEqual({
    postgres: { condition: 'service_healthy' },
    redis: { condition: 'service_healthy' },
  })
  expect(own['DATABASE_URL']).toMatch(/@postgres:\d+/)
  expect(own['REDIS_URL']).toMatch(/\/\/redis:\d+/)
  for (const [name, service] of Object.entries(services)) {
    expect([name, service.healthcheck?.test[0]]).toEqual([name, 'CMD'])
  }
  expect(healthcheck?.test).toEqual(['CMD', ...healthCheck])
  expect(Number(/^(\d+)s$/.exec(stop_grace_period ?? '')?.[1])).toBeGreaterThan(10)
})

test('compose.yaml lets the server write its volume and memory alone, and keeps what has to last', () => {
  const { read_only, tmpfs, cap_drop, volumes: own, ports } = services['holdfast'] ?? {}
  expect({ read_only, tmpfs, cap_drop }).toEqual({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] })
  expect(own).toEqual([`holdfast-data:${/^VOLUME (\S+)$/m.exec(dockerfile)?.[1] ?? 'none'}`])
  expect(ports).toEqual([`127.0.0.1:3000:${environment['PORT'] ?? ''}`])
  const named = Object.values(services).flatMap(({ volumes: of = [] }) => of.map((one) => one.split(':')[0]))
  expect(new Set(named)).toEqual(new Set(Object.keys(volumes)))
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
  // it builds the checked-out sources, so the new release must be there first
  const [fetch] = textWith('docs/guides/upgrading.md', 'npm ci').split('\n')
  expect(upgrade.split('\n')[0]).toBe(fetch)
  const [, names = ''] = /^docker compose pull (.*)$/m.exec(upgrade) ?? []
  expect(names.split(' ')).toEqual(Object.keys(services).filter((name) => !services[name]?.build))
})

/** Does the work of the Dockerfile without its base image. Returns the directory that would be /app. */
function builtImage(): string {
  const [build, image] = [emptyDirectory(), emptyDirectory()]
  symlinkSync(join(project, 'node_modules'), join(build, 'node_modules')) // in place of "npm ci"
  copyAll(copiesIn(dockerfile.slice(0, -lastStage.length)), build, build)
  const [, commands = 'false'] = /^RUN (node .*)$/m.exec(dockerfile) ?? []
  const ran = spawnSync('sh', ['-c', commands], { cwd: build, encoding: 'utf8', env: bareVariables })
  expect(ran, ran.stderr).toMatchObject({ status: 0 })
  copyAll(copiesIn(lastStage), build, image)
  return image
}

function copyAll(all: ReturnType<typeof copiesIn>, build: string, target: string): void {
  for (const { stage, sources, to } of all) {
    for (const source of sources) {
      const from = stage ? join(build, source.replace('/build/', '')) : join(project, source)
      const isLetIn = (path: string) => path !== join(project, 'widget/dist') // .dockerignore leaves it out
      cpSync(from, join(target, to.endsWith('/') ? join(to, basename(source)) : to), {
        ...{ recursive: true, filter: isLetIn },
      })
    }
  }
}

/** Drops the rights that the user of the image lacks, before the program starts. */
const asNobody =
  'data:text/javascript,if(process.getuid()===0){process.setgroups([]);process.setgid(65534);process.setuid(65534)}'

longTest('what the image holds is enough to serve from a file system that cannot be written', async () => {
  const image = builtImage()
  const data = emptyDirectory()
  if (process.getuid?.() === 0) chownSync(data, 65_534, 65_534)
  spawnSync('chmod', ['-R', 'a+rX,a-w', image])
  chmodSync(dirname(image), 0o755)
  const files = () => globSync('**/*', { cwd: image }).toSorted()
  const before = files()
  // The guide states whole megabytes.
  const [, stated] = /It adds (\d+) MB to/.exec(documentAt('docs/guides/self-hosting.md').text) ?? []
  expect(Math.abs(bytesBelow(image, /^$/) / 1_000_000 - Number(stated))).toBeLessThan(1)

  const [node, program = '', ...args] = entry
  const variables = {
    ...environment,
    ...{ PORT: '0', DATABASE_URL: `sqlite:${data}/holdfast.db`, NODE_COMPILE_CACHE: '' },
  }
  const own = { directory: image, variables, program: join(image, program), preloads: [asNobody] }
  const server = startHoldfast(args, own)
  const [, port = ''] = await server.says(/^Holdfast serves http:\/\/\S+:(\d+)$/m)
  expect(node).toBe('node')
  expect(await health(image, port)).toEqual({ code: 0, stderr: '' })
  for (const path of ['/widget/v1.js', '/docs', '/docs/page.css']) {
    expect([path, (await fetch(`http://127.0.0.1:${port}${path}`)).status]).toEqual([path, 200])
  }
  server.signal('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, signal: null })
  expect(await health(image, port)).toEqual({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^http://127.0.0.1:${port}/healthz: .*ECONNREFUSED`)) as string,
  })
  expect(globSync('*', { cwd: data })).toContain('holdfast.db')
  expect(files()).toEqual(before)
})

/** Runs the health check as the engine would, with the variables of the image. */
async function health(image: string, port: string): Promise<{ code: number; stderr: string }> {
  const [node, ...args] = healthCheck
  expect(node).toBe('node')
  const check = spawn(process.execPath, args, { cwd: image, env: { ...environment, PORT: port } })
  let stderr = ''
  check.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(check, 'close')) as [number]
  return { code, stderr }
}
