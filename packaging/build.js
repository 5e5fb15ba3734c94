// Builds the widget, its packages and the client, which are not committed. With --all, it also builds the server of the
// package. npm runs it after `npm ci` and before it packs (package.json: prepare, prepack). `npm test` runs it before
// anything else. It does nothing if no source has changed. Without the build tools (--omit=dev, --omit=optional) it
// builds as much as it can, except with --all. Plain JavaScript, because npm may run on an older Node than Holdfast needs.
const OLDEST_NODE = 26
const all = process.argv.includes('--all')

main()

async function main() {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
    leave(`widget and client need Node ${OLDEST_NODE} to be built; this is ${process.version}`)
    return
  }
  await attempt('the booking widget', async () => (await import('../widget/build.ts')).makeWidget())
  await attempt('the packages of the widget', async () => (await import('../embed/build.ts')).makeEmbeds())
  await attempt('the client for programs', async () => (await import('../client/build.ts')).makeClient())
  if (all) await attempt('the server', async () => (await import('./server-build.ts')).makeServer())
}

async function attempt(what, make) {
  try {
    if (await make()) console.log(`built: ${what}`)
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    leave(`${what} is not built, because the packages that build it are not installed`)
  }
}

function leave(reason) {
  console.warn(`holdfast: ${reason}`)
  if (all) process.exitCode = 1
}
