import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { readConfig, settings } from '../../src/base/config.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { emptyDirectory, project } from '../support/holdfast-process.ts'
import { inBash } from '../support/shell.ts'

const path = 'packaging/holdfast.service'
const unit = readFileSync(join(project, path), 'utf8')
const installed = '/opt/holdfast'

/** Returns every value of a setting of the unit, in order. */
function valuesOf(name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value ?? '')
}

const variables = Object.fromEntries(
  valuesOf('Environment').map((line) => line.split(/=(.*)/).slice(0, 2)),
) as Record<string, string>
const [program = '', script = '', ...args] = valuesOf('ExecStart')[0]?.split(' ') ?? []

test.runIf(process.platform === 'linux')('what the unit starts is in a checkout after npm ci', () => {
  expect(valuesOf('WorkingDirectory')).toEqual([installed])
  expect(program.startsWith(`${installed}/node_modules/.bin/`)).toBe(true)
  expect(Object.keys(packageJson.optionalDependencies)).toContain(`node-${process.platform}-${process.arch}`)
  expect(existsSync(join(project, program.slice(installed.length)))).toBe(true)
  expect(existsSync(join(project, script))).toBe(true)
  expect(args).toEqual(['serve'])
})

test('every variable that the unit sets is one that Holdfast reads, and has a value that it takes', () => {
  const known = Object.values(settings).map(({ variable }) => variable)
  expect(Object.keys(variables).filter((name) => !known.includes(name))).toEqual([])
  expect(readConfig(variables)).toMatchObject({
    environment: 'production',
    database: { engine: 'sqlite', file: `/var/lib/${valuesOf('StateDirectory')[0] ?? ''}/holdfast.db` },
  })
})

test('the unit waits longer than stopping takes, and lets the JIT of V8 work', () => {
  expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(10)
  expect(valuesOf('KillSignal')).toEqual(['SIGTERM'])
  expect(valuesOf('MemoryDenyWriteExecute')).toEqual(['no'])
})

test('the unit takes away what the server does not need', () => {
  expect(valuesOf('User')).not.toContain('root')
  expect(valuesOf('User')).toHaveLength(1)
  expect(valuesOf('NoNewPrivileges')).toEqual(['yes'])
  expect(valuesOf('ProtectSystem')).toEqual(['strict'])
  expect(valuesOf('CapabilityBoundingSet')).toEqual([''])
  expect(valuesOf('SystemCallErrorNumber')).toEqual(['EPERM'])
})

/** The root commands of docs/guides/self-hosting.md to install the unit. Only systemd itself can run it. */
describe('the commands that install the unit', () => {
  const blocks = blocksOf(documentAt('docs/guides/self-hosting.md')).map(({ text }) => text)
  const install = blocks.find((text) => text.includes('useradd')) ?? ''
  const user = valuesOf('User')[0] ?? ''

  test('put things where the unit looks for them', () => {
    expect(install).toMatch(new RegExp(`^useradd --system --home-dir /var/lib/${user} .* ${user}$`, 'm'))
    expect(install).toContain(`git clone <repository> ${installed} && cd ${installed} && npm ci --omit=dev`)
    expect(install).toMatch(new RegExp(`^chown root:${user} \\.env && chmod 0640 \\.env$`, 'm'))
    expect(valuesOf('EnvironmentFile')).toEqual([`-${installed}/.env`])
  })

  test('write a .env from which the server and the commands read the same', async () => {
    const directory = emptyDirectory()
    await inBash(
      install
        .split('\n')
        .filter((line) => line.startsWith('printf'))
        .join('\n') || 'false',
      {
        directory,
      },
    )
    expect(parseEnv(readFileSync(join(directory, '.env'), 'utf8'))).toMatchObject(variables)
  })

  test('run the program of the unit as its user', () => {
    const [run = ''] = blocks.filter((text) => text.endsWith('doctor') && text.includes('sudo'))
    const relative = program.slice(installed.length + 1)
    expect(run).toBe(`cd ${installed} && sudo -u ${user} ${relative} ${script} doctor`)
    expect(blocks).toContain(`node ${script} ${args.join(' ')}`)
  })
})

/** The superuser may write everywhere. As root, the line of the crontab is run as nobody. */
const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const runsAsOther =
  spawnSync(process.execPath, [join(project, 'bin/holdfast.js'), '--version'], { ...other, cwd: '/' })
    .status === 0
if (!runsAsOther) console.warn('\n*** SKIPPED: no other user can run the program here.\n')

test.runIf(runsAsOther)(
  'the line for cron in docs/guides/backups.md backs up, as the user of the unit',
  () => {
    const [line = ''] = blocksOf(documentAt('docs/guides/backups.md'))
      .map(({ text }) => text)
      .filter((text) => /^(\S+ ){5}holdfast /.test(text))
    const [, user, command = ''] = /^(?:\S+ ){5}(\S+) (.*)$/.exec(line) ?? []
    expect([user]).toEqual(valuesOf('User'))
    expect(command).not.toMatch(/(?<!\\)%/) // cron would treat the rest as the input of the command
    const data = emptyDirectory()
    chmodSync(dirname(data), 0o755)
    if (other.uid !== undefined) chownSync(data, other.uid, other.gid)
    const program = command
      .replaceAll('\\%', '%')
      .replaceAll(installed, project)
      .replaceAll(`/var/backups/${user ?? ''}`, data)
    const env = { PATH: process.env['PATH'], DATABASE_URL: `sqlite:${data}/holdfast.db` }
    const run = (text: string) => spawnSync('sh', ['-c', text], { ...other, cwd: '/', env, encoding: 'utf8' })
    expect(run(program.replace(/backup .*/, 'migrate'))).toMatchObject({ status: 0, stderr: '' })
    expect(run(program)).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^backed up to /) as string,
    })
    const [name = 'none'] = readdirSync(data).filter((entry) => /^holdfast-\d{8}T\d{6}Z\.db$/.test(entry))
    expect(statSync(join(data, name)).uid).toBe(other.uid ?? process.getuid?.())
  },
)

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
if (!hasSystemd)
  console.warn('\n*** SKIPPED: there is no systemd-analyze here, so the unit is not verified.\n')

const units = ['holdfast.service', 'holdfast-backup.service', 'holdfast-backup.timer']

test('the unit of the backup runs as the user of the server, with its settings', () => {
  const backup = readFileSync(join(project, 'packaging/holdfast-backup.service'), 'utf8')
  for (const name of ['User', 'Group', 'WorkingDirectory', 'EnvironmentFile', 'UMask']) {
    const [value] = valuesOf(name)
    expect(backup).toContain(`\n${name}=${value ?? ''}\n`)
  }
  for (const value of valuesOf('Environment')) expect(backup).toContain(`\nEnvironment=${value}\n`)
})

test.runIf(hasSystemd)('systemd finds no fault in the units', () => {
  // systemd checks that the program exists, so the copies name the one of this checkout
  const directory = emptyDirectory()
  const copies = units.map((name) => {
    const text = readFileSync(join(project, 'packaging', name), 'utf8')
    writeFileSync(join(directory, name), text.replaceAll(installed, project))
    return join(directory, name)
  })
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', ...copies], { encoding: 'utf8' })
  expect(verified.stderr).toBe('')
  expect(verified.status).toBe(0)
})

test.runIf(hasSystemd).each(units.slice(0, 2))('systemd calls %s well protected', (name) => {
  const rated = spawnSync(
    'systemd-analyze',
    ['security', '--offline=true', '--threshold=20', join(project, 'packaging', name)],
    {
      encoding: 'utf8',
    },
  )
  expect(rated.stdout).toMatch(/Overall exposure level for \S+: [01]\.\d (OK|SAFE)/)
  expect(rated.status).toBe(0)
})
