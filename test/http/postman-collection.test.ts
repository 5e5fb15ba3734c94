import { publicUrl } from '../../src/base/public-url.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

interface Item {
  name: string
  item?: Item[]
  event?: { script: { exec: string[] } }[]
  request: {
    method: string
    auth: { bearer: { value: string }[] }
    body?: { raw: string }
    url: { raw: string; variable: { key: string; value: string }[] }
  }
}

interface Collection {
  variable: { key: string; value: string }[]
  item: Item[]
}

onOneEngine('sqlite', 'the Postman collection', (engine) => {
  let service: TestService
  let collection: Collection
  beforeAll(async () => {
    service = await startTestService(engine)
    const { status, body } = await service.call('GET', '//postman.json')
    expect(status).toBe(200)
    collection = body as Collection
  })
  afterAll(() => service.stop())

  test('has the address of the server, whatever the request calls it', async () => {
    const headers = { host: 'elsewhere.example', 'x-forwarded-host': 'elsewhere.example' }
    const { body } = await service.call('GET', '//postman.json', { headers })
    expect(JSON.stringify(body)).not.toContain('elsewhere.example')
    expect((body as Collection).variable).toContainEqual({
      key: 'base_url',
      value: publicUrl(service.context.config),
    })
  })

  /** Handles a request like Postman: fills in the variables, sends it, and runs its script. */
  async function send({ request, event = [] }: Item, variables: Map<string, string>) {
    const filled = (text: string) =>
      text.replaceAll(/\{\{(\w+)\}\}/g, (_all, name: string) => variables.get(name) ?? '')
    const url = request.url.variable.reduce(
      (text, { key, value }) => text.replace(`:${key}`, filled(value)),
      filled(request.url.raw.replace('{{base_url}}', '/')),
    )
    const body: unknown = request.body && JSON.parse(filled(request.body.raw))
    const reply = await service.call(request.method, url, {
      token: filled(request.auth.bearer[0]?.value ?? ''),
      ...(body !== undefined && { body }),
    })
    const pm = {
      response: { json: () => reply.body as unknown },
      collectionVariables: { set: (name: string, value: string) => variables.set(name, value) },
    }
    // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- as Postman does
    for (const { script } of event) new Function('pm', script.exec.join('\n'))(pm)
    return reply
  }

  test('its first folder books, changes and cancels when the keys are filled in', async () => {
    const { publishable_key, business_key } = businessOf(service.world, 'Salon Spree')
    const variables = new Map(collection.variable.map(({ key, value }) => [key, value]))
    variables.set('publishable_key', publishable_key).set('business_key', business_key)
    const [first] = collection.item
    const seen: unknown[] = []
    for (const one of first?.item ?? []) {
      const { status, body } = await send(one, variables)
      seen.push([one.request.method, status, (body as { status?: string } | null)?.status])
    }
    expect(seen).toEqual([
      ['POST', 201, undefined],
      ['GET', 200, undefined],
      ['POST', 201, undefined],
      ['POST', 201, 'confirmed'],
      ['GET', 200, 'confirmed'],
      ['PATCH', 200, 'confirmed'],
      ['DELETE', 200, 'cancelled'],
    ])
  })

  test('has every operation of the API once more, in folders', () => {
    const [, ...folders] = collection.item
    const requests = folders.flatMap(({ item = [] }) => item)
    const routes = service.app.server.knownRoutes.filter(
      ({ method, url }) => method !== 'HEAD' && url.startsWith('/api/'),
    )
    const named = requests.map(({ request }) => `${request.method} ${request.url.raw}`)
    expect(named.map((one) => one.replace('{{base_url}}', '').replace(/\?.*/, '')).toSorted()).toEqual(
      routes.map(({ method, url }) => `${method} ${url}`).toSorted(),
    )
  })
})
