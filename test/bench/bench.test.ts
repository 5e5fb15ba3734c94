/** @module-tag long */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { planOf } from '../../bench/run.ts'
import { operations } from '../../bench/operations.ts'
import { blocksOf, documentAt, tableUnder } from '../docs/documents.ts'
import { findWholeChromium } from '../support/chromium.ts'
import { isWhole, longTest } from '../support/long.ts'
import { emptyDirectory, project } from '../support/holdfast-process.ts'

/** Runs the benchmark like `npm run bench`. */
function bench(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(project, 'bench/run.ts'), ...args],
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

const short = ['--engine', 'sqlite', '--rounds', '1', '--seconds', '0.1', '--at-once', '2']
const patient = { timeout: 300_000 }

/** All of them take half a minute. */
const tried = isWhole ? operations : operations.filter(({ name }) => ['hold', 'day'].includes(name))

longTest('npm run bench measures operations, with and without a key, and none fails', patient, async () => {
  const chosen = tried.flatMap(({ name }) => ['--operation', name])
  const { code, stdout, stderr } = await bench(...short, ...chosen)
  expect({ code, stderr, failed: /FAILED.*/.exec(stdout)?.[0] }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  for (const { name, keyed } of tried) {
    const figures = lines.filter(([first]) => first === name)
    expect(
      figures.map((line) => line.includes('yes')),
      name,
    ).toEqual(keyed ? [false, true] : [false])
    for (const line of figures) {
      const [, atOnce, , perSecond] = line.filter((cell) => cell !== 'yes')
      expect([name, atOnce, Number(perSecond) >= 0]).toEqual([name, '2', true])
    }
  }
})

longTest('another checkout is measured in turns, and compared', patient, async () => {
  const { code, stdout, stderr } = await bench('against', project, ...short, '--operation', 'day')
  expect({ code, stderr, failed: /FAILED.*/.exec(stdout)?.[0] }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^day .*\nday .* other; this × \d+\.\d\d$/m)
})

longTest(
  'operations are measured among past bookings, and 1,000 clients want one slot',
  patient,
  async () => {
    const stored = ['--stored', '0', '--stored', '500']
    const grown = await bench(...short, ...stored, '--operation', 'list')
    expect({ code: grown.code, stderr: grown.stderr }).toEqual({ code: 0, stderr: '' })
    expect(grown.stdout).toMatch(/^list +2 +0 .*\nlist +2 +500 /m)
    const wanted = await bench('hot-slot', '--engine', 'sqlite', '--rounds', '1')
    expect({ code: wanted.code, stderr: wanted.stderr }).toEqual({ code: 0, stderr: '' })
    expect(wanted.stdout).toMatch(/'sqlite' +│ 1000 +│ '1' +│ '999' +│/)
  },
)

longTest('a quiet business is measured alone and beside a busy one', patient, async () => {
  const { code, stdout, stderr } = await bench(
    'quiet',
    '--engine',
    'sqlite',
    '--rounds',
    '1',
    '--seconds',
    '0.2',
    '--per-second',
    '100',
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/'sqlite' +│ 'this' +│ 'show' +│ '\d+\.\d' +│ '\d+\.\d' +│ '\d+\.\d'/)
})

longTest('bookings are measured beside mail servers of all kinds', patient, async () => {
  const { code, stdout, stderr } = await bench(
    'mails',
    '--engine',
    'sqlite',
    '--rounds',
    '1',
    '--seconds',
    '0.2',
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const rows = [...stdout.matchAll(/'sqlite' +│ '([a-z0-9 ]+)' +│ '\d+\.\d' +│ '\d+\.\d' +│ 0 +│ (\d+)/g)]
  expect(rows.map(([, name]) => name)).toEqual(['none', 'quick', 'takes 2 s a mail', 'silent', 'away'])
  expect(Number(rows[1]?.[2])).toBeGreaterThan(0)
})

longTest(
  'a start, and the memory of an idle server, are measured in turns with another',
  patient,
  async () => {
    const { code, stdout, stderr } = await bench(
      ...['start', 'against', project, '--engine', 'sqlite', '--rounds', '1'],
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const checkout of ['this', 'other'])
      expect(stdout).toMatch(new RegExp(`'sqlite' +│ '${checkout}' +│ [1-9]\\d+ +│ [1-9]\\d+ +│`))
  },
)

test.skipIf(!isWhole || findWholeChromium() === undefined)(
  'the calendar of a large salon is opened and dragged in',
  patient,
  async () => {
    const { code, stdout, stderr } = await bench(
      'calendar',
      ...['--engine', 'sqlite', '--rounds', '0.2', '--seconds', '0.5'],
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/'sqlite' +│( '\d+' +│){3}/)
  },
)

test.skipIf(!isWhole || findWholeChromium() === undefined)(
  'a widget shows its first times in',
  patient,
  async () => {
    const { code, stdout, stderr } = await bench('widget', ...['--engine', 'sqlite', '--rounds', '0.1'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/'sqlite' +│( '\d+' +│){2} 1 +│/)
  },
)

test('a million businesses are reckoned over several databases, as the guide to scaling shows', async () => {
  const { code, stdout, stderr } = await bench('growth')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const guide = tableUnder(documentAt('docs/guides/scaling.md'), '## What one PostgreSQL carries')
  expect(guide).toHaveLength(4)
  const rounded = (...texts: (string | undefined)[]) =>
    texts.map((text) => Number(Number.parseFloat(text ?? '').toPrecision(2)))
  for (const [databases = '', perSecond, processors, servers, year, written, largest] of guide) {
    const line = new RegExp(`^│ \\d +│ ${databases} +│ '.*`, 'm').exec(stdout)?.[0] ?? ''
    const cells = line.replaceAll(/['│]/g, ' ').trim().split(/ +/)
    const [, , bookings, , hottest, , used, count, connections, terabytes, wal] = cells
    expect(servers).toBe(`${count}, ${connections}`)
    const shown = rounded(perSecond, processors, year, written, largest)
    expect(shown).toEqual(rounded(bookings, used, terabytes, wal, hottest))
  }
  const limits = [...stdout.matchAll(/^One database meets (\w+) at [\d.]+ million/gm)].map(([, name]) => name)
  expect(limits.toSorted()).toEqual(['connections', 'processors', 'terabytes', 'walMegabytesPerSecond'])
})

test.each([
  [['--operation', 'shows'], '--operation takes session, hold'],
  [['--engine', 'mysql'], '--engine takes sqlite, postgres, two-servers; not mysql'],
  [['--at-once', 'many'], '--at-once takes a number above 0; not many'],
  [['against'], 'against takes the path of another checkout'],
  [['nonsense'], '"nonsense" is not understood'],
])('%j is refused with what there is', (args, reason) => {
  expect(() => planOf(args)).toThrow(reason)
})

test.each([
  [['--operation', 'shows'], /^--operation takes session, hold/],
  [['against', '/nowhere'], /^\/nowhere is no checkout of Holdfast/],
  [['webhooks', 'mysql'], /^the first argument takes sqlite, postgres; not mysql/],
  [['search', 'sqlite', 'many'], /^the second argument takes a number above 0; not many/],
  [['growth', 'faster'], /^"faster" is not understood/],
])('%j measures nothing, and ends with 2', async (args, reason) => {
  const { code, stdout, stderr } = await bench(...args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(reason)
  expect(stderr).toMatch(/\nnpm run bench -- help .*\n$/)
})

test('help lists what there is', async () => {
  const { code, stdout, stderr } = await bench('help')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^npm run bench .*\n {2}against PATH /)
})

longTest('what is interrupted leaves no server and no file behind', patient, async () => {
  const directory = emptyDirectory()
  const child = execFile(process.execPath, [join(project, 'bench/run.ts'), 'start', '--engine', 'sqlite'], {
    env: { ...process.env, TMPDIR: directory },
  })
  const exited = once(child, 'exit')
  // the server has its database
  const hasDatabase = () =>
    readdirSync(directory, { recursive: true }).some((name) => /bench\.db$/.test(String(name)))
  await expect.poll(hasDatabase, patient).toBe(true)
  child.kill('SIGINT')
  expect(await exited).toEqual([130, null])
  expect(readdirSync(directory)).toEqual([])
})

test('the commands of docs/benchmark.md are understood', () => {
  const { text = '' } =
    blocksOf(documentAt('docs/benchmark.md')).find((block) => block.text.includes('against')) ?? {}
  const commands = text.split('\n').map((line) => line.replace(/ +#.*/, ''))
  expect(commands).toHaveLength(7)
  for (const command of commands.filter((one) => !/ help$|^git /.test(one))) {
    const args = command.replace(/npm run bench -- (quiet )?/, '').split(' ')
    expect(planOf(args).rounds, command).toBeGreaterThan(0)
  }
  expect(planOf(['against', '../holdfast-before']).against).toBe('../holdfast-before')
})
