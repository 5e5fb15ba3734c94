import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { type Config, misspelledVariables, readConfig } from '../base/config.ts'
import { OperatorError } from '../base/errors.ts'
import { isPublic } from '../base/public-url.ts'
import { formatInstant, type Instant, instantFromMs, toMs } from '../base/instants.ts'
import { openTracing } from '../base/tracing.ts'
import type { Context } from '../bookings/context.ts'
import { bookingPageKey } from '../access/page-key.ts'
import { type FirstOwner, firstOwnerUrl, offerFirstOwner } from '../access/first-owner.ts'
import { oldestBusiness } from '../catalogue/business.ts'
import { type DemoWorld, makeDemoWorldIfEmpty } from '../catalogue/demo-world.ts'
import { pause } from '../database/database.ts'
import { refuseUnfinishedSchema } from '../database/expected-schema.ts'
import { refuseMissingOverlapRules } from '../database/overlap-constraints.ts'
import { developmentFix, developmentRisks } from '../operate/doctor-rules.ts'
import { createContext } from '../operate/open.ts'
import { mailRoute } from '../mails/mail-route.ts'
import { mailDirectory } from '../mails/send.ts'
import { checkDeposits } from '../payments/payment.ts'
import type { App } from '../server.ts'
import { type CliCommand, commandIO, logReplacement, writeLines } from './command-line.ts'
import { demoLines } from './demo.ts'
import { boundMemory, dropWhatStartLeft } from './memory.ts'

/** The state of the database: demo businesses just created, or the first of the existing businesses. */
interface Found {
  world: DemoWorld | undefined
  first: { id: string; name: string; pageKey: string | undefined } | undefined
}

/** Tested versions of the OpenTelemetry SDK. Tracing needs them installed next to Holdfast. */
export const tracingPackages = {
  '@opentelemetry/context-async-hooks': '3.1.0',
  '@opentelemetry/core': '3.1.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.301.0',
  '@opentelemetry/resources': '3.1.0',
  '@opentelemetry/sdk-trace': '3.1.0',
}

/** Time after which a stopping process exits, even if something hangs. */
const maxStopMs = 9_800
/** Longest wait for the collector when stopping. Unsent spans are then lost. */
const maxFlushMs = 1_000
const noFlush = () => Promise.resolve()
const weekMs = 7 * 86_400_000
const quarterHourMs = 900_000
const widgetDirectory = resolve(import.meta.dirname, '../../widget')

export function registerServe(program: CliCommand): void {
  program
    .command('serve')
    .description('run the server (npm start)')
    .option('--no-demo', 'add no demo businesses to an empty database; start with your own')
    .examples('serve', 'serve --no-demo')
    .addHelpText(
      'after',
      '\nWith PostgreSQL, on port 8080:\n  $ PORT=8080 DATABASE_URL=postgres://localhost/holdfast holdfast serve',
    )
    .action(serve)
}

async function serve({ demo }: { demo: boolean }): Promise<void> {
  const variables = commandIO().variables()
  const context = await createContext(readConfig(variables), logReplacement())
  for (const warning of misspelledVariables(variables)) context.log.warn(warning)
  const stopTracing = await startTracing(context)
  const widget = whenFirstAsked(() => buildWidget(context))
  const { app, ...found } = await start(context, { widgetBuilt: widget, demo })
  for (const { detail, fix } of await checkDeposits(context)) context.log.warn({ fix }, detail)
  stopOnSignal(app, stopTracing)
  const address = await listen(app)
  boundMemory()
  const route = mailRoute(context.config)
  if (route === 'off') context.log.warn('SMTP_URL is not set: clients get no emails')
  if (route === 'files') {
    context.log.info(
      { directory: mailDirectory(context.config) },
      'SMTP_URL is not set: emails are written to files',
    )
  }
  context.log.info({ address, engine: context.db.engine, environment: context.config.environment }, 'serving')
  if (context.config.environment === 'development' && isPublic(context.config))
    context.log.warn({ fix: developmentFix }, developmentRisks)
  const owner = await offerFirstOwner(context, printsLinks(context))
  writeLines(['', ...welcome(context, address, { ...found, owner }), ''])
  await widget()
  await dropWhatStartLeft()
}

function whenFirstAsked(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= work())
}

/**
 * Sends spans to OTEL_EXPORTER_OTLP_ENDPOINT if it is set and the SDK is installed. Without the SDK, logs the
 * packages to install. Returns a function that sends the last spans.
 */
async function startTracing({ config, log }: Context): Promise<() => Promise<void>> {
  if (config.otlpEndpoint === '') return noFlush
  const sdk = await loadSdk()
  if (!sdk) {
    const packages = Object.entries(tracingPackages).map(([name, version]) => `${name}@${version}`)
    log.warn(
      { install: `npm install --no-save ${packages.join(' ')}` },
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the OpenTelemetry SDK is not installed: no traces are sent',
    )
    return noFlush
  }
  const logFailure = (error: unknown) => {
    log.warn({ err: error }, 'traces could not be sent')
  }
  sdk.core.setGlobalErrorHandler(logFailure)
  const { resourceFromAttributes, detectResources, envDetector } = sdk.resources
  const own = resourceFromAttributes({ 'service.name': 'holdfast', 'service.version': packageJson.version })
  const provider = new sdk.trace.TracerProvider({
    // reads OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES; other detectors would send command lines and host
    // names
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(config, sdk.trace),
    // the exporter reads the standard variables itself
    spanProcessors: [new sdk.trace.BatchSpanProcessor({ exporter: new sdk.exporter.OTLPTraceExporter() })],
  })
  sdk.api.context.setGlobalContextManager(new sdk.hooks.AsyncLocalStorageContextManager().enable())
  sdk.api.propagation.setGlobalPropagator(new sdk.core.W3CTraceContextPropagator())
  sdk.api.trace.setGlobalTracerProvider(provider)
  await openTracing()
  log.info('traces are sent to OTEL_EXPORTER_OTLP_ENDPOINT')
  return () => Promise.race([provider.shutdown().catch(logFailure), pause(maxFlushMs)])
}

/** Returns undefined if a package is missing. */
async function loadSdk() {
  try {
    const [api, hooks, core, exporter, resources, trace] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace'),
    ])
    return { api, hooks, core, exporter, resources, trace }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

function samplerOf(
  { tracesSampler, tracesSamplerArg }: Config,
  sdk: typeof import('@opentelemetry/sdk-trace'),
) {
  const roots = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(tracesSamplerArg),
  }
  const name = tracesSampler.replace('parentbased_', '') as keyof typeof roots // every name without the prefix is a key of roots
  const root = roots[name]()
  return tracesSampler === name ? root : new sdk.ParentBasedSampler({ root })
}

/**
 * Builds the widget of a checkout if it is missing or its sources have changed. A package or image contains
 * the built widget without its sources. Never fails: everything else works without the widget.
 */
async function buildWidget({ log }: Context): Promise<void> {
  const isBuilt = () => existsSync(join(widgetDirectory, 'dist/v1.js'))
  const sources = join(widgetDirectory, 'build.ts')
  if (!existsSync(sources)) {
    if (!isBuilt()) log.warn('the booking widget is missing here; everything else works')
    return
  }
  try {
    // a computed name, because an installed package has no such file
    const { makeWidget } = (await import(sources)) as { makeWidget: () => Promise<boolean> }
    if (await makeWidget()) log.info('the booking widget was built')
  } catch (error) {
    const what = isBuilt() ? 'is older than its sources' : 'is missing'
    log.warn(
      { err: error },
      `the booking widget ${what} and cannot be built here: run npm ci, without --ignore-scripts, as the owner of this directory; everything else works`,
    )
  }
}

async function start(
  context: Context,
  { widgetBuilt, demo }: { widgetBuilt: () => Promise<void>; demo: boolean },
): Promise<Found & { app: App }> {
  try {
    context.db.lockForServer()
    const ran = await context.db.migrate()
    await refuseUnfinishedSchema(context.db)
    await refuseMissingOverlapRules(context.db)
    if (ran.length > 0) context.log.info({ migrations: ran }, 'the schema was brought up to date')
    const seeds = demo && context.config.environment === 'development'
    const world = seeds ? await makeDemoWorldIfEmpty(context) : undefined
    const { createApp } = await import('../server.ts') // loaded late, so that "holdfast --help" does not load the server
    return { world, first: await findFirst(context), app: await createApp(context, { widgetBuilt }) }
  } catch (error) {
    await context.db.close()
    throw error
  }
}

async function findFirst(context: Context): Promise<Found['first']> {
  const first = await oldestBusiness(context)
  return first && { id: first.id, name: first.name, pageKey: await bookingPageKey(context, first.id) }
}

/**
 * Stops the server on SIGTERM and SIGINT. Ignores a second signal, because a launcher may pass on the one
 * from the terminal.
 */
function stopOnSignal(app: App, stopTracing: () => Promise<void>): void {
  const { log } = app.context
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping: requests in flight finish')
    setTimeout(() => {
      log.error('stopping took too long')
      process.exit(1)
    }, maxStopMs).unref()
    app
      .stop()
      .then(stopTracing)
      .then(
        () => {
          log.info('stopped')
          process.exit(0)
        },
        (error: unknown) => {
          log.error({ err: error }, 'stopping failed')
          process.exit(1)
        },
      )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

async function listen(app: App): Promise<string> {
  try {
    return await app.listen()
  } catch (error) {
    await app.stop()
    const { host, port } = app.context.config
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') {
      throw new OperatorError(
        `PORT: another program is already listening on ${host}:${port}. Set PORT to a free port.`,
      )
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new OperatorError(`HOST and PORT: cannot listen on ${host}:${port} (${code}).`)
    }
    throw error
  }
}

function welcome(
  context: Context,
  address: string,
  { world, first, owner }: Found & { owner: FirstOwner },
): string[] {
  const base = context.config.publicUrl || address // the public address: several servers run behind a load balancer
  const head = [
    `Holdfast serves ${address}`,
    `API reference  ${base}/docs`,
    ...(world || first || owner ? consoleLines(base, owner) : []),
  ]
  const pageOf = (key: string, name: string) => [
    `Booking page   ${base}/book/${key}`,
    `               (of ${name})`,
  ]
  if (world) {
    return [
      ...head,
      ...world.businesses.slice(0, 1).flatMap((business) => pageOf(business.publishable_key, business.name)),
      '',
      'The database was empty, so it now contains demo businesses: nothing here is real. To start with your own business:',
      ...ownBusinessLines(context),
      '',
      'The demo keys are not shown again (npx holdfast demo creates new ones):',
      '',
      ...demoLines(world),
      '',
      'To make a first booking, paste these lines into another terminal.',
      '',
      ...firstBookingLines(address, world, context.clock.now()),
    ]
  }
  if (first) {
    // in production this output is the log, so it contains no keys
    if (context.config.environment === 'production') return head
    return [
      ...head,
      ...(first.pageKey === undefined ? [] : pageOf(first.pageKey, first.name)),
      `Keys are shown only once. To create one for ${first.name}: npx holdfast key create --business ${first.id}`,
    ]
  }
  return [
    ...head,
    '',
    owner && 'link' in owner
      ? 'There is no business yet. Create one with the link above, or here with its booking page and keys:'
      : 'There is no business yet. Create one with its booking page and keys:',
    '  npx holdfast setup',
    'For a platform with many businesses, start with: npx holdfast hub create "My platform"',
  ]
}

/**
 * Returns the names of the database files. If the write-ahead log stays behind, SQLite restores the demo from
 * it.
 */
function demoFiles(file: string): string {
  return `the files ${file}, ${file}-wal and ${file}-shm`
}

/** Explains how to start without the demo. */
function ownBusinessLines({ config }: Context): string[] {
  const emptied =
    config.database.engine === 'sqlite'
      ? `delete the demo (${demoFiles(config.database.file)})`
      : 'set DATABASE_URL to an empty database'
  return [`  stop this server, ${emptied}, and start with: npm start -- --no-demo`]
}

/**
 * Returns true if the output may contain login links. It may not if others can reach the server and read its
 * log, as under systemd or in a container.
 */
function printsLinks({ config }: Context): boolean {
  const { stdout } = commandIO()
  const isOurs = config.environment === 'development' && !isPublic(config)
  return isOurs || ('isTTY' in stdout && stdout.isTTY === true)
}

/** Shows the address of the console, and how to create the first owner if nobody can log in. */
function consoleLines(base: string, owner: FirstOwner): string[] {
  if (!owner) return [`Console        ${base}/console`]
  if ('link' in owner) {
    return [
      `Console        ${firstOwnerUrl(base, owner.link)}`,
      '               (nobody can log in yet: this link adds the first owner; it works once, within 30 minutes)',
    ]
  }
  const command = owner.couldLink ? 'user first' : 'user create EMAIL --role owner --business "NAME"'
  const does = owner.couldLink ? 'print a link for the first owner' : 'add an owner'
  return [
    `Console        ${base}/console`,
    `               (nobody can log in yet; to ${does}: npx holdfast ${command})`,
  ]
}

/**
 * Returns shell lines that book with a publishable key, then show and cancel the booking. They need only curl
 * and sed.
 */
function firstBookingLines(address: string, world: DemoWorld, now: Instant): string[] {
  const business = world.businesses[0]
  const location = business?.locations.find(({ name }) => name === 'Online')
  const service = business?.services.find(({ name }) => name === 'Haircut')
  if (!business || !location || !service) throw new Error('the demo world lacks its first business')
  const startsAt = instantFromMs(Math.ceil((toMs(now) + weekMs) / quarterHourMs) * quarterHourMs)
  const hold = JSON.stringify({
    service_id: service.id,
    location_id: location.id,
    starts_at: formatInstant(startsAt, location.timezone),
  })
  const json = `-H 'Content-Type: application/json'`
  const bearer = (token: string) => `-H "Authorization: Bearer ${token}"`
  const take = (field: string) => `sed -E 's/.*"${field}":"([^"]+)".*/\\1/'`
  return [
    `API=${address}/api/v1`,
    `TOKEN=$(curl -s -X POST $API/session ${bearer(business.publishable_key)} | ${take('session_token')})`,
    `HOLD=$(curl -s $API/bookings/hold ${bearer('$TOKEN')} ${json} -d '${hold}' | ${take('hold_id')})`,
    `curl -s -w '\\n' $API/bookings ${bearer('$TOKEN')} ${json} -d '{"hold_id":"'$HOLD'","client":{"first_name":"Ada","last_name":"Lovelace","email":"ada@example.com"}}'`,
    `curl -s -w '\\n' $API/bookings/$HOLD ${bearer(business.business_key)}`,
    `curl -s -w '\\n' -X DELETE $API/bookings/$HOLD ${bearer(business.business_key)}`,
  ]
}
