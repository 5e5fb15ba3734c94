import { request } from 'undici'
import { calendar, event } from '../test/calendars/calendar-files.ts'
import { type Radicale, radicaleProgram, startRadicale } from '../test/support/radicale.ts'
import { median, type Plan } from './measure.ts'
import type { Engine, World } from './operations.ts'
import { postgresFor, startTarget, type Target, thisCheckout } from './targets.ts'

/*
 * Delays between Holdfast and calendar accounts at a real CalDAV server (Radicale): 100 accounts of staff, each with 500
 * events, some of which recur. One delay begins with an appointment in a calendar and ends when clients cannot book its
 * time. The other begins with a booking and ends when it is in the calendar.
 */

const accounts = 100
const businesses = 3
const eventsOfAccount = 500
/** Changes of each kind. */
const changes = 100
const atOnce = 20
const dayMs = 86_400_000
const password = 'correct horse battery staple'

interface Account {
  world: World
  address: string
  user: string
  calendar: string
  staffId: string
  serviceId: string
}

/** Prints for each engine the seconds of both ways. */
export async function measureCalendarAccounts({ engines }: Plan): Promise<void> {
  const program = radicaleProgram()
  if (program === undefined) return
  await using undo = new AsyncDisposableStack()
  const postgresUrl = await postgresFor(engines, undo)
  console.log(
    `${accounts} accounts with ${eventsOfAccount} events each; ${changes} changes of each kind, ${atOnce} at once.`,
  )
  const rows: object[] = []
  for (const engine of engines) {
    const radicale = await startRadicale(program)
    try {
      rows.push(await rowOf(engine, postgresUrl, radicale))
    } finally {
      await radicale.stop()
    }
  }
  console.table(rows)
}

async function rowOf(engine: Engine, postgresUrl: string | undefined, radicale: Radicale): Promise<object> {
  await using undo = new AsyncDisposableStack()
  const settings = { NODE_ENV: 'test' } // may connect to this machine
  const target = await startTarget(thisCheckout, engine, { postgresUrl, number: 0, businesses, settings })
  undo.defer(() => target.stop())
  const all = await connectAll(target, radicale)
  const begun = performance.now()
  for (const account of all) await until(() => isRead(account))
  const firstSeconds = (performance.now() - begun) / 1_000
  const read = await timesOf(all, (account, number) => addEvent(radicale, account, number))
  const written = await timesOf(all, (account, number) => book(radicale, account, number))
  const seconds = (times: number[], share: number) =>
    (times.toSorted((one, other) => one - other)[Math.floor(times.length * share)] ?? NaN).toFixed(1)
  return {
    engine,
    'all read after s': firstSeconds.toFixed(0),
    'busy p50 s': median(read).toFixed(1),
    'busy p95 s': seconds(read, 0.95),
    'written p50 s': median(written).toFixed(1),
    'written p95 s': seconds(written, 0.95),
  }
}

async function api<T>(
  { world, address }: Pick<Account, 'world' | 'address'>,
  path: string,
  body?: object,
): Promise<T> {
  const answer = await request(`${address}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${world.businessKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}: ${text}`)
  return JSON.parse(text) as T
}

async function connectAll(target: Target, radicale: Radicale): Promise<Account[]> {
  const { addresses, worlds } = target
  const [address = ''] = addresses
  const all: Account[] = []
  for (const world of worlds) {
    const { data: services } = await api<{
      data: { id: string; business_id: string; staff_ids: string[] }[]
    }>({ world, address }, '/services?limit=100')
    const cookie = await owner(target, services[0]?.business_id ?? '')
    for (const { id: serviceId, business_id, staff_ids } of services) {
      for (const staffId of staff_ids) {
        if (all.length === accounts) break
        const user = `user${all.length + 1}`
        const account = { world, address, user, calendar: '', staffId, serviceId }
        account.calendar = await radicale.makeCalendar(user, 'Work')
        const [filled] = all
        if (filled) radicale.copyCalendar(filled.user, user, 'work')
        else await fill(radicale, account)
        const form = {
          server: 'other',
          staff_id: staffId,
          url: radicale.url,
          user_name: user,
          password: 'secret',
        }
        const location = await send(
          `${address}/console/calendars/accounts/new?business=${business_id}`,
          form,
          cookie,
        )
        const choice = { [`keeps_busy.${account.calendar}`]: 'on', writes_to: account.calendar }
        await send(
          new URL(location.split('?')[0] ?? '', address).href + `?business=${business_id}`,
          choice,
          cookie,
        )
        all.push(account)
      }
    }
  }
  return all
}

async function owner(target: Target, business: string): Promise<string> {
  const email = `owner-${business}@example.com`
  const { link } = await target.command<{ link: { url: string } }>(
    ...['user', 'create', email, '--role', 'owner', '--business', business],
  )
  const fields = { token: new URL(link.url).hash.slice(1), password }
  const { headers } = await post(`${target.addresses[0] ?? ''}/console/link`, fields)
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

async function send(url: string, fields: Record<string, string>, cookie: string): Promise<string> {
  const { headers } = await post(url, fields, cookie)
  return String(headers['location'])
}

async function post(url: string, fields: Record<string, string>, cookie = '') {
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', cookie },
    body: new URLSearchParams(fields).toString(),
  })
  const text = await answer.body.text()
  if (answer.statusCode !== 303)
    throw new Error(`${url} answered ${answer.statusCode}: ${text.slice(0, 2_000)}`)
  return answer
}

const written = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

/** Stores the events at once. They are far ahead of the changes. Every account has the same. */
async function fill(radicale: Radicale, { user, calendar: address, world }: Account): Promise<void> {
  const lines = Array.from({ length: eventsOfAccount }, (_, index) => {
    const start = world.firstSlotMs + (60 + (index % 200)) * dayMs + (8 + Math.floor(index / 200)) * 3_600_000
    const rule = index % 25 === 0 ? ['RRULE:FREQ=WEEKLY;COUNT=10'] : []
    return event(`UID:${index}`, `DTSTART:${written(start)}`, 'DURATION:PT45M', ...rule)
  })
  const path = new URL(address).pathname
  const { status, text } = await radicale.call(user, 'PUT', path, {
    body: calendar(...lines),
    headers: { 'content-type': 'text/calendar' },
  })
  if (status !== 201) throw new Error(`Radicale answers ${status}: ${text}`)
}

async function isRead(account: Account): Promise<boolean> {
  const path = `/calendar-accounts?staff_id=${account.staffId}`
  const { data } = await api<{ data: { last_fetched_at: string | null }[] }>(account, path)
  return data[0]?.last_fetched_at !== null
}

/** Makes changes, some at once, and returns the seconds of each. */
async function timesOf(
  all: readonly Account[],
  change: (account: Account, number: number) => Promise<() => Promise<boolean>>,
): Promise<number[]> {
  const times: number[] = []
  let next = 0
  const work = async () => {
    while (next < changes) {
      const number = next++
      const account = all[(number * 7) % all.length]
      if (!account) throw new Error('there is no account')
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5_000))
      const isThere = await change(account, number)
      const begun = performance.now()
      await until(isThere)
      times.push((performance.now() - begun) / 1_000)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return times
}

async function addEvent(
  radicale: Radicale,
  account: Account,
  number: number,
): Promise<() => Promise<boolean>> {
  const { user, calendar: address, staffId, serviceId, world } = account
  const start = world.firstSlotMs + (number % 30) * dayMs + 10 * 3_600_000
  const name = `change-${number}`
  await radicale.call(user, 'PUT', `${new URL(address).pathname}${name}.ics`, {
    body: calendar(event(`UID:${name}`, `DTSTART:${written(start)}`, 'DURATION:PT15M')),
    headers: { 'content-type': 'text/calendar' },
  })
  const day = new Date(start).toISOString().slice(0, 10)
  const query = {
    service_id: serviceId,
    location_id: world.locationId,
    staff_id: staffId,
    from: day,
    to: day,
  }
  return async () => {
    const found = await api<object>(account, `/availability?${new URLSearchParams(query).toString()}`)
    return !JSON.stringify(found).includes(`"starts_at":"${day}T10:00:00`)
  }
}

async function book(radicale: Radicale, account: Account, number: number): Promise<() => Promise<boolean>> {
  const { user, calendar: address, staffId, serviceId, world } = account
  const start = new Date(world.firstSlotMs + (number % 30) * dayMs + 14 * 3_600_000).toISOString()
  const { hold_id } = await api<{ hold_id: string }>(account, '/bookings/hold', {
    ...{ service_id: serviceId, location_id: world.locationId, staff_id: staffId, starts_at: start },
  })
  const client = { first_name: 'Ada', last_name: 'Lovelace', email: `ada${number}@example.com` }
  const { id } = await api<{ id: string }>(account, '/bookings', { hold_id, client })
  return async () =>
    (await radicale.call(user, 'GET', `${new URL(address).pathname}${id}.ics`)).status === 200
}

async function until(isThere: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 600_000
  while (!(await isThere())) {
    if (performance.now() > deadline) throw new Error('a change took longer than ten minutes')
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
