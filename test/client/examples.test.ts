/** @module-tag long */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { blocksOf, documents } from '../docs/documents.ts'
import { next, writeDetails } from '../support/booking-visit.ts'
import { chromiumPath, openVisitor, sharedBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { demoWorld, project } from '../support/holdfast-process.ts'
import { isWhole, longTest } from '../support/long.ts'
import {
  copyOfExample,
  oldNode,
  ownShellVariables,
  projectWithClient,
  projectWithEmbeds,
  readmeBlocks,
  shellVariables,
  startShell,
  temporaryDirectory,
} from '../support/packed-client.ts'
import { startServer, type ServerProcess } from '../support/server-process.ts'
import type { Tenant } from '../support/tenant-things.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { businessOf } from '../support/test-service.ts'

/*
 * The examples run from a copy, with the package of the client from npm, by the commands of their READMEs. Pages run in
 * a browser (examples-in-browser.test.ts). A client does not know engines, so one is enough.
 */

/** An installation from a registry, and a build. */
const patient = { timeout: 600_000 }

/** Returns true if a command works here. Otherwise warns loudly which tests are skipped. */
function has(what: string, left: string, command: string, ...args: string[]): boolean {
  const found = spawnSync(command, args, { env: ownShellVariables() }).status === 0
  if (!found && process.env['CI']) throw new Error(`there is no ${what}: ${left} cannot be run`)
  if (!found) console.warn(`\n*** SKIPPED: there is no ${what} here, so ${left} are not run.\n`)
  return found
}

const hasCurl = has('curl', 'the commands of the examples', 'curl', '--version')
const hasRegistry = isWhole && has('registry', 'Deno, Bun and Next.js', 'npm', 'view', 'next', 'version')
const compiler = join(project, 'node_modules/typescript/bin/tsc')

let database: TestDatabase
let server: ServerProcess
let salon: Tenant
beforeAll(async () => {
  database = await createTestDatabase('sqlite')
  salon = businessOf(await demoWorld(database.url), 'Salon Spree')
  // not production: the receivers are on this machine, and one that is not ready yet is retried soon
  server = await startServer(database.url, { NODE_ENV: 'development', WEBHOOK_RETRY_SECONDS: '1,5' })
})
afterAll(async () => {
  await server.stop()
  await database.drop()
})

/** The values that the reader of an example fills in. */
const filledIn = (): [string, string][] => [
  ['http://127.0.0.1:3000', server.address],
  ['cal_pub_…', salon.publishable_key],
  ['cal_biz_…', salon.business_key],
]

test('every example with commands is run here, or in a browser', () => {
  const paths = documents.filter((one) => blocksOf(one).some(({ mark }) => mark === 'runs as an example'))
  const names = ['', 'html/', 'next/', 'node/', 'php/', 'python/']
  expect(paths.map(({ path }) => path)).toEqual(names.map((name) => `examples/${name}README.md`).toSorted())
})

describe('the example for Node', () => {
  /** Runs its README in one shell. Another program may replace Node. */
  async function follow(node: string, program = 'node'): Promise<void> {
    const port = String(await freePort())
    const values: [string, string][] = [['4000', port], ...filledIn()]
    const blocks = readmeBlocks('node', values).map((block) => {
      return block.replaceAll(/(?<!-)\bnode (?=[\w-]+[.]js)/g, `${program} `)
    })
    const shell = startShell(blocks.join('\n'), {
      cwd: await copyOfExample('node'),
      variables: { ...shellVariables(node), npm_config_offline: 'true' },
    })
    try {
      await shell.says(
        /^Held: .*, until /m,
        /^Booked: Haircut at .*, confirmed$/m,
        /^booking.created: Haircut at /m,
      )
    } finally {
      await shell.stop()
    }
  }

  test.runIf(hasCurl)('books, and receives a webhook that it verifies', () => follow(process.execPath))

  describe.runIf(hasCurl && oldNode !== undefined)('with Node 20', () => {
    longTest('does so too', () => follow(oldNode ?? ''))
  })

  test.runIf(hasCurl && hasRegistry).each(['deno', 'bun'])('does so with %s', patient, async (name) => {
    const directory = temporaryDirectory()
    const options = { cwd: directory, env: ownShellVariables(), encoding: 'utf8' as const }
    const installed = spawnSync('npm', ['install', '--prefix', directory, name], options)
    expect(installed.status, installed.stderr).toBe(0)
    const program = join(directory, 'node_modules/.bin', name)
    await follow(process.execPath, name === 'deno' ? `${program} run --allow-all` : program)
  })

  longTest('compiles as strictly as can be', async () => {
    const directory = await withClient(await copyOfExample('node'))
    for (const name of ['@types', 'undici-types']) {
      symlinkSync(join(project, 'node_modules', name), join(directory, 'node_modules', name))
    }
    const options = ['--checkJs', '--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022']
    const command = [compiler, ...options, '--types', 'node', 'book.js', 'receive-webhooks.js']
    expect(spawnSync(process.execPath, command, { cwd: directory, encoding: 'utf8' }).stdout).toBe('')
  })
})

describe.each([
  ['python', 'python3'],
  ['php', 'php'],
])('the example for %s', (name, program) => {
  const isThere = has(program, `the commands of examples/${name}`, program, '--version')

  test.runIf(isThere)('holds, books and cancels', async () => {
    const [commands = ''] = readmeBlocks(name, filledIn())
    const shell = startShell(commands, { cwd: join(project, 'examples', name) })
    try {
      await shell.says(
        /^Held: .*, until /m,
        /^Booked: Haircut at .*, confirmed$/m,
        /^Cancelled: Haircut at .*, cancelled$/m,
      )
    } finally {
      await shell.stop()
    }
  })

  test.runIf(isThere)('ends with the code of a refusal', () => {
    const [commands = ''] = readmeBlocks(name, [...filledIn(), [salon.publishable_key, 'cal_pub_none']])
    const options = { cwd: join(project, 'examples', name), env: shellVariables(), encoding: 'utf8' as const }
    const { status, stderr } = spawnSync('sh', ['-eu', '-c', commands], options)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^invalid_credentials: /)
  })
})

describe('the example for Next.js', () => {
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
  const body =
    '{"event":"booking.created","timestamp":"…","data":{"service":{"name":"Haircut"},"starts_at":"…"}}'
  const signed = () => ({
    'webhook-id': 'event-1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': new Webhook(secret).sign('event-1', new Date(), body),
  })
  const post = (address: string, text: string, headers: Record<string, string> = {}) =>
    fetch(address, { method: 'POST', body: text, headers })
  const blocksAt = (address: string) =>
    readmeBlocks('next', [
      ['http://127.0.0.1:3001', address],
      ['3001', new URL(address).port],
      ...filledIn(),
      ['whsec_…', secret],
    ])

  /** Books with the command of its README. Returns the slot in it. */
  async function bookWithCurl(address: string, day = '-03-02T'): Promise<Record<string, unknown>> {
    const curl = blocksAt(address)[1]?.replace('-03-02T', day) ?? ''
    const run = async (script: string) => (await promisify(execFile)('sh', ['-eu', '-c', script])).stdout
    const booking: unknown = JSON.parse(await run(curl))
    const slot = JSON.parse(await run(curl.replace(/^curl .* -d /, 'echo '))) as Record<string, string>
    expect(booking).toEqual({
      ...{ id: expect.any(String), status: 'confirmed', service: 'Meeting room' },
      ...{ starts_at: slot['starts_at'], ends_at: expect.any(String) },
    })
    return slot
  }

  async function expectRefusals(address: string, slot: object): Promise<void> {
    const again = await post(`${address}/api/booking`, JSON.stringify(slot))
    expect([again.status, again.headers.get('content-type')]).toEqual([409, 'application/problem+json'])
    expect(await again.json()).toMatchObject({ code: 'slot_booked', alternatives: expect.any(Array) })
    for (const wrong of ['{', '3', 'null']) {
      expect((await post(`${address}/api/booking`, wrong)).status).toBe(400)
    }
  }

  async function expectVerification(address: string): Promise<void> {
    expect((await post(`${address}/api/webhooks`, body, signed())).status).toBe(204)
    const altered = await post(`${address}/api/webhooks`, body.replace('Haircut', 'Massage'), signed())
    expect([altered.status, await altered.json()]).toEqual([400, { reason: 'wrong_signature' }])
  }

  describe('without Next.js, called by a server of Node', () => {
    let directory: string
    let routes: Server
    let address: string
    beforeAll(async () => {
      directory = await withClient(await copyOfExample('next'))
      routes = await serveRoutes(directory)
      address = `http://127.0.0.1:${(routes.address() as AddressInfo).port}`
      const [install = ''] = blocksAt(address)
      for (const [, name = '', value] of install.matchAll(/^export (\w+)=(\S+)/gm)) vi.stubEnv(name, value)
    })
    afterAll(() => {
      vi.unstubAllEnvs()
      routes.close()
    })

    test.runIf(hasCurl)(
      'books with the business key, and gives a hold back that it could not book',
      async () => {
        const slot = await bookWithCurl(address)
        await expectRefusals(address, slot)
        const another = { ...slot, starts_at: String(slot['starts_at']).replace('-03-02', '-03-03') }
        const nobody = await post(`${address}/api/booking`, JSON.stringify({ ...another, client: {} }))
        expect(nobody.status).toBe(422)
        expect(await nobody.json()).toMatchObject({ code: 'validation_failed' })
        expect((await post(`${address}/api/booking`, JSON.stringify(another))).status).toBe(201)
      },
    )

    test('verifies webhooks', async () => {
      const logged = vi.spyOn(console, 'log').mockImplementation(() => undefined)
      await expectVerification(address)
      expect(logged.mock.calls).toEqual([['event-1 booking.created: Haircut at …']])
      logged.mockRestore()
    })

    longTest('compiles with its own settings', async () => {
      for (const name of ['@types', 'undici-types']) {
        symlinkSync(join(project, 'node_modules', name), join(directory, 'node_modules', name))
      }
      const embeds = join(await projectWithEmbeds(), 'node_modules')
      for (const name of ['@holdfast/widget', '@holdfast/react', 'react', 'csstype'])
        symlinkSync(join(embeds, name), join(directory, 'node_modules', name))
      const command = [compiler, '--project', directory, '--incremental', 'false', '--types', 'node']
      expect(spawnSync(process.execPath, command, { encoding: 'utf8' }).stdout).toBe('')
    })
  })

  test.runIf(hasCurl && hasRegistry)(
    'with Next.js from the registry, built and started',
    patient,
    async () => {
      const port = await freePort()
      const address = `http://127.0.0.1:${port}`
      const [start = ''] = blocksAt(address)
      const directory = await copyOfExample('next')
      const before = readFileSync(join(directory, 'tsconfig.json'), 'utf8')
      const shell = startShell(start, {
        cwd: directory,
        variables: { ...ownShellVariables(), NEXT_TELEMETRY_DISABLED: '1' },
      })
      try {
        await shell.says(/Ready in/)
        await expectRefusals(address, await bookWithCurl(address, '-03-04T'))
        await expectVerification(address)
        if (chromiumPath !== undefined) await bookOnPage(address)
        await shell.says(/^event-1 booking\.created: Haircut at …$/m)
      } finally {
        await shell.stop()
      }
      expect(readFileSync(join(directory, 'tsconfig.json'), 'utf8')).toBe(before)
    },
  )
})

/** Books in the widget of the page, which leads to the page after it. */
async function bookOnPage(address: string): Promise<void> {
  const { page, errors, close } = await openVisitor(await sharedBrowser())
  await page.goto(address)
  for (const choice of [/^Haircut/, /Mitte/, /Anyone/]) await next(page, choice)
  await page.locator('.day.is-free').last().click()
  await page.locator('.time').first().click()
  await page
    .getByRole('status')
    .filter({ hasText: /^Held until / })
    .waitFor()
  await writeDetails(page)
  await next(page, 'Book now')
  await page.waitForURL(`${address}/thanks?booking_id=*`)
  await page.getByText(/^Haircut, /).waitFor()
  expect(errors).toEqual([])
  await close()
}

/** Puts only the installed client where an example looks for its packages. */
async function withClient(directory: string): Promise<string> {
  cpSync(join(await projectWithClient(), 'node_modules'), join(directory, 'node_modules'), {
    recursive: true,
  })
  return directory
}

type RouteHandler = (request: Request) => Promise<Response>

/** Serves the route handlers of an application, as Next.js does: functions of a Request. */
async function serveRoutes(directory: string): Promise<Server> {
  const handlers = new Map<string, RouteHandler>()
  for (const path of globSync('app/**/route.ts', { cwd: directory })) {
    const module = (await import(pathToFileURL(join(directory, path)).href)) as { POST: RouteHandler }
    handlers.set(path.replace(/^app(.*)\/route\.ts$/, '$1'), module.POST)
  }
  const server = createServer((request, response) => {
    void (async () => {
      const handler = handlers.get(request.url ?? '')
      const body = await buffer(request)
      const headers = new Headers(request.headers as Record<string, string>)
      const { method = '' } = request
      const asked = new Request(`http://localhost${request.url ?? ''}`, { method, headers, body })
      const answer = (await handler?.(asked)) ?? new Response(null, { status: 404 })
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      response.end(Buffer.from(await answer.arrayBuffer()))
    })().catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
