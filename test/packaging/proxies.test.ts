import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, fetch } from 'undici'
import { describe, expect, test } from 'vitest'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { startHaproxy } from '../support/haproxy.ts'
import { haproxyProgram } from '../support/haproxy-program.ts'
import { emptyDirectory } from '../support/holdfast-process.ts'
import { selfSigned } from '../support/self-signed.ts'
import { startServer } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { spawnWatched } from '../support/watched.ts'

/*
 * The configurations of docs/guides/self-hosting.md that put TLS in front of a server. Each runs if its program is
 * installed.
 */

const blocks = blocksOf(documentAt('docs/guides/self-hosting.md'))
const textIn = (language: string) => blocks.find((block) => block.language === language)?.text ?? ''

/** The files of a proxy, and its start command. */
interface Proxy {
  name: string
  program: string | null
  configuration: (directory: string, port: number, server: string) => string
  args: (file: string) => string[]
}

/** Directories that nginx would create below /var. */
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

/** Debian installs servers outside the PATH of users. */
const installed = (program: string) =>
  [program, `/usr/sbin/${program}`].find((path) => !spawnSync(path, ['-v']).error) ?? null

const proxies: Proxy[] = [
  {
    name: 'haproxy',
    program: haproxyProgram(),
    configuration: (directory, port, server) =>
      textIn('haproxy')
        .replace(':443', `127.0.0.1:${port}`)
        .replace('/etc/haproxy/book.example.com.pem', `${directory}/both.pem`)
        .replace('127.0.0.1:3000', server),
    args: (file) => ['-db', '-f', file],
  },
  {
    name: 'nginx',
    program: installed('nginx'),
    configuration: (directory, port, server) =>
      `daemon off; pid ${directory}/pid; error_log stderr; events {} http { access_log off;\n` +
      temporary.map((name) => `${name}_temp_path ${directory}/${name};\n`).join('') +
      textIn('nginx')
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replace(/\/etc\/letsencrypt\S+fullchain\.pem/, `${directory}/cert.pem`)
        .replace(/\/etc\/letsencrypt\S+privkey\.pem/, `${directory}/key.pem`)
        .replace('127.0.0.1:3000', server) +
      '\n}\n',
    args: (file) => ['-c', file],
  },
  {
    name: 'caddy',
    program: installed('caddy'),
    configuration: (directory, port, server) =>
      `{\n\tadmin off\n\tauto_https disable_redirects\n}\n` +
      textIn('caddyfile')
        .replace(
          'book.example.com {',
          `https://127.0.0.1:${port} {\n\ttls ${directory}/cert.pem ${directory}/key.pem`,
        )
        .replace('127.0.0.1:3000', server),
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
]

describe.each(proxies)('$name before a server', ({ name, program, configuration, args }) => {
  if (program === null)
    console.warn(`\n*** SKIPPED: there is no ${name} here, so its configuration is not run.\n`)

  test.runIf(program !== null)('speaks TLS, tells the client, and keeps the metrics inside', async () => {
    const database = await createTestDatabase('sqlite')
    const server = await startServer(database.url, { TRUST_PROXY: '127.0.0.1/32', LOG_LEVEL: 'info' })
    const directory = emptyDirectory()
    writeFileSync(join(directory, 'cert.pem'), selfSigned.cert)
    writeFileSync(join(directory, 'key.pem'), selfSigned.key)
    writeFileSync(join(directory, 'both.pem'), `${selfSigned.cert}\n${selfSigned.key}\n`)
    const port = await freePort()
    const file = join(directory, 'configuration')
    writeFileSync(file, `${configuration(directory, port, new URL(server.address).host)}\n`)
    const proxy = spawnWatched(program ?? '', args(file))
    const ended = once(proxy, 'exit')
    let said = ''
    proxy.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
    const get = (path: string, accept = 'text/html', headers = {}) =>
      fetch(`https://127.0.0.1:${port}${path}`, { dispatcher, headers: { accept, ...headers } })
    try {
      const page = await eventually(`${name} in use`, async () => {
        if (proxy.exitCode !== null) throw new Error(`${name} ended:\n${said}`)
        const reply = await get('/').catch(() => undefined)
        return reply?.status === 200 ? reply : undefined
      })
      expect(await page.text()).toContain('Nothing here')
      const claimed = { 'x-forwarded-proto': 'http', 'x-forwarded-for': '203.0.113.9' }
      for (const headers of [{}, claimed])
        expect((await get('/', 'text/html', headers)).headers.get('strict-transport-security')).not.toBeNull()
      for (const path of ['/metrics', '/%6detrics', '/metrics?x'])
        expect([path, (await get(path)).status]).toEqual([path, 404])
      expect((await fetch(`${server.address}/metrics`)).status).toBe(200)
      expect((await get('/readyz', '*/*')).status).toBe(200)
    } finally {
      proxy.kill('SIGTERM')
      await ended
      await dispatcher.destroy()
      await server.stop()
      await database.drop()
    }
  })
})

test.runIf(haproxyProgram() !== null)(
  'HAProxy before several servers keeps the metrics inside and tells how clients come',
  async () => {
    const database = await createTestDatabase('sqlite')
    const server = await startServer(database.url, { TRUST_PROXY: '127.0.0.1/32' })
    const balancer = await startHaproxy(haproxyProgram() ?? '', [Number(new URL(server.address).port)])
    for (const [path, status] of Object.entries({ '/readyz': 200, '/metrics': 404, '/%6Detrics': 404 }))
      expect([path, (await fetch(balancer.address + path)).status]).toEqual([path, status])
    expect((await fetch(`${server.address}/%6Detrics`)).status).toBe(200)
    const headers = { 'x-forwarded-proto': 'https' } // sent by a client, on a plain connection
    const { headers: plain } = await fetch(`${balancer.address}/`, { headers })
    expect(plain.get('strict-transport-security')).toBeNull()
    await balancer.stop()
    await server.stop()
    await database.drop()
  },
)

test('every configuration names the server, what clients see, and keeps the metrics inside', () => {
  for (const language of ['caddyfile', 'nginx', 'haproxy']) {
    const text = textIn(language)
    expect(text).toContain('127.0.0.1:3000')
    expect(text).toContain('/metrics')
    expect(text).toContain('book.example.com')
  }
  // Caddy does so by itself
  expect(textIn('nginx')).toContain('X-Forwarded-For $remote_addr')
  expect(textIn('nginx')).toContain('X-Forwarded-Proto $scheme')
  expect(textIn('haproxy')).toContain('set-header X-Forwarded-For %[src]')
  expect(textIn('haproxy')).toContain('set-header X-Forwarded-Proto https')
})
