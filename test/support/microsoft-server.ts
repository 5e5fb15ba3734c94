import { randomUUID } from 'node:crypto'
import { type CloudAnswer, type CloudRequest, type CloudServer, startCloud } from './cloud-server.ts'

/*
 * A stand-in for Microsoft Graph, written from its documentation: calendarView with pages, its delta, events with
 * transaction IDs and entity tags, subscriptions. A deleted event can still be changed, as among the deleted items, but
 * is no longer in its calendar.
 */

interface GraphTime {
  dateTime: string
  timeZone: string
}

interface GraphEvent {
  id: string
  start: GraphTime
  end: GraphTime
  subject?: string
  transactionId?: string
  body?: { contentType: string; content: string }
  singleValueExtendedProperties?: { id: string; value: string }[]
}

interface Stored {
  event: GraphEvent
  calendar: string
  change: number
  isDeleted: boolean
}

/** A subscription to changes. */
export interface GraphSubscription {
  id: string
  clientState: string
  notificationUrl: string
  lifecycleNotificationUrl: string
  resource: string
  expirationDateTime: string
  /** Number of times that it was renewed. */
  renewals: number
}

export interface MicrosoftServer extends CloudServer {
  subscriptions: GraphSubscription[]
  /** Asks an address to echo a token before a subscription begins. Returns false if it does not. */
  validates: (url: string) => Promise<boolean>
}

/** In minutes, for events. */
const maxSubscription = 4_230
const itemOf = ({ singleValueExtendedProperties: properties = [] }: GraphEvent) =>
  properties.find(({ id }) => id.endsWith('Name holdfast'))?.value

export async function startMicrosoft(): Promise<MicrosoftServer> {
  const calendars = new Map<string, { id: string; owner: string; name: string; isDefault: boolean }>()
  const events = new Map<string, Stored>()
  let change = 0
  let oldestToken = 0

  const store = (event: GraphEvent, calendar: string, isDeleted = false) => {
    change += 1
    events.set(event.id, { event, calendar, change, isDeleted })
    return { status: 200, body: shown(event) }
  }
  const error = (status: number, code: string): CloudAnswer => ({
    status,
    body: { error: { code, message: code } },
  })

  const shown = (event: GraphEvent) => ({
    ...event,
    '@odata.etag': `W/"${events.get(event.id)?.change}"`,
    ...(event.body && { body: { contentType: 'html', content: `<html>${event.body.content}</html>` } }),
  })
  /** Without the header, times are in the zone of the mailbox. */
  const inZone = ({ headers }: CloudRequest, event: GraphEvent) => {
    if (String(headers['prefer']).includes('outlook.timezone="UTC"')) return shown(event)
    const wrong = ({ dateTime }: GraphTime) => ({
      dateTime: new Date(Date.parse(`${dateTime}Z`) - 8 * 3_600_000).toISOString().slice(0, 19),
      timeZone: 'Pacific Standard Time',
    })
    return { ...shown(event), start: wrong(event.start), end: wrong(event.end) }
  }
  const ms = ({ dateTime }: GraphTime) => Date.parse(`${dateTime.replace(/\.\d+$/, '')}Z`)

  const view = (calendar: string, query: URLSearchParams) =>
    [...events.values()].filter(
      (one) =>
        one.calendar === calendar &&
        ms(one.event.end) > Date.parse(query.get('startDateTime') ?? '') &&
        ms(one.event.start) < Date.parse(query.get('endDateTime') ?? ''),
    )
  const paged = (request: CloudRequest, all: object[], last: object = {}): CloudAnswer => {
    const { url, headers } = request
    const asked = /odata\.maxpagesize=(\d+)/.exec(String(headers['prefer']))?.[1]
    const size = Math.min(Number(asked ?? url.searchParams.get('$top') ?? '10'), microsoft.pageSize)
    const from = Number(url.searchParams.get('$skip') ?? '0')
    const next = linkOf(request, { $skip: String(from + size) })
    const isLast = from + size >= all.length
    return {
      status: 200,
      body: { value: all.slice(from, from + size), ...(isLast ? last : { '@odata.nextLink': next }) },
    }
  }
  const linkOf = ({ url, headers }: CloudRequest, changes: Record<string, string>) => {
    const next = new URL(url.pathname + url.search, `http://${headers.host}`)
    for (const [name, value] of Object.entries(changes)) next.searchParams.set(name, value)
    return next.href
  }

  const delta = (calendar: string, request: CloudRequest): CloudAnswer => {
    const query = request.url.searchParams
    if (query.has('$select') || query.has('$expand')) return error(400, 'ErrorInvalidParameter')
    const token = query.get('$deltatoken')
    if (token !== null && Number(token) < oldestToken) return error(410, 'SyncStateNotFound')
    const since = Number(token ?? '-1')
    const found = view(calendar, query).filter(
      (one) => one.change > since && (token !== null || !one.isDeleted),
    )
    const value = found.map(({ event, isDeleted }) =>
      isDeleted ? { id: event.id, '@removed': { reason: 'deleted' } } : inZone(request, event),
    )
    const link = new URL(linkOf(request, { $deltatoken: String(change) }))
    link.searchParams.delete('$skip')
    return paged(request, value, { '@odata.deltaLink': link.href })
  }

  const create = (calendar: string, { body }: CloudRequest): CloudAnswer => {
    const event = body as unknown as GraphEvent
    const { transactionId } = event
    const known = [...events.values()].find((one) => one.event.transactionId === transactionId)
    if (transactionId !== undefined && known) return { status: 201, body: shown(known.event) }
    return { ...store({ ...event, id: `AAMk${randomUUID()}=` }, calendar), status: 201 }
  }

  const ofEvent = (calendar: string, id: string, request: CloudRequest): CloudAnswer => {
    const known = events.get(id)
    if (!known) return error(404, 'ErrorItemNotFound')
    const wanted = request.headers['if-match']
    if (wanted !== undefined && wanted !== `W/"${known.change}"`)
      return error(412, 'ErrorIrresolvableConflict')
    if (request.method === 'DELETE') {
      if (known.isDeleted) return error(404, 'ErrorItemNotFound')
      store(known.event, calendar, true)
      return { status: 204 }
    }
    return store(
      { ...known.event, ...(request.body as Partial<GraphEvent>) },
      known.calendar,
      known.isDeleted,
    )
  }

  const ofCalendar = (calendar: string, rest: string, request: CloudRequest): CloudAnswer => {
    const { method, url } = request
    const query = url.searchParams
    if (rest === 'calendarView/delta') return delta(calendar, request)
    if (rest === 'calendarView') {
      const found = view(calendar, query).filter(({ isDeleted }) => !isDeleted)
      const isExpanded = query.get('$expand')?.startsWith('singleValueExtendedProperties') ?? false
      const value = found.map(({ event }) => {
        const { singleValueExtendedProperties: properties, ...plain } = inZone(request, event)
        return isExpanded ? { ...plain, singleValueExtendedProperties: properties } : plain
      })
      return paged(request, value)
    }
    if (rest === 'events' && method === 'POST') return create(calendar, request)
    if (rest === 'events') {
      const item = /ep\/value eq '([^']+)'/.exec(query.get('$filter') ?? '')?.[1]
      const found = [...events.values()].filter(
        (one) => one.calendar === calendar && !one.isDeleted && itemOf(one.event) === item,
      )
      return paged(
        request,
        found.map(({ event }) => ({ id: event.id })),
      )
    }
    return ofEvent(calendar, decodeURIComponent(rest.replace('events/', '')), request)
  }

  const ofSubscription = async ({ method, url, body }: CloudRequest): Promise<CloudAnswer> => {
    const [, id, action] = /^\/v1\.0\/subscriptions(?:\/([^/]+)(?:\/(\w+))?)?$/.exec(url.pathname) ?? []
    const latest = microsoft.nowMs() + maxSubscription * 60_000
    const { expirationDateTime: until = '' } = body as Partial<GraphSubscription>
    if (until !== '' && Date.parse(until) > latest) return error(400, 'InvalidRequest')
    if (id === undefined) {
      const wanted = body as unknown as GraphSubscription
      for (const address of [wanted.notificationUrl, wanted.lifecycleNotificationUrl])
        if (!address.startsWith('https://') || !(await microsoft.validates(address)))
          return error(400, 'ValidationError')
      const subscription = { ...wanted, id: randomUUID(), renewals: 0 }
      microsoft.subscriptions.push(subscription)
      return { status: 201, body: subscription }
    }
    const known = microsoft.subscriptions.find((one) => one.id === id)
    if (!known) return error(404, 'ResourceNotFound')
    if (method === 'DELETE') {
      microsoft.subscriptions.splice(microsoft.subscriptions.indexOf(known), 1)
      return { status: 204 }
    }
    known.renewals += 1
    if (action !== 'reauthorize') known.expirationDateTime = until
    return { status: 200, body: known }
  }

  const answer = (request: CloudRequest): CloudAnswer | Promise<CloudAnswer> => {
    const { url, user } = request
    if (url.pathname.startsWith('/v1.0/subscriptions')) return ofSubscription(request)
    const own = [...calendars.values()].filter(({ owner }) => owner === user)
    if (url.pathname === '/v1.0/me/calendars') {
      const value = own.map(({ id, name, isDefault }) => ({
        ...{ id, name, isDefaultCalendar: isDefault, canEdit: true, owner: { name: user, address: user } },
      }))
      return paged(request, value)
    }
    const [, id = '', rest = ''] = /^\/v1\.0\/me\/calendars\/([^/]+)\/(.+)$/.exec(url.pathname) ?? []
    const calendar = own.find((one) => one.id === decodeURIComponent(id))
    return calendar ? ofCalendar(calendar.id, rest, request) : error(404, 'ErrorItemNotFound')
  }

  const login = '/common/oauth2/v2.0'
  const cloud = await startCloud({ authorize: `${login}/authorize`, token: `${login}/token`, answer })
  const named = (calendar: string, name: string) =>
    [...events.values()].find(
      (one) =>
        one.calendar === calendar &&
        !one.isDeleted &&
        (one.event.id === `${calendar}-${name}` || itemOf(one.event) === name),
    )
  const times = ({ startsAt, endsAt }: { startsAt: string; endsAt: string }) => {
    const time = (at: string) => ({ dateTime: `${at.slice(0, 19)}.0000000`, timeZone: 'UTC' })
    return { start: time(startsAt), end: time(endsAt) }
  }
  const instant = ({ dateTime }: GraphTime) => `${dateTime.slice(0, 19)}Z`
  const microsoft: MicrosoftServer = Object.assign(cloud, {
    subscriptions: [],
    pageSize: 1_000,
    validates: () => Promise.resolve(true),
    forgetTokens: () => void (oldestToken = change += 1),
    makeUser: (email: string) => {
      const make = (name: string, isDefault: boolean) => {
        const id = `AQMk${name}/${email}=`
        calendars.set(id, { id, owner: email, name, isDefault })
        return id
      }
      return { home: make('Home', false), work: make('Work', true) }
    },
    put: (calendar: string, name: string, { more = {}, ...event }: Parameters<CloudServer['put']>[2]) => {
      const id = `${calendar}-${name}`
      store({ id, subject: name, ...times(event), ...{ showAs: 'busy', isAllDay: false }, ...more }, calendar)
    },
    move: (calendar: string, item: string, to: { startsAt: string; endsAt: string }) => {
      const known = named(calendar, item)
      if (known) store({ ...known.event, ...times(to) }, calendar)
      return known !== undefined
    },
    remove: (calendar: string, name: string) => {
      const known = named(calendar, name)
      if (known) store(known.event, calendar, true)
    },
    events: (calendar: string) =>
      [...events.values()]
        .filter((one) => one.calendar === calendar && !one.isDeleted)
        .map(({ event }) => ({
          item: itemOf(event),
          ...{ title: event.subject ?? '', description: event.body?.content ?? '' },
          ...{ startsAt: instant(event.start), endsAt: instant(event.end) },
        })),
  })
  return microsoft
}
