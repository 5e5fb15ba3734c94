import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { operator } from '../../src/access/actor.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import type { CalendarWriter } from '../../src/calendars/calendar-writer.ts'
import { connectCalendarAccount } from '../../src/calendars/calendar-connection.ts'
import { instantFromMs } from '../../src/base/instants.ts'
import { calendar, event } from '../calendars/calendar-files.ts'
import { fetchDue } from './busy-calendars.ts'
import { makeBusiness, makeLocation, makeService, makeStaff, type OwnBusiness } from './offers.ts'
import type { Radicale } from './radicale.ts'
import type { Reply, TestService } from './test-service.ts'

/** A server in front of another one, which can be made to fail. */
export interface FailingProxy {
  url: string
  /** Answers instead of the server behind, which answers itself if this is undefined or returns false. */
  answer: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined
  /** Returns true if the answer of the server behind is lost. */
  loses: (request: IncomingMessage) => boolean
  /** The requests that arrived, such as `PUT /anna/work/a.ics`. */
  requests: string[]
  stop(): Promise<void>
}

export async function startFailingProxy(behind: string): Promise<FailingProxy> {
  const target = new URL(behind)
  const proxy = { answer: undefined, loses: () => false, requests: [] } as unknown as FailingProxy
  const server = createServer((incoming, response) => {
    proxy.requests.push(`${incoming.method} ${incoming.url}`)
    if (proxy.answer && proxy.answer(incoming, response) !== false) return
    const isLost = proxy.loses(incoming)
    const { method, url: path, headers } = incoming
    const outgoing = request(
      { hostname: target.hostname, port: target.port, method, path, headers },
      (answer) => {
        if (isLost) {
          answer.resume().on('end', () => incoming.socket.destroy())
          return
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  proxy.stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return proxy
}

/** The servers of a suite, and the work of Holdfast with them. */
export interface CalendarServers {
  radicale: Radicale
  proxy: FailingProxy
  reader: CalendarReader
  writer: CalendarWriter
}

/** A business whose staff member Anna has a calendar account. */
export interface CalendarWorld {
  business: OwnBusiness
  offer: { service_id: string; location_id: string; staff_id: string }
  user: string
  /** Addresses of two calendars. */
  work: string
  home: string
  /** Connects the account and returns its ID. */
  connect(password?: string): Promise<string>
  change(id: string, body: object): Promise<Reply>
  account(): Promise<Record<string, unknown>>
  /** Stores an event in a calendar. */
  put(address: string, name: string, ...lines: string[]): Promise<unknown>
  remove(address: string, name: string): Promise<unknown>
  /** The lines of the events in a calendar. */
  events(address: string): Promise<string[]>
  /** Reads all calendars of the business, as a server does when they are due. */
  read(): Promise<void>
  /** Writes what is due, also after failures. */
  write(): Promise<void>
  /** The starts of busy times, such as `10:00`, in UTC. */
  busy(): Promise<string[]>
}

let users = 0

export async function makeCalendarWorld(
  service: TestService,
  { radicale, proxy, reader, writer }: CalendarServers,
): Promise<CalendarWorld> {
  const business = await makeBusiness(service)
  const location = await makeLocation(service, business.id, { name: 'Mitte' })
  const [anna = ''] = await makeStaff(service, business.id, ['Anna'])
  const service_id = await makeService(service, business.id, {
    ...{ name: 'Haircut', minutes: 60, intervalMinutes: 60, staffIds: [anna], locationIds: [location] },
  })
  users += 1
  const user = `user${users}`
  const through = (address: string) => new URL(new URL(address).pathname, proxy.url).href
  const [work, home] = [
    through(await radicale.makeCalendar(user, 'Work')),
    through(await radicale.makeCalendar(user, 'Home')),
  ]
  const { db } = service.context
  return {
    ...{ business, user, work, home },
    offer: { service_id, location_id: location, staff_id: anna },
    connect: async (password = 'secret') => {
      const actor = { ...operator, scope: { businessId: business.id } }
      const input = { staff_id: anna, url: proxy.url, user_name: user, password }
      return (await connectCalendarAccount(service.context, actor, input, reader)).id
    },
    change: (id, body) => service.call('PATCH', `/calendar-accounts/${id}`, { token: business.key, body }),
    account: async () =>
      (await service.call('GET', '/calendar-accounts', { token: business.key })).body.data[0] as never,
    put: (address, name, ...lines) =>
      radicale.call(user, 'PUT', new URL(`${name}.ics`, address).pathname, {
        body: calendar(event(...(lines[0]?.startsWith('UID') ? [] : [`UID:${name}`]), ...lines)),
        headers: { 'content-type': 'text/calendar' },
      }),
    remove: (address, name) => radicale.call(user, 'DELETE', new URL(`${name}.ics`, address).pathname),
    events: async (address) => {
      const { text } = await radicale.call(user, 'GET', new URL(address).pathname)
      return text.replaceAll(/\r?\n[ \t]/g, '').match(/^(?:DTSTART|SUMMARY|DESCRIPTION|UID).*$/gm) ?? []
    },
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
}

/** Returns the starts of the busy times of a business, such as `10:00`, in UTC. */
export async function busyStarts(service: TestService, businessId: string): Promise<string[]> {
  return (await service.rows('blocks'))
    .filter(({ business_id }) => business_id === businessId)
    .map(({ starts_at }) => new Date(String(starts_at)).toISOString().slice(11, 16))
    .toSorted()
}
