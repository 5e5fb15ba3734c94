import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import clientManifest from '../../client/package.json' with { type: 'json' }
import manifest from '../../package.json' with { type: 'json' }
import { problemKinds } from '../../src/base/errors.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { demoWorld, project } from '../support/holdfast-process.ts'
import { longTest, onOneEngine, testFirstOf } from '../support/long.ts'
import { oldNode, packClient, projectWithClient, type PackedClient } from '../support/packed-client.ts'
import { startServer, type ServerProcess } from '../support/server-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import type { Tenant } from '../support/tenant-things.ts'
import { businessOf } from '../support/test-service.ts'

const compiler = join(project, 'node_modules/typescript/bin/tsc')

const guide = blocksOf(documentAt('docs/guides/client.md'))
const [guideExample = '', ...moreExamples] = ['docs/guides/client.md', 'client/README.md'].flatMap((path) =>
  blocksOf(documentAt(path)).flatMap(({ mark, text }) => (mark === 'typed client' ? [text] : [])),
)

describe('the package', () => {
  let packed: PackedClient
  beforeAll(async () => {
    packed = await packClient()
  })

  test('is below 30 kB, and has the client and nothing of the server', () => {
    expect(packed.bytes).toBeLessThan(30_000) // half of it types of the API
    const beside = ['LICENSE', 'README.md', 'package.json']
    expect(packed.files.filter((path) => !path.startsWith('dist/')).toSorted()).toEqual(beside)
    const built = packed.files.filter((path) => path.startsWith('dist/') && !path.endsWith('.d.ts'))
    expect(built).toEqual(['dist/holdfast-client.js'])
  })

  test('has the version of the server, and no dependencies', () => {
    expect(clientManifest.version).toBe(manifest.version)
    expect(Object.keys(clientManifest).filter((name) => /dependencies/i.test(name))).toEqual([])
    expect(manifest.exports).toEqual({ './package.json': './package.json' })
  })

  test('is made by the command of the guide', () => {
    const commands = guide.filter(({ language }) => language === 'sh').map(({ text }) => text)
    expect(commands).toEqual(['npm pack ./client'])
    const [ofExamples] = blocksOf(documentAt('examples/README.md'))
    expect(ofExamples?.text).toContain(commands[0])
  })

  test('has a README whose command installs it', () => {
    const [install] = blocksOf(documentAt('client/README.md'))
    expect(install?.text).toBe(`npm install ${clientManifest.name}`)
  })

  test('imports nothing, and names nothing that only Node has', async () => {
    const root = join(await projectWithClient(), 'node_modules/@holdfast/client/dist')
    const code = readFileSync(join(root, 'holdfast-client.js'), 'utf8')
    expect(code).not.toMatch(/\bimport\b|\brequire\b/)
    expect(code.match(/\b(?:Buffer|global|__dirname|process|setImmediate|module|exports)\b/g)).toBeNull()
  })
})

describe('the installed package', () => {
  /** Compiles files with the strictest options. Returns the compiler's output by line. */
  function compile(root: string, how: keyof typeof worlds, ...files: string[]): string[] {
    const options = [
      '--strict',
      '--noEmit',
      '--target',
      'es2022',
      '--exactOptionalPropertyTypes',
      ...worlds[how],
    ]
    const command = [compiler, ...options, '--noUncheckedIndexedAccess', ...files]
    return spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' }).stdout.trim().split('\n')
  }
  const node = ['--types', 'node', '--skipLibCheck', '--lib', 'es2023', '--moduleResolution']
  const worlds = {
    node16: [...node, 'node16', '--module', 'node16'],
    // with its own declarations checked
    bundler: ['--lib', 'es2023,dom,dom.iterable', '--module', 'esnext', '--moduleResolution', 'bundler'],
  }
  const everywhere = Object.keys(worlds) as (keyof typeof worlds)[]

  let root: string
  beforeAll(async () => {
    root = await projectWithClient()
    for (const name of ['@types', 'undici-types']) {
      symlinkSync(join(project, 'node_modules', name), join(root, 'node_modules', name))
    }
    const receiver = guide.find(({ text }) => text.includes('verifyWebhook'))?.text ?? ''
    const files = {
      'example.ts': guideExample,
      ...Object.fromEntries(moreExamples.map((text, index) => [`more-${index}.ts`, text])),
      'receiver.ts': receiver,
      'consumer.ts': consumer(),
      'wrong.ts': guideExample.replace('hold_id: hold.hold_id', 'hold_id: hold.id'),
      'incomplete.ts': consumer().replace("case 'rotation_in_progress':", ''),
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  })

  for (const how of everywhere) {
    longTest(`has the examples compile, and every code in a switch (${how})`, () => {
      const more = moreExamples.map((_, index) => `more-${index}.ts`)
      const right = ['example.ts', ...more, 'receiver.ts', 'consumer.ts']
      const said = compile(root, how, ...right, 'wrong.ts', 'incomplete.ts')
      expect(said.filter((line) => line !== '' && !/^(wrong|incomplete)\.ts| {2}/.test(line))).toEqual([])
      expect(said.find((line) => line.startsWith('wrong.ts'))).toMatch(/Property 'id' does not exist/)
      expect(said.find((line) => line.startsWith('incomplete.ts'))).toMatch(/rotation_in_progress/)
    })
  }

  // the client does not know engines
  onOneEngine('sqlite', 'with a server', (engine) => {
    let database: TestDatabase
    let server: ServerProcess
    let salon: Tenant
    beforeAll(async () => {
      database = await createTestDatabase(engine)
      salon = businessOf(await demoWorld(database.url), 'Salon Spree')
      server = await startServer(database.url)
    })
    afterAll(async () => {
      await server.stop()
      await database.drop()
    })

    const runs = [process.execPath, ...(oldNode === undefined ? [] : [oldNode])]
    testFirstOf(runs.map((run) => [run]))(
      'tells an error that nobody catches in lines that people can read (%s)',
      async (command) => {
        const file = join(await projectWithClient(command), 'uncaught.mjs')
        writeFileSync(
          file,
          `import { createHoldfastClient } from '@holdfast/client'
        const client = createHoldfastClient({ baseUrl: '${server.address}', key: 'cal_biz_none' })
        await client.bookings.get('x')`,
        )
        const { stderr, status } = spawnSync(command, [file], { encoding: 'utf8' })
        expect(status).toBe(1)
        expect(stderr).toMatch(
          /^HoldfastError: invalid_credentials: .+\n +at exchange \([^]* at async file:.*uncaught\.mjs:3/m,
        )
        expect(Math.max(...stderr.split('\n').map(({ length }) => length))).toBeLessThan(300)
      },
    )

    testFirstOf(runs.map((run) => [run]))(
      'has the examples of the documents run, and book (%s)',
      async (command) => {
        const installed = await projectWithClient(command)
        const [booked = '', ...listed] = [guideExample, ...moreExamples].map((text, index) => {
          // an old Node runs no TypeScript, and these examples contain no types
          const file = join(installed, `example-${index}.mjs`)
          const filledIn = text
            .replace('http://127.0.0.1:3000', server.address)
            .replace('cal_pub_…', salon.publishable_key)
            .replace('cal_biz_…', salon.business_key)
          writeFileSync(file, filledIn)
          const { stdout, stderr, status } = spawnSync(command, [file], { encoding: 'utf8' })
          expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
          return stdout
        })
        expect(booked).toMatch(/^Booked: Haircut at \d{4}-\d\d-\d\dT/)
        expect(listed[0]).toMatch(/T\S+ Haircut, mary@example\.com$/m)
        expect(listed[1]).toMatch(/^Haircut: 30 minutes$/m)
        expect(listed[2]).toMatch(/^Booked: Haircut at \d{4}-\d\d-\d\dT/)
      },
    )
  })
})

/** Returns a program that handles each problem separately. */
function consumer(): string {
  const codes = Object.keys(problemKinds).map((code) => `case '${code}':`)
  return `
import { isProblem, verifyWebhook, type Booking, type Problem, type ProblemCode, type ProblemOf, type Schemas } from '@holdfast/client'

export function adviceOn(problem: Problem): string {
  switch (problem.code) {
    case 'slot_held':
    case 'slot_booked':
      return problem.alternatives.map(({ starts_at }) => starts_at).join()
    case 'validation_failed':
      return problem.errors.map(({ pointer, code, detail }) => [pointer, code, detail].join(' ')).join()
    ${codes.filter((code) => !/'(slot_held|slot_booked|validation_failed)'/.test(code)).join('\n    ')}
      return problem.detail
    default: {
      const none: never = problem
      return none
    }
  }
}

export const held = (problem: ProblemOf<'slot_held'>): 409 => problem.status
export const seats = (availability: Schemas['Availability']) => availability.days[0]?.slots[0]?.seats_left
export const code = (value: unknown): ProblemCode | undefined => (isProblem(value) ? value.code : undefined)
export const statusOf = (booking: Booking): 'confirmed' | string => booking.status

export async function names(body: Uint8Array, headers: Headers): Promise<'booking.created' | undefined> {
  const { event } = await verifyWebhook(body, headers, ['whsec_AAAA'])
  return event === 'booking.created' ? event : undefined
}
`
}
