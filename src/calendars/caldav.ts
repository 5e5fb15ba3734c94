import type { AccountCalendar } from '../database/tables.ts'
import { calendarObject } from '../mails/calendar.ts'
import type { FileTimes, FileToRead } from './busy-times.ts'
import { type CalendarHttp, FetchFailed } from './calendar-http.ts'
import {
  type CalendarReading,
  type CalendarServer,
  type EventToWrite,
  maxCalendars,
  maxName,
  type Span,
  type WriteResult,
  type WrittenEvent,
} from './calendar-server.ts'
import { type DavResponse, responsesOf } from './caldav-xml.ts'

/*
 * A small client of CalDAV (RFC 4791), as Apple, Fastmail, Nextcloud and Radicale serve it: it finds the calendars of
 * an account, reads a span of one, and writes single objects.
 */

/** Credentials at a server. */
interface DavLogIn {
  userName: string
  password: string
}

/** A calendar account that was found. */
interface FoundHome {
  /** Address of the collection with its calendars. */
  address: string
  calendars: AccountCalendar[]
}

const maxNodes = 20_000
/** Characters of an answer about properties, which is read outside the worker. Lists of calendars have some thousand. */
const maxAnswer = 500_000

/** Calls one server as one user. Its methods throw a FetchFailed, or the error of the connection (see `faultOf`). */
export class CalDav {
  private readonly http: CalendarHttp
  private readonly authorization: string

  constructor(http: CalendarHttp, { userName, password }: DavLogIn) {
    this.http = http
    this.authorization = `Basic ${Buffer.from(`${userName}:${password}`).toString('base64')}`
  }

  /**
   * Finds the calendars of the user (RFC 6764, section 6). The address is that of a server, a user or a calendar.
   */
  async discover(address: string): Promise<FoundHome> {
    const given = new URL(address)
    let refusal: FetchFailed | undefined
    for (const start of [given, new URL('/.well-known/caldav', given), new URL('/', given)]) {
      try {
        const home = await this.homeOf(start)
        if (!home) continue
        const calendars = await this.list(home)
        if (calendars.length > 0) return { address: home.href, calendars }
      } catch (error) {
        // a server may protect, or not know, one of the places
        if (!(error instanceof FetchFailed) || !/^(status_|sign_in|invalid)/.test(error.fault.problem))
          throw error
        refusal ??= error
      }
    }
    throw refusal?.fault.problem === 'sign_in_refused' ? refusal : new FetchFailed('no_calendars')
  }

  /** Lists the calendars in a collection that can contain events. */
  async list(home: URL): Promise<AccountCalendar[]> {
    const properties = `<d:resourcetype/><d:displayname/><d:current-user-privilege-set/>
      <c:supported-calendar-component-set/>`
    const { url, responses } = await this.propfind(home, { depth: 1, properties })
    return responses
      .filter((one) => one.contains('resourcetype', 'calendar') && takesEvents(one))
      .slice(0, maxCalendars)
      .map((one) => {
        const calendar = new URL(one.href, url).href
        const name = one.text('displayname')?.trim() || decodeURIComponent(calendar.split('/').at(-2) ?? '')
        return { calendar, name: name.slice(0, maxName), writable: isWritable(one) }
      })
  }

  /**
   * Returns a text that is another one after each change of a calendar: its sync token (RFC 6578), or its tag.
   * Undefined if the server has neither.
   */
  async stateOf(calendar: URL): Promise<string | undefined> {
    const { responses } = await this.propfind(calendar, {
      depth: 0,
      properties: '<d:sync-token/><s:getctag/>',
    })
    const [first] = responses
    return first?.text('sync-token')?.trim() || first?.text('getctag')?.trim() || undefined
  }

  /** Returns the answer with all objects of a calendar that take place in a span. */
  async query(calendar: URL, { fromMs, toMs }: { fromMs: number; toMs: number }): Promise<string> {
    const body = `<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">
      <d:prop><d:getetag/><c:calendar-data/></d:prop>
      <c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT">
        <c:time-range start="${utc(fromMs)}" end="${utc(toMs)}"/>
      </c:comp-filter></c:comp-filter></c:filter></c:calendar-query>`
    const { text } = await this.call('REPORT', calendar, { body, headers: { depth: '1' }, takes: [207] })
    return text
  }

  /**
   * Writes an object, only if the server still has `etag`, or does not have it yet (null). Returns false otherwise.
   * Without a condition (undefined), replaces what is there.
   */
  async put(object: URL, file: string, etag: string | null | undefined): Promise<boolean> {
    const condition =
      etag === undefined ? {} : etag === null ? { 'if-none-match': '*' } : { 'if-match': etag }
    const { status } = await this.call('PUT', object, {
      body: file,
      headers: { 'content-type': 'text/calendar; charset=utf-8', ...condition },
      takes: [200, 201, 204, 412],
    })
    return status !== 412
  }

  /** Returns the entity tag of an object; undefined if there is no such object. */
  async etagOf(object: URL): Promise<string | undefined> {
    const { status, text } = await this.call('PROPFIND', object, {
      ...{ body: propfindBody('<d:getetag/>'), headers: { depth: '0' }, takes: [207, 404, 410] },
    })
    return status === 207 ? read(text)[0]?.text('getetag') : undefined
  }

  /** Deletes an object, if it is there. */
  async delete(object: URL): Promise<void> {
    await this.call('DELETE', object, { takes: [200, 202, 204, 404, 410] })
  }

  /** Returns the collection with the user's calendars; undefined if the resource names none. */
  private async homeOf(start: URL): Promise<URL | undefined> {
    const properties = '<d:current-user-principal/><c:calendar-home-set/><d:resourcetype/>'
    const first = await this.propfind(start, { depth: 0, properties })
    const own = first.responses[0]?.hrefIn('calendar-home-set')
    if (own !== undefined) return new URL(own, first.url)
    const principal = first.responses[0]?.hrefIn('current-user-principal')
    if (principal === undefined) return undefined
    const at = new URL(principal, first.url)
    const { url, responses } = await this.propfind(at, { depth: 0, properties: '<c:calendar-home-set/>' })
    const home = responses[0]?.hrefIn('calendar-home-set')
    return home === undefined ? undefined : new URL(home, url)
  }

  private async propfind(
    address: URL,
    { depth, properties }: { depth: 0 | 1; properties: string },
  ): Promise<{ url: URL; responses: DavResponse[] }> {
    const { url, text } = await this.call('PROPFIND', address, {
      ...{ body: propfindBody(properties), headers: { depth: String(depth) }, takes: [207] },
    })
    return { url, responses: read(text) }
  }

  private async call(
    method: string,
    address: URL,
    { body, headers, takes }: { body?: string; headers?: Record<string, string>; takes: number[] },
  ) {
    const answer = await this.http.request(address, {
      ...{ method, authorization: this.authorization },
      headers: {
        ...(body !== undefined && { 'content-type': 'application/xml; charset=utf-8' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
    const { status, header } = answer
    if (takes.includes(status)) return answer
    if (status === 401 || (status === 403 && method === 'PROPFIND')) throw new FetchFailed('sign_in_refused')
    throw new FetchFailed(`status_${status}`, undefined, header('retry-after'))
  }
}

function read(text: string): DavResponse[] {
  if (text.length > maxAnswer) throw new FetchFailed('invalid_response')
  try {
    return responsesOf(text, maxNodes)
  } catch {
    throw new FetchFailed('invalid_response')
  }
}

function propfindBody(properties: string): string {
  return `<d:propfind xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:s="http://calendarserver.org/ns/">
    <d:prop>${properties}</d:prop></d:propfind>`
}

/** Returns true unless a calendar takes only other components, such as tasks. */
function takesEvents({ names }: DavResponse): boolean {
  const components = names('supported-calendar-component-set')
  return components.length === 0 || components.includes('VEVENT')
}

/** Returns true unless the server lists the privileges of the user, without one to write (RFC 3744, section 5.4). */
function isWritable({ text, contains }: DavResponse): boolean {
  const property = 'current-user-privilege-set'
  return (
    text(property) === undefined ||
    ['all', 'write', 'write-content', 'bind'].some((privilege) => contains(property, privilege))
  )
}

function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

/** Reads the answer of a server in a worker. */
type ReadTimes = (file: FileToRead) => Promise<FileTimes>

/** An account at a CalDAV server. */
export class CalDavAccount implements CalendarServer {
  private readonly dav: CalDav
  private readonly readTimes: ReadTimes

  constructor(dav: CalDav, readTimes: ReadTimes) {
    this.dav = dav
    this.readTimes = readTimes
  }

  async read(calendar: string, span: Span, known: string | null): Promise<CalendarReading | undefined> {
    const address = new URL(calendar)
    const state = await this.dav.stateOf(address)
    if (state !== undefined && state === known) return undefined
    const text = await this.dav.query(address, span)
    const { times, own = [] } = await this.readTimes({ ...span, text, isAnswer: true })
    return { times, own, state: state ?? null }
  }

  async write(
    { item, calendar, appointment }: EventToWrite,
    known: WrittenEvent | undefined,
  ): Promise<WriteResult> {
    const [address, file] = [addressOf({ calendar, item }), calendarObject(appointment)]
    if (!(await this.dav.put(address, file, known?.etag || null)))
      await this.dav.put(address, file, undefined)
    const etag = await this.dav.etagOf(address)
    if (etag === undefined) throw new FetchFailed('invalid_response')
    return { etag }
  }

  delete(event: WrittenEvent): Promise<void> {
    return this.dav.delete(addressOf(event))
  }
}

/** Returns the address of an event in a calendar. */
function addressOf({ calendar, item }: Pick<WrittenEvent, 'calendar' | 'item'>): URL {
  return new URL(`${item}.ics`, calendar.endsWith('/') ? calendar : `${calendar}/`)
}
