import { instantFromMs } from '../../src/base/instants.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import type { CalendarWriter } from '../../src/calendars/calendar-writer.ts'
import type { ProviderName } from '../../src/calendars/providers.ts'
import { fetchDue } from './busy-calendars.ts'
import { busyStarts, type CalendarWorld, type FailingProxy } from './calendar-world.ts'
import type { CloudServer } from './cloud-server.ts'
import { client } from './oauth-server.ts'
import { makeBusiness, makeLocation, makeService, makeStaff } from './offers.ts'
import { type LoggedIn, logInNewPerson } from './person.ts'
import type { Reply, TestService } from './test-service.ts'

/** The settings of an operator who has set up a provider, which the service reaches through a proxy. */
export function cloudSettings(
  kind: ProviderName,
  { url }: Pick<FailingProxy, 'url'>,
): Record<string, string> {
  const name = kind.toUpperCase()
  return {
    [`${name}_CLIENT_ID`]: client.id,
    [`${name}_CLIENT_SECRET`]: client.secret,
    [`${name}_API_URL`]: url,
  }
}

/** The servers of a suite, and the work of Holdfast with them. */
export interface CloudServers {
  kind: ProviderName
  cloud: CloudServer
  proxy: FailingProxy
  reader: CalendarReader
  writer: CalendarWriter
}

/** A business whose staff member Anna has an account at a provider. */
export interface CloudWorld extends Omit<CalendarWorld, 'connect'> {
  owner: LoggedIn
  /** IDs of the calendars at the provider, of which `work` and `home` are the addresses. */
  ids: { work: string; home: string }
  /** Goes to the provider and comes back, as a browser does. Returns the last answer. */
  grant(person?: LoggedIn, staffId?: string): Promise<Reply>
  connect(): Promise<string>
}

let users = 0

export async function makeCloudWorld(service: TestService, servers: CloudServers): Promise<CloudWorld> {
  const { kind, cloud, proxy, reader, writer } = servers
  const business = await makeBusiness(service)
  const location = await makeLocation(service, business.id, { name: 'Mitte' })
  const [anna = ''] = await makeStaff(service, business.id, ['Anna'])
  const service_id = await makeService(service, business.id, {
    ...{ name: 'Haircut', minutes: 60, intervalMinutes: 60, staffIds: [anna], locationIds: [location] },
  })
  users += 1
  const user = `${kind}${users}@example.com`
  const ids = cloud.makeUser(user)
  const root = kind === 'google' ? 'calendar/v3/calendars' : 'v1.0/me/calendars'
  const at = (id: string) => `${proxy.url}${root}/${encodeURIComponent(id)}`
  const [work, home] = [at(ids.work), at(ids.home)]
  const idOf = (address: string) => (address === work ? ids.work : ids.home)
  const owner = await logInNewPerson(service, {
    ...{ email: `owner-${user}`, role: 'owner', place: { businessId: business.id } },
  })
  const { db } = service.context
  const visit = (path: string, { cookie }: LoggedIn) =>
    service.call('GET', `/${path}`, { headers: { host: 'localhost', cookie } })
  const grant = async (person = owner, staffId = anna) => {
    const start = await visit(`/console/calendars/${kind}/start?staff=${staffId}`, person)
    if (start.status !== 303) return start
    const { headers } = await fetch(String(start.headers['location']), { redirect: 'manual' })
    const back = new URL(headers.get('location') ?? '')
    return visit(back.pathname + back.search, person)
  }
  const world: CloudWorld = {
    ...{ business, owner, user, work, home, ids, grant },
    offer: { service_id, location_id: location, staff_id: anna },
    connect: async () => {
      cloud.oauth.user = user
      const { status, headers } = await grant()
      const id = /accounts\/([^?]+)\?/.exec(String(headers['location']))?.[1]
      if (status !== 303 || id === undefined) throw new Error(`not connected: ${status}`)
      return id
    },
    change: (id, body) => service.call('PATCH', `/calendar-accounts/${id}`, { token: business.key, body }),
    account: async () =>
      (await service.call('GET', '/calendar-accounts', { token: business.key })).body.data[0] as never,
    put: (address, name, ...lines) => {
      const times = timesIn(lines)
      const item = /^UID:(.*)@holdfast/.exec(lines[0] ?? '')?.[1]
      if (item === undefined) cloud.put(idOf(address), name, times)
      else cloud.move(idOf(address), item, times)
      return Promise.resolve()
    },
    remove: (address, name) => Promise.resolve(cloud.remove(idOf(address), name)),
    events: (address) =>
      Promise.resolve(
        cloud
          .events(idOf(address))
          .flatMap(({ item, title, description, startsAt }) => [
            ...(item === undefined ? [] : [`UID:${item}@holdfast`]),
            ...[`DTSTART:${written(startsAt)}`, `SUMMARY:${title}`, `DESCRIPTION:${description}`],
          ]),
      ),
    read: async () => {
      const now = instantFromMs(service.clock.nowMs())
      await db.transaction((tx) =>
        tx.db
          .updateTable('busy_calendars')
          .set({ next_fetch_at: now })
          .where('business_id', '=', business.id)
          .execute(),
      )
      await fetchDue(service.context, reader)
    },
    write: async () => {
      service.clock.advance(3_700)
      await writer.settled()
    },
    busy: () => busyStarts(service, business.id),
  }
  return world
}

/** Reads lines such as DTSTART:20260710T100000Z with DTEND or DURATION:PT1H. */
function timesIn(lines: readonly string[]): { startsAt: string; endsAt: string } {
  const of = (name: string) => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1)
  const at = (text = '') => text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const startsAt = at(of('DTSTART'))
  const end = of('DTEND')
  const hourLater = new Date(Date.parse(startsAt) + 3_600_000).toISOString().replace('.000Z', 'Z')
  return { startsAt, endsAt: end === undefined ? hourLater : at(end) }
}

const written = (instant: string) =>
  `${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
