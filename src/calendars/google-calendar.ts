import { hash } from 'node:crypto'
import { toMs } from '../base/instants.ts'
import type { AccountCalendar } from '../database/tables.ts'
import type { Appointment } from '../mails/calendar.ts'
import { FetchFailed } from './calendar-http.ts'
import {
  type CalendarReading,
  type CalendarServer,
  type ChannelKey,
  type ChannelRequest,
  type EventToWrite,
  type FoundAccount,
  maxCalendars,
  maxName,
  type OpenChannel,
  type Span,
  type WriteResult,
  type WrittenEvent,
} from './calendar-server.ts'
import { type CloudApi, readingUntil } from './cloud-api.ts'
import { addTime, dayInZone, instantMs, itemIn } from './cloud-times.ts'
import { type Fields, fieldsIn, listIn, textIn } from './json-answers.ts'

/*
 * Google Calendar API, version 3 (developers.google.com/workspace/calendar/api/v3/reference). A calendar whose sync token
 * shows a change is read as a whole. The ID of an event follows from the booking, so a repeated write finds it.
 */

/** The private property with the booking's ID. Copies of an event have it, too. */
const itemProperty = 'holdfast'
const readFields =
  'nextPageToken,nextSyncToken,items(id,status,transparency,eventType,summary,location,description,start,end,attendees(self,responseStatus),extendedProperties/private)'
const pageSize = '1000'
/** A week, the usual maximum. */
const channelMs = 7 * 86_400_000

/** An account at Google. */
export class GoogleCalendar implements CalendarServer {
  private readonly api: CloudApi

  constructor(api: CloudApi) {
    this.api = api
  }

  /** Lists the calendars. Bookings can be written into those that the person owns. */
  async discover(): Promise<FoundAccount> {
    const calendars: AccountCalendar[] = []
    const address = `${this.api.url}/users/me/calendarList`
    let userName: string | undefined
    for await (const { fields } of this.pages(address, { maxResults: '250' })) {
      for (const one of listIn(fields, 'items')) {
        const [id, name] = [textIn(one, 'id'), textIn(one, 'summaryOverride') ?? textIn(one, 'summary')]
        if (id === undefined || one['deleted'] === true) continue
        const role = textIn(one, 'accessRole')
        const isPrimary = one['primary'] === true
        if (isPrimary) userName = id
        const calendar = `${this.api.url}/calendars/${encodeURIComponent(id)}`
        const shown = { calendar, name: (name ?? id).slice(0, maxName), writable: role === 'owner' }
        if (isPrimary) calendars.unshift(shown)
        else calendars.push(shown)
      }
    }
    if (userName === undefined) throw new FetchFailed('no_calendars')
    return { address, userName, calendars: calendars.slice(0, maxCalendars) }
  }

  async read(calendar: string, span: Span, state: string | null): Promise<CalendarReading | undefined> {
    const untilMs = readingUntil()
    if (state !== null && !(await this.hasChanged(calendar, state, untilMs))) return undefined
    const reading: CalendarReading = { times: [], own: [], state: null }
    const query = {
      ...{ singleEvents: 'true', maxAttendees: '1', maxResults: pageSize, fields: readFields },
      ...{ timeMin: new Date(span.fromMs).toISOString(), timeMax: new Date(span.toMs).toISOString() },
    }
    for await (const { fields } of this.pages(`${calendar}/events`, query, untilMs)) {
      for (const event of listIn(fields, 'items')) readEvent(event, span, reading)
      reading.state = textIn(fields, 'nextSyncToken') ?? null
    }
    return reading
  }

  async write(event: EventToWrite, known: WrittenEvent | undefined): Promise<WriteResult> {
    const body = { ...bodyOf(event), id: idOf(event) }
    if (known === undefined || known.etag === '') {
      const { status, fields } = await this.insert(event.calendar, body)
      if (status !== 409) return resultOf(fields)
    } else {
      const headers = { 'if-match': known.etag }
      const { status, fields } = await this.update(event.calendar, body, headers)
      if (status === 200) return resultOf(fields)
    }
    // it is there after a lost answer, or somebody has changed or deleted it
    const { status, fields } = await this.update(event.calendar, body)
    if (status === 200) return resultOf(fields)
    const { status: last, fields: inserted } = await this.insert(event.calendar, body)
    if (last === 409) throw new FetchFailed('status_409')
    return resultOf(inserted)
  }

  async delete(event: WrittenEvent): Promise<void> {
    await this.api.call('DELETE', `${event.calendar}/events/${idOf(event)}?sendUpdates=none`, {
      takes: [404, 410],
    })
  }

  /** Opens another channel, because Google renews none, and ends the known one. */
  async watch(
    calendar: string,
    { known, freshId: id, nowMs, token, address }: ChannelRequest,
  ): Promise<OpenChannel> {
    const { fields } = await this.api.call('POST', `${calendar}/events/watch`, {
      body: {
        ...{ id, type: 'web_hook', address: address(id), token: token(id) },
        expiration: String(nowMs + channelMs),
      },
    })
    const [key, untilMs] = [textIn(fields, 'resourceId'), Number(fields['expiration'])]
    if (key === undefined || !Number.isFinite(untilMs)) throw new FetchFailed('invalid_response')
    // if it fails, the known channel ends by itself
    if (known) await this.unwatch(known).catch(ignoreFailure)
    return { id, key, untilMs }
  }

  async unwatch({ id, key: resourceId }: ChannelKey): Promise<void> {
    await this.api.call('POST', `${this.api.url}/channels/stop`, { body: { id, resourceId }, takes: [404] })
  }

  private insert(calendar: string, body: Fields) {
    return this.api.call('POST', `${calendar}/events?sendUpdates=none`, { body, takes: [409] })
  }

  private update(calendar: string, body: Fields & { id: string }, headers: Record<string, string> = {}) {
    const address = `${calendar}/events/${body.id}?sendUpdates=none`
    return this.api.call('PUT', address, { body, headers, takes: [404, 410, 412] })
  }

  /** Returns true also if Google no longer knows the token (410). */
  private async hasChanged(calendar: string, syncToken: string, untilMs: number): Promise<boolean> {
    const query = new URLSearchParams({
      ...{ singleEvents: 'true', maxAttendees: '1', maxResults: '1', syncToken },
      fields: 'nextPageToken,nextSyncToken,items(id)',
    })
    const address = `${calendar}/events?${query.toString()}`
    const { status, fields } = await this.api.call('GET', address, { takes: [400, 410], untilMs })
    return (
      status !== 200 || listIn(fields, 'items').length > 0 || textIn(fields, 'nextPageToken') !== undefined
    )
  }

  private pages(address: string, query: Record<string, string>, untilMs = readingUntil()) {
    const at = (pageToken?: string) =>
      `${address}?${new URLSearchParams({ ...query, ...(pageToken !== undefined && { pageToken }) }).toString()}`
    const next = (fields: Fields) => {
      const token = textIn(fields, 'nextPageToken')
      return token === undefined ? undefined : at(token)
    }
    return this.api.pages(at(), next, { untilMs })
  }
}

function ignoreFailure(error: unknown): void {
  if (!(error instanceof FetchFailed)) throw error
}

/** Returns the ID of an event: letters a to v and digits (base32hex). */
function idOf({ item }: Pick<WrittenEvent, 'item'>): string {
  return item.replaceAll('-', '')
}

function bodyOf({ item, appointment }: EventToWrite): Fields {
  const { title, place, description, startsAt, endsAt, isTentative = false } = appointment
  return {
    ...{ summary: title, location: place, description },
    ...{ start: { dateTime: utcOf(startsAt) }, end: { dateTime: utcOf(endsAt) } },
    ...{ status: isTentative ? 'tentative' : 'confirmed', transparency: 'opaque' },
    extendedProperties: { private: { [itemProperty]: item } },
  }
}

function utcOf(instant: Appointment['startsAt']): string {
  return new Date(toMs(instant)).toISOString()
}

function resultOf(event: Fields): WriteResult {
  const etag = textIn(event, 'etag')
  if (etag === undefined) throw new FetchFailed('invalid_response')
  return { etag, shown: shownOf(event) }
}

/** Returns a digest of what Holdfast writes. Colours and reminders belong to the person. */
function shownOf(event: Fields): string {
  const texts = ['summary', 'location', 'description', 'status'].map((name) => textIn(event, name) ?? '')
  const parts = [...texts, textIn(event, 'transparency') ?? 'opaque', startMs(event), endMs(event)]
  return hash('sha256', JSON.stringify(parts), 'base64url')
}

const startMs = (event: Fields) => instantMs(textIn(fieldsIn(event['start']), 'dateTime'))
const endMs = (event: Fields) => instantMs(textIn(fieldsIn(event['end']), 'dateTime'))

function readEvent(event: Fields, span: Span, { times, own }: CalendarReading): void {
  const item = itemIn(textIn(fieldsIn(fieldsIn(event['extendedProperties'])['private']), itemProperty))
  const id = textIn(event, 'id')
  if (item !== null && id === idOf({ item })) own.push([item, shownOf(event)])
  if (isFree(event)) return
  const [from, to] = [timeOf(event['start'], span), timeOf(event['end'], span)]
  addTime(times, [from, to, item], span)
}

function isFree(event: Fields): boolean {
  const own = listIn(event, 'attendees').find((one) => one['self'] === true)
  return (
    textIn(event, 'status') === 'cancelled' ||
    textIn(event, 'transparency') === 'transparent' ||
    textIn(event, 'eventType') === 'workingLocation' ||
    (own !== undefined && textIn(own, 'responseStatus') === 'declined')
  )
}

function timeOf(value: unknown, { timezone }: Span): number {
  const fields = fieldsIn(value)
  const date = textIn(fields, 'date')
  const ms = date === undefined ? instantMs(textIn(fields, 'dateTime')) : dayInZone(date, timezone)
  if (ms === undefined) throw new FetchFailed('date_not_valid')
  return ms
}
