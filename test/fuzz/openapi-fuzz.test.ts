import { afterAll, beforeAll, expect, test } from 'vitest'
import { findErrors } from '../support/checker.ts'
import { isLong, isWhole, onOneEngine, rounds } from '../support/long.ts'
import { randomFrom, seeds } from '../support/random.ts'
import { makeSpares } from '../support/spares.ts'
import { makeThings, nextAddress, nextStart, type Tenant } from '../support/tenant-things.ts'
import { ada, businessOf, startTestService, type Reply, type TestService } from '../support/test-service.ts'
import { ApiDocument, type Operation } from './api-document.ts'
import { RequestGenerator, type FuzzedRequest } from './request-generator.ts'

const requestsPerRun = rounds(500, 20_000)
const requestsAnHour = 500
/** A long run uses a new seed, which its name contains. */
const chosenSeeds = isWhole && !process.env['HOLDFAST_TEST_SEED'] ? [Date.now() % 1_000_000] : seeds(1)

/** Only Stripe can sign requests to it. */
const bySignature = 'POST /payments/stripe/webhook'
/** Forms of the console, and its people. They need the cookie of a log-in, which no request here has. */
const isOfPeople = (name: string) => / [/](?:console|api[/]v1[/]users)\b/.test(name)
/** Nothing listens there. */
const nowhere = 'http://127.0.0.1:9/hook'
const internals = /node_modules|[.]ts:[0-9]+|SQLITE_|_pkey|syntax error/

onOneEngine('sqlite', 'requests made from /openapi.json', (engine) => {
  let service: TestService
  let salon: Tenant
  let document: ApiDocument
  beforeAll(async () => {
    service = await startTestService(engine, {
      RATE_LIMIT_FACTOR: '1000',
      MAX_HOLDS_PER_SESSION: '100000',
      MAX_HOLDS_PER_IP: '100000',
    })
    salon = businessOf(service.world, 'Salon Spree')
    document = new ApiDocument((await service.app.server.openApi('withPages')) as never)
  })
  afterAll(() => service.stop())

  test('the document names every route that clients can call', () => {
    const called = document.operations.map(({ method, path }) => `${method} ${path}`)
    const routes = service.app.server.knownRoutes
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`)
    expect(called.toSorted()).toEqual(routes.toSorted())
  })

  test.each(chosenSeeds)(
    `are answered as documented and never by a 5xx, ${requestsPerRun} of them with seed %i`,
    async (seed) => {
      const random = randomFrom(seed)
      const known: Record<string, unknown[]> = {
        service_id: salon.services.map(({ id }) => id),
        location_id: salon.locations.map(({ id }) => id),
        location_ids: salon.locations.map(({ id }) => id),
        staff_id: salon.staff.map(({ id }) => id),
        staff_ids: salon.staff.map(({ id }) => id),
        business_id: [salon.id],
        timezone: ['Europe/Berlin', 'Asia/Kathmandu'],
        opens: ['09:00', '13:00', '22:00'],
        closes: ['12:00', '24:00', '02:00'],
        currency: ['EUR', 'JPY'],
        brand_color: ['#1a2b3c'],
        brand_logo_url: ['https://example.com/logo.png'],
        allowed_origins: ['https://www.example.com'],
        ends_at: ['2029-01-01T00:00:00Z'],
        url: [nowhere],
        hold_id: [],
        booking_id: [],
        starts_at: Array.from({ length: 40 }, nextStart),
        file: ['docs.js', 'page.css', 'v1.js', 'nothing'],
        publishable_key: [salon.publishable_key],
        code: ['not_found', 'slot_held', 'nothing'],
        first_name: ['Ada'],
        last_name: ['Lovelace'],
        email: ['ada@example.com'],
        phone: ['+49 30 1234'],
        'If-Match': ['"1"', '"2"'],
        'Idempotency-Key': ['one', 'two', 'three'],
      }
      let session = ''
      const tokens: Record<string, () => string | undefined> = {
        session: () => session,
        business: () => salon.business_key,
        hub: () => service.world.hub.key,
        publishable: () => salon.publishable_key,
        'another publishable': () => businessOf(service.world, 'Hudson Studio').publishable_key,
        none: () => undefined,
        wrong: () => 'cal_biz_x',
      }
      const generator = new RequestGenerator(document, random, known)
      const answered = new Map<string, Set<number>>()
      for (let round = 0; round < requestsPerRun; round += 1) {
        if (round % requestsAnHour === 0) {
          service.clock.advance(3_601)
          await deleteAll('/blocks')
          await deleteAll('/webhooks')
          // a request may have blocked her
          await service.call('DELETE', '/clients/block', {
            token: salon.business_key,
            body: { email: ada.email },
          })
          const webhooks = await makeWebhooks()
          known['webhook_id'] = webhooks.map(({ id }) => id)
          known['delivery_id'] = webhooks.map(({ delivery_id }) => delivery_id)
          const items = await makeThings(service, salon)
          session = items.token
          for (const [name, id] of Object.entries(await makeSpares(service, salon))) known[name] = [id]
          known['hold_id'] = [items.hold_id]
          known['payment_id'] = (await service.rows('payments')).slice(-20).map(({ id }) => id)
          known['reference'] = (await service.rows('sandbox_checkouts'))
            .slice(-20)
            .map((row) => row['reference'])
          known['booking_id'] = [items.booking_id]
          known['X-Previous-Session'] = [session]
        }
        const operation = document.operations[round % document.operations.length] as Operation
        const turn = Math.floor(round / document.operations.length)
        // each kind of key in turn, and in between the ones with most permissions
        const kinds = Object.keys(tokens)
        const type =
          turn % 2 === 0 ? kinds[(turn / 2) % kinds.length] : random.of(['session', 'business', 'hub'])
        const token = tokens[type ?? '']?.()
        const request = generator.request(operation)
        const reply = await send(request, operation.needsKey ? token : undefined).catch((error: unknown) => {
          const run = `HOLDFAST_TEST_SEED=${seed}${isLong ? ' HOLDFAST_TEST_LONG=1' : ''} npx vitest run test/fuzz -t ${engine}`
          const sent = JSON.stringify({ round, type, ...request }).slice(0, 4_000)
          throw new Error(`${run}\n${sent}`, { cause: error })
        })
        const name = `${operation.method} ${operation.path}`
        answered.set(name, (answered.get(name) ?? new Set()).add(reply.status))
        if (reply.status === 201) note(known, reply)
      }
      // generated requests are valid often enough to get past the first checks, and invalid often enough to be refused;
      // a short run has only a few attempts for each operation
      const without = (fits: (status: number) => boolean) =>
        [...answered].filter(([, statuses]) => ![...statuses].some(fits)).map(([name]) => name)
      const [neverRight, neverRefused] = [
        without((status) => status < 400).filter((name) => name !== bySignature && !isOfPeople(name)),
        without((status) => status >= 400),
      ]
      const tolerated = isWhole ? 0 : answered.size / 2.5
      expect(neverRight.length, `never right: ${neverRight.join(', ')}`).toBeLessThanOrEqual(tolerated)
      expect(neverRefused.length, `never refused: ${neverRefused.join(', ')}`).toBeLessThanOrEqual(tolerated)
      expect(await findErrors(databaseUrl())).toEqual([])
    },
    isLong ? 1_200_000 : 120_000,
  )

  /** Sends it. `call` itself compares the answer with the document, and this function checks for forbidden outcomes. */
  const send = async ({ method, path, options }: FuzzedRequest, token: string | undefined) => {
    const reply = await service.call(method, `/${path}`, {
      ...options,
      remoteAddress: nextAddress(),
      ...(token !== undefined && { token }),
    })
    const { status, body, headers } = reply
    expect({ status, body: status < 500 ? undefined : body }).toEqual({
      status: expect.toSatisfy((one: number) => one < 500),
      body: undefined,
    })
    expect(headers['x-injected']).toBeUndefined()
    if (status >= 400) expect(JSON.stringify(body ?? '')).not.toMatch(internals)
    return reply
  }
  const asSalon = (method: string, path: string, body?: object) =>
    service.call(method, path, {
      token: salon.business_key,
      remoteAddress: nextAddress(),
      ...(body && { body }),
    })
  /** A few blocks that last for years would leave nothing to book, and there is room for only twenty webhooks. */
  const deleteAll = async (path: string) => {
    for (;;) {
      const { body } = await asSalon('GET', `${path}?limit=100`)
      const found = body.data as { id: string }[]
      if (found.length === 0) return
      for (const { id } of found) await asSalon('DELETE', `${path}/${id}`)
    }
  }
  /** Creates webhooks without a receiver, each with a delivery. */
  const makeWebhooks = () =>
    Promise.all(
      [1, 2, 3].map(async () => {
        const made = await asSalon('POST', '/webhooks', { url: nowhere, events: ['booking.created'] })
        const id = made.body.id as string
        const sample = await asSalon('POST', `/webhooks/${id}/test`)
        return { id, delivery_id: sample.body.id as string }
      }),
    )
  const databaseUrl = () => {
    const { database } = service.context.config
    return database.engine === 'sqlite' ? `sqlite:${database.file}` : (database.urls[0] ?? '')
  }
})

/** Keeps the created things, so that later requests name them. */
function note(known: Record<string, unknown[]>, { body }: Reply): void {
  const list = body.hold_id === undefined ? 'booking_id' : 'hold_id'
  const id: unknown = body.hold_id ?? body.id
  if (id !== undefined) known[list] = [...(known[list] ?? []).slice(-9), id]
}
