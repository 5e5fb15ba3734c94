import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isLong } from '../support/long.ts'

const project = resolve(import.meta.dirname, '../..')

/** A replacement for src/main.ts. Prints its input and ends as its first argument says. */
const PROGRAM = `
const [command, ...rest]: string[] = process.argv.slice(2)
if (command === 'report') console.log(JSON.stringify({ node: process.version, rest }))
if (command === 'exit') process.exit(Number(rest[0]))
if (command === 'die') process.kill(process.pid, 'SIGKILL')
if (command === 'wait') {
  process.on('SIGTERM', () => process.exit(7))
  setInterval(() => {}, 1000)
  console.log('ready')
}
`

interface OldNode {
  name: string
  command: string
  options: string[]
}

/** This Node with the version number of an older one, so that the launcher's fallback is tested everywhere. */
const pretended: OldNode = {
  name: 'a Node that says it is 20.1.0',
  command: process.execPath,
  options: [
    '--import',
    'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})',
  ],
}

/** Really older Nodes on the system. Only they prove that the launcher's syntax is old enough. */
function installedOldNodes(): OldNode[] {
  return ['/usr/bin/node', '/usr/local/bin/node'].flatMap((command) => {
    const version = spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout as string | null
    const major = Number.parseInt(version?.slice(1) ?? '', 10)
    return major < 26 ? [{ name: `${command} ${String(version).trim()}`, command, options: [] }] : []
  })
}

const installed = installedOldNodes()
if (installed.length === 0) {
  console.warn(
    '\n*** SKIPPED: no Node older than 26 in /usr/bin or /usr/local/bin.\n' +
      '*** The launcher is tested with a pretended version only; that an old Node can read it is not shown.\n',
  )
}

/** A really older Node makes the test with a pretended one redundant. */
const tried = isLong || installed.length === 0 ? [pretended, ...installed] : installed.slice(0, 1)

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-launcher-'))
  cpSync(join(project, 'bin'), join(root, 'bin'), { recursive: true })
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'src/main.ts'), PROGRAM)
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
})

afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

/** Puts the running Node where npm would have put the bundled one. */
function bundleNode(version = process.versions.node): void {
  const home = join(root, 'node_modules', `node-linux-${process.arch}`)
  mkdirSync(join(home, 'bin'), { recursive: true })
  writeFileSync(join(home, 'package.json'), JSON.stringify({ version }))
  symlinkSync(process.execPath, join(home, 'bin/node'))
}

function launch(node: OldNode, args: string[], from = root) {
  const command = [...node.options, join(from, 'bin/holdfast.js'), ...args]
  return spawnSync(node.command, command, { encoding: 'utf8', cwd: tmpdir() })
}

test('Node 26 runs the program itself', () => {
  const ran = launch({ name: 'this Node', command: process.execPath, options: [] }, ['report', 'a b', '--c'])
  expect(ran).toMatchObject({ status: 0, stderr: '' })
  expect(JSON.parse(ran.stdout)).toEqual({ node: process.version, rest: ['a b', '--c'] })
})

test('what was compiled is kept beside the packages, for the next start', () => {
  const node = { name: 'this Node', command: process.execPath, options: [] }
  mkdirSync(join(root, 'node_modules'))
  expect(launch(node, ['report'])).toMatchObject({ status: 0, stderr: '' })
  const kept = globSync('node_modules/.cache/holdfast/*/*', { cwd: root })
  expect(kept.length).toBeGreaterThan(0)
  expect(launch(node, ['report'])).toMatchObject({ status: 0, stderr: '' })
})

test('where nothing can be kept, the program runs all the same', () => {
  const node = { name: 'this Node', command: process.execPath, options: [] }
  writeFileSync(join(root, 'node_modules'), 'not a directory')
  expect(launch(node, ['report'])).toMatchObject({ status: 0, stderr: '' })
})

// The bundled Node exists only for Linux.
describe.runIf(process.platform === 'linux').each(tried)('on $name', (node) => {
  test('the bundled Node runs the program with the same arguments and adds no output', () => {
    bundleNode()
    const ran = launch(node, ['report', 'a b', '--c'])
    expect(ran).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(ran.stdout)).toEqual({ node: process.version, rest: ['a b', '--c'] })
  })

  test('the exit code of the program becomes that of the launcher', () => {
    bundleNode()
    expect(launch(node, ['exit', '3']).status).toBe(3)
  })

  test('a program killed by a signal makes the launcher die by the same signal', () => {
    bundleNode()
    expect(launch(node, ['die'])).toMatchObject({ status: null, signal: 'SIGKILL' })
  })

  test('a signal to the launcher reaches the program, whose own ending counts', async () => {
    bundleNode()
    const launcher = spawn(node.command, [...node.options, join(root, 'bin/holdfast.js'), 'wait'])
    await once(launcher.stdout, 'data')
    launcher.kill('SIGTERM')
    expect(await once(launcher, 'exit')).toEqual([7, null])
  })

  test('without a bundled Node a message says what to do', () => {
    const ran = launch(node, ['report'])
    expect(ran).toMatchObject({ status: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^Holdfast needs Node 26 or newer; this is v\d+\.\d+\.\d+\.\nInstall Node 26/)
    expect(ran.stderr).toContain('optional\ndependencies')
  })

  test('a bundled Node that is itself too old is not started, which would go on without end', () => {
    bundleNode('20.1.0')
    expect(launch(node, ['report'])).toMatchObject({ status: 1, stdout: '' })
  })

  test('the checkout itself answers --version', () => {
    const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string }
    expect(launch(node, ['--version'], project)).toMatchObject({ status: 0, stdout: `${manifest.version}\n` })
  })
})
