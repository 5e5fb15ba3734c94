import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHoldfastClient, HoldfastError } from '../../client/holdfast-client.ts'
import { freePort } from '../support/free-port.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { startServer, type ServerProcess } from '../support/server-process.ts'
import type { Tenant } from '../support/tenant-things.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, offer } from '../support/test-service.ts'

/** Enough for a start on a busy machine. */
const retries = { attempts: 60, maxWaitSeconds: 1 }

onOneEngine('sqlite', 'a client whose server dies and comes back', (engine) => {
  let database: TestDatabase
  let salon: Tenant
  let port: string
  let server: ServerProcess
  const start = async () => {
    server = await startServer(database.url, { PORT: port })
  }
  beforeAll(async () => {
    database = await createTestDatabase(engine)
    salon = businessOf(await demoWorld(database.url), 'Salon Spree')
    port = String(await freePort())
    await start()
  })
  afterAll(async () => {
    await server.stop()
    await database.drop()
  })

  const visitor = () =>
    createHoldfastClient({ baseUrl: server.address, publishableKey: salon.publishable_key, retries })

  async function bookingsOf(email: string): Promise<string[]> {
    const business = createHoldfastClient({ baseUrl: server.address, key: salon.business_key, retries })
    const ids = []
    for await (const { id } of business.bookings.list({ email })) ids.push(id)
    return ids
  }

  test.each(['between its hold and its booking', 'while its booking is on the way'])(
    'books once if that happens %s',
    async (when) => {
      const holdfast = visitor()
      const wanted = offer(salon, 'Haircut')
      const slot = await holdfast.availability.findSoonest(wanted)
      const { hold_id } = await holdfast.holds.create({ ...wanted, starts_at: slot?.starts_at ?? '' })
      const email = `${when.replaceAll(' ', '-')}@example.com`
      const create = () => holdfast.bookings.create({ hold_id, client: { ...ada, email } })
      const early = when.startsWith('while') ? create() : undefined
      await server.kill()
      const booked = early ?? create()
      await start()
      expect(await booked).toMatchObject({ id: hold_id, status: 'confirmed' })
      expect(await bookingsOf(email)).toEqual([hold_id])
    },
  )

  test('gives up by itself, and when it is aborted', async () => {
    const away = { baseUrl: `http://127.0.0.1:${await freePort()}`, key: 'x' }
    const impatient = createHoldfastClient({ ...away, retries: { attempts: 2 } })
    const refused = await impatient.services.get('x').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(TypeError)
    expect(refused).not.toBeInstanceOf(HoldfastError)
    const controller = new AbortController()
    const call = createHoldfastClient({ ...away, retries }).services.get('x', { signal: controller.signal })
    setImmediate(() => controller.abort(new Error('the page was left')))
    await expect(call).rejects.toThrow('the page was left')
  })
})
