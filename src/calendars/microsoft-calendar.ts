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
 * Microsoft Graph, version 1.0 (learn.microsoft.com/graph/api/resources/calendar). The delta of a calendar view shows
 * that something has changed. Then the view is read as a whole, because a delta has no complete occurrences.
 */

/** Times without the names of Windows zones, and IDs that stay when an event moves. */
export const microsoftHeaders = { prefer: 'outlook.timezone="UTC", IdType="ImmutableId"' }

/** The property with the booking's ID. Copies of an event may have it, too. */
const itemProperty = 'String {8a5f0c3e-6d3b-4b0e-9a53-2f6d5c1e7b41} Name holdfast'
const expand = `singleValueExtendedProperties($filter=id eq '${itemProperty}')`
const readFields = 'id,subject,start,end,location,isAllDay,isCancelled,showAs,responseStatus,transactionId'
const pageSize = '500'
const dayMs = 86_400_000
/** Less than the maximum for events of 4,230 minutes. */
const subscriptionMs = 4_200 * 60_000

/** An account at Microsoft. */
export class MicrosoftCalendar implements CalendarServer {
  private readonly api: CloudApi

  constructor(api: CloudApi) {
    this.api = api
  }

  /** Lists the calendars. Bookings can be written into those that the person may edit. */
  async discover(): Promise<FoundAccount> {
    const address = `${this.api.url}/me/calendars`
    const calendars: AccountCalendar[] = []
    let userName: string | undefined
    for await (const { fields } of this.api.pages(`${address}?$top=100`, nextLink)) {
      for (const one of listIn(fields, 'value')) {
        const id = textIn(one, 'id')
        if (id === undefined) continue
        const isDefault = one['isDefaultCalendar'] === true
        if (isDefault) userName = textIn(fieldsIn(one['owner']), 'address')
        const calendar = `${address}/${encodeURIComponent(id)}`
        const name = (textIn(one, 'name') ?? '').slice(0, maxName)
        const shown = { calendar, name, writable: one['canEdit'] === true }
        if (isDefault) calendars.unshift(shown)
        else calendars.push(shown)
      }
    }
    if (userName === undefined) throw new FetchFailed('no_calendars')
    return { address, userName, calendars: calendars.slice(0, maxCalendars) }
  }

  async read(calendar: string, span: Span, known: string | null): Promise<CalendarReading | undefined> {
    const untilMs = readingUntil()
    // before the view, so that a change in between shows next time
    const state = await this.deltaAfter(calendar, span, { known, untilMs })
    if (state === known && known !== null) return undefined
    const reading: CalendarReading = { times: [], own: [], state }
    const query = new URLSearchParams({
      ...{ $top: pageSize, $select: readFields, $expand: expand },
      ...spanQuery(span),
    })
    const first = `${calendar}/calendarView?${query.toString()}`
    for await (const { fields } of this.api.pages(first, nextLink, { untilMs }))
      for (const event of listIn(fields, 'value')) readEvent(event, span, reading)
    return reading
  }

  async write(event: EventToWrite, known: WrittenEvent | undefined): Promise<WriteResult> {
    const body = bodyOf(event)
    const { calendar } = event
    if (known?.key !== undefined) {
      const headers = known.etag === '' ? {} : { 'if-match': known.etag }
      const { status, fields } = await this.update(calendar, known.key, { body, headers })
      if (status === 200) return resultOf(fields)
    }
    // it is there after a lost answer or somebody's change, or only among the deleted items
    for (const key of await this.find(event)) {
      const { status, fields } = await this.update(calendar, key, { body })
      if (status === 200) return resultOf(fields)
    }
    const transactionId = `${event.item}-${event.changes}`
    const { fields } = await this.api.call('POST', `${calendar}/events`, { body: { ...body, transactionId } })
    return resultOf(fields)
  }

  async delete(event: WrittenEvent): Promise<void> {
    const keys = event.key === undefined ? await this.find(event) : [event.key]
    for (const key of keys)
      await this.api.call('DELETE', eventAddress(event.calendar, key), { takes: [404, 410] })
  }

  /** Renews the known subscription, or creates the first one. */
  async watch(
    calendar: string,
    { known, freshId, nowMs, token, address }: ChannelRequest,
  ): Promise<OpenChannel> {
    const untilMs = nowMs + subscriptionMs
    const expirationDateTime = new Date(untilMs).toISOString()
    if (known) {
      const one = this.subscription(known)
      const { status } = await this.api.call('PATCH', one, { body: { expirationDateTime }, takes: [404] })
      if (status === 200) return { ...known, untilMs }
    }
    const path = decodeURIComponent(calendar.slice(this.api.url.length))
    const resource = `${path}/events`
    const [notificationUrl, clientState] = [address(freshId), token(freshId)]
    const { fields } = await this.api.call('POST', `${this.api.url}/subscriptions`, {
      body: {
        ...{ changeType: 'created,updated,deleted', resource, expirationDateTime, clientState },
        ...{ notificationUrl, lifecycleNotificationUrl: notificationUrl },
      },
    })
    const key = textIn(fields, 'id')
    if (key === undefined) throw new FetchFailed('invalid_response')
    return { id: freshId, key, untilMs }
  }

  async unwatch(channel: ChannelKey): Promise<void> {
    await this.api.call('DELETE', this.subscription(channel), { takes: [404] })
  }

  private subscription({ key }: ChannelKey): string {
    return `${this.api.url}/subscriptions/${encodeURIComponent(key)}`
  }

  private update(
    calendar: string,
    key: string,
    { body, headers = {} }: { body: Fields; headers?: Record<string, string> },
  ) {
    return this.api.call('PATCH', eventAddress(calendar, key), { body, headers, takes: [404, 410, 412] })
  }

  /** Returns the IDs of the events that were written for an item. */
  private async find({ calendar, item }: Pick<WrittenEvent, 'calendar' | 'item'>): Promise<string[]> {
    const $filter = `singleValueExtendedProperties/Any(ep: ep/id eq '${itemProperty}' and ep/value eq '${item}')`
    const query = new URLSearchParams({ $filter, $select: 'id', $top: '10' })
    const { fields } = await this.api.call('GET', `${calendar}/events?${query.toString()}`)
    return listIn(fields, 'value').flatMap((one) => textIn(one, 'id') ?? [])
  }

  /**
   * Returns `known` if nothing has changed since, else the address of the next delta. Null without a delta, as for
   * a calendar whose first one has too many pages.
   */
  private async deltaAfter(
    calendar: string,
    span: Span,
    { known, untilMs }: { known: string | null; untilMs: number },
  ): Promise<string | null> {
    const first = `${calendar}/calendarView/delta?${new URLSearchParams(spanQuery(span)).toString()}`
    const headers = { prefer: `${microsoftHeaders.prefer}, odata.maxpagesize=${pageSize}` }
    let changes = 0
    let state: string | null = null
    const read = async (from: string) => {
      for await (const { status, fields } of this.api.pages(from, nextLink, {
        ...{ untilMs, headers, takes: [400, 410] },
      })) {
        if (status !== 200) return false
        changes += listIn(fields, 'value').length
        state = textIn(fields, '@odata.deltaLink') ?? null
      }
      return true
    }
    try {
      if (known !== null && (await read(known))) return changes === 0 ? known : state
      await read(first)
      return state
    } catch (error) {
      // such a calendar is read as a whole each time
      if (error instanceof FetchFailed && error.fault.problem === 'too_many_times') return null
      throw error
    }
  }
}

const nextLink = (fields: Fields) => textIn(fields, '@odata.nextLink')

function spanQuery({ fromMs, toMs: untilMs }: Span): Record<string, string> {
  return { startDateTime: new Date(fromMs).toISOString(), endDateTime: new Date(untilMs).toISOString() }
}

function eventAddress(calendar: string, key: string): string {
  return `${calendar}/events/${encodeURIComponent(key)}`
}

function bodyOf({ item, appointment }: EventToWrite): Fields {
  const { title, place, description, startsAt, endsAt, isTentative = false } = appointment
  return {
    ...{ subject: title, body: { contentType: 'text', content: description } },
    ...{ location: { displayName: place }, isAllDay: false, showAs: isTentative ? 'tentative' : 'busy' },
    ...{ start: timeOf(startsAt), end: timeOf(endsAt) },
    singleValueExtendedProperties: [{ id: itemProperty, value: item }],
  }
}

function timeOf(instant: Appointment['startsAt']): Fields {
  return { dateTime: new Date(toMs(instant)).toISOString().slice(0, 19), timeZone: 'UTC' }
}

function resultOf(event: Fields): WriteResult {
  const [etag, key] = [textIn(event, '@odata.etag'), textIn(event, 'id')]
  if (etag === undefined || key === undefined) throw new FetchFailed('invalid_response')
  return { etag, key, shown: shownOf(event) }
}

/** Returns a digest of what Holdfast writes, without the text, which Microsoft turns into HTML. */
function shownOf(event: Fields): string {
  const place = textIn(fieldsIn(event['location']), 'displayName') ?? ''
  const times = [msOf(event['start']), msOf(event['end']), event['isAllDay'] === true]
  const parts = [textIn(event, 'subject') ?? '', place, textIn(event, 'showAs') ?? '', ...times]
  return hash('sha256', JSON.stringify(parts), 'base64url')
}

function readEvent(event: Fields, span: Span, { times, own }: CalendarReading): void {
  const id = textIn(event, 'id')
  const item = itemOf(event)
  if (item !== null && id !== undefined) own.push([id, shownOf(event)])
  const answer = textIn(fieldsIn(event['responseStatus']), 'response')
  if (event['isCancelled'] === true || textIn(event, 'showAs') === 'free' || answer === 'declined') return
  const isAllDay = event['isAllDay'] === true
  const [from, to] = [event['start'], event['end']].map((at) => (isAllDay ? dayOf(at, span) : msOf(at)))
  if (from === undefined || to === undefined) throw new FetchFailed('date_not_valid')
  addTime(times, [from, to, item], span)
}

function itemOf(event: Fields): string | null {
  const property = listIn(event, 'singleValueExtendedProperties').find(
    (one) => textIn(one, 'id')?.toLowerCase() === itemProperty.toLowerCase(),
  )
  const transaction = textIn(event, 'transactionId')?.replace(/-\d+$/, '')
  return itemIn(property ? textIn(property, 'value') : transaction)
}

/** Returns a time, which is in UTC but does not say so. */
function msOf(value: unknown): number | undefined {
  const text = textIn(fieldsIn(value), 'dateTime')
  return instantMs(text === undefined || /(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`)
}

/** Returns the start of a day in the zone of the business. Its midnight may have been another zone's. */
function dayOf(value: unknown, { timezone }: Span): number | undefined {
  const ms = msOf(value)
  return ms === undefined
    ? undefined
    : dayInZone(new Date(ms + dayMs / 2).toISOString().slice(0, 10), timezone)
}
