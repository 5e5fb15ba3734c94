import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoWorld, runHoldfast } from '../support/holdfast-process.ts'
import { longTest } from '../support/long.ts'
import { startLyingProxy, type Lies, type Passing, type Told } from '../support/lying-proxy.ts'
import { startServer, type ServerProcess } from '../support/server-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { businessOf } from '../support/test-service.ts'

/*
 * The verdict of `holdfast race-test` on a service that breaks one promise: a real one, whose answers are changed on
 * their way. The command uses only the public API, so it is independent of the engine.
 */

/** A race takes as long as the machine needs for hundreds of requests. */
const patient = { timeout: 240_000 }

let database: TestDatabase
let server: ServerProcess
let key: string
beforeAll(async () => {
  database = await createTestDatabase('sqlite')
  key = businessOf(await demoWorld(database.url), 'Salon Spree').business_key
  server = await startServer(database.url, { HOLD_SECONDS: '5' })
})
afterAll(async () => {
  await server.stop()
  await database.drop()
})

const raceTest = async (urls: string[], ...more: string[]) => {
  const addresses = urls.flatMap((url) => ['--url', url])
  return runHoldfast(['race-test', ...addresses, '--business-key', key, '--yes', ...more])
}

/** Returns the faults that the test has found, by race. */
async function faultsBehind(lies: Lies): Promise<Record<string, string[]>> {
  const proxy = await startLyingProxy(server.address, lies)
  const ran = await raceTest([proxy.address], '--json')
  await proxy.stop()
  expect(ran, ran.stderr).toMatchObject({ stderr: '' })
  const { races, leftovers } = JSON.parse(ran.stdout) as {
    races: { race: string; findings: string[] }[]
    leftovers: string[]
  }
  expect(leftovers).toEqual([])
  return Object.fromEntries(races.map(({ race, findings }) => [race, findings]))
}

const refusal = (code: string) => ({ type: `/problems/${code}`, code, detail: 'No.', request_id: 'r' })
const isHold = ({ method, path }: Passing) => method === 'POST' && path.endsWith('/bookings/hold')

/** Returns the IDs of the services of a test, by race. */
function services() {
  const names = new Map<string, string>()
  return {
    note: ({ method, path, body }: Passing, { status, body: made }: Told) => {
      if (method === 'POST' && path.endsWith('/services') && status === 201) {
        names.set(String(made.id), String(body.name).replace(/^.*: /, ''))
      }
    },
    nameOf: ({ body }: Passing) => names.get(String(body?.service_id)),
  }
}

longTest('what is wrong in one round is named, race by race, and nothing else is', patient, async () => {
  const { note, nameOf } = services()
  const roomSlots = new Set<string>()
  const lapsing = new Set<string>()
  let [refused, broken, moved] = [0, 0, 0]
  const found = await faultsBehind({
    answer: (passing, told) => {
      note(passing, told)
      const { method, body } = passing
      if (method === 'PATCH' && told.status === 409 && moved++ === 0) return { status: 200, body: {} }
      if (!isHold(passing)) return told
      const race = nameOf(passing)
      if (race === 'several seats' && told.status === 201 && refused++ === 0) {
        return { status: 409, body: refusal('slot_held') }
      }
      if (race === 'any of the staff' && told.status === 409 && broken++ === 0) {
        return { status: 500, body: refusal('internal') }
      }
      if (race !== 'one seat') return told
      // each slot but the first is held by one contender before others want it, at the end of its hold
      const slot = String(body.starts_at)
      const [first] = roomSlots.add(slot)
      if (slot === first || told.status !== 409 || lapsing.has(slot)) return told
      lapsing.add(slot)
      return { status: 201, body: { hold_id: crypto.randomUUID(), expires_at: new Date(Date.now() + 5_000) } }
    },
  })
  expect(found).toMatchObject({
    'one seat': [],
    'any of the staff': [expect.stringMatching(/^unexpected response 500 internal: No\. \(request r\)$/)],
    'several seats': [
      expect.stringMatching(/^several seats, \S+: 16 clients requested 4, and 3 were granted$/),
    ],
    'a class': [],
    'visits that share rooms': [],
    moving: [expect.stringMatching(/^moving, \S+: 6 bookings were moved to one seat, and 2 arrived$/)],
    'list of bookings': [],
  })
  expect(found['expiry of a hold']).not.toEqual([])
  for (const finding of found['expiry of a hold'] ?? []) {
    expect(finding).toMatch(/^expiry of a hold, \S+: (its owner booked it and 1|2) others got a hold$/)
  }
})

longTest(
  'a booking that was acknowledged and is on no page of the list is missed, and no other',
  patient,
  async () => {
    let lost: string | undefined
    const found = await faultsBehind({
      path: ({ path }) => path.replace('limit=100', 'limit=40'),
      answer: ({ method, path }, told) => {
        if (method === 'POST' && path.endsWith('/bookings') && told.status === 201)
          lost ??= String(told.body.id)
        if (method !== 'GET' || !path.includes('/bookings?limit=100&location_id')) return told
        const data = (told.body.data as { id: string }[]).filter(({ id }) => id !== lost)
        return { ...told, body: { ...told.body, data } }
      },
    })
    expect(found).toMatchObject({
      'list of bookings': [`booking ${lost ?? ''} was acknowledged but is missing`],
      'one seat': [],
      moving: [],
    })
  },
)

test('two services that do not know of each other are no one service', patient, async () => {
  const other = await startLyingProxy(server.address, {
    answer: ({ method, path }, told) =>
      method === 'GET' && /\/locations\/[0-9a-f-]+$/.test(path)
        ? { status: 404, body: refusal('not_found') }
        : told,
  })
  const ran = await raceTest([server.address, other.address])
  await other.stop()
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toMatch(/^holdfast: NO VERDICT: .* does not know what was created at /)
})

test(
  'a service at an address that is not of this machine is not raced against by mistake',
  patient,
  async () => {
    // 0.0.0.0 leads here as well, so that there is an answer
    const elsewhere = server.address.replace('127.0.0.1', '0.0.0.0')
    const ran = await runHoldfast(['race-test', '--url', elsewhere, '--business-key', key])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(`${elsewhere} is not on this machine`)
  },
)
