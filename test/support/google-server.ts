import { hash } from 'node:crypto'
import { type CloudAnswer, type CloudRequest, type CloudServer, startCloud } from './cloud-server.ts'

/*
 * A stand-in for Google Calendar, written from its documentation: events.list with pages and sync tokens, insert with a
 * chosen ID, update with an entity tag, channels. Events are single ones, as `singleEvents` shows them.
 */

interface GoogleEvent {
  id: string
  status: string
  etag: string
  start: { dateTime?: string; date?: string }
  end: { dateTime?: string; date?: string }
  summary?: string
  description?: string
  extendedProperties?: { private?: { holdfast?: string } }
}

interface Calendar {
  id: string
  owner: string
  summary: string
  isPrimary: boolean
  events: Map<string, GoogleEvent>
  /** Number of the last change of each event. */
  changes: Map<string, number>
}

/** A channel of events.watch. */
export interface GoogleChannel {
  id: string
  resourceId: string
  token: string
  address: string
  calendar: string
  expiration: number
  isStopped: boolean
}

export interface GoogleServer extends CloudServer {
  channels: GoogleChannel[]
}

const root = '/calendar/v3'

export async function startGoogle(): Promise<GoogleServer> {
  const calendars = new Map<string, Calendar>()
  let change = 0
  let oldestToken = 0
  const channels: GoogleChannel[] = []

  const store = (calendar: Calendar, event: Omit<GoogleEvent, 'etag'>) => {
    change += 1
    const stored: GoogleEvent = { ...event, etag: `"${change}"` }
    calendar.events.set(event.id, stored)
    calendar.changes.set(event.id, change)
    return stored
  }
  const error = (code: number, reason: string): CloudAnswer => ({
    status: code,
    body: { error: { code, message: reason, errors: [{ domain: 'calendar', reason }] } },
  })

  const list = (calendar: Calendar, query: URLSearchParams): CloudAnswer => {
    const [syncToken, pageToken] = [query.get('syncToken'), query.get('pageToken')]
    if (syncToken !== null && (query.has('timeMin') || query.has('timeMax'))) return error(400, 'invalid')
    if (syncToken !== null && Number(syncToken) < oldestToken) return error(410, 'fullSyncRequired')
    const all = [...calendar.events.values()].filter((event) => {
      if (syncToken !== null) return (calendar.changes.get(event.id) ?? 0) > Number(syncToken)
      const at = (time: GoogleEvent['start']) => Date.parse(time.dateTime ?? `${time.date}T00:00:00Z`)
      return (
        event.status !== 'cancelled' &&
        at(event.end) > Date.parse(query.get('timeMin') ?? '1970-01-01T00:00:00Z') &&
        at(event.start) < Date.parse(query.get('timeMax') ?? '9999-01-01T00:00:00Z')
      )
    })
    const size = Math.min(Number(query.get('maxResults') ?? '250'), google.pageSize)
    const from = Number(pageToken ?? '0')
    const items = all.slice(from, from + size)
    const isLast = from + size >= all.length
    return {
      status: 200,
      body: {
        items,
        ...(isLast ? { nextSyncToken: String(change) } : { nextPageToken: String(from + size) }),
      },
    }
  }

  const ofEvent = (calendar: Calendar, id: string, request: CloudRequest): CloudAnswer => {
    const known = calendar.events.get(id)
    if (!known) return error(404, 'notFound')
    if (request.method === 'GET') return { status: 200, body: known }
    const wanted = request.headers['if-match']
    if (wanted !== undefined && wanted !== known.etag) return error(412, 'conditionNotMet')
    if (request.method === 'DELETE') {
      if (known.status === 'cancelled') return error(410, 'deleted')
      store(calendar, { ...known, status: 'cancelled' })
      return { status: 204 }
    }
    return { status: 200, body: store(calendar, { ...(request.body as unknown as GoogleEvent), id }) }
  }

  const insert = (calendar: Calendar, { body }: CloudRequest): CloudAnswer => {
    const id = String(body['id'])
    if (!/^[a-v0-9]{5,1024}$/.test(id)) return error(400, 'invalid')
    if (calendar.events.has(id)) return error(409, 'duplicate')
    return { status: 200, body: store(calendar, { ...(body as unknown as GoogleEvent), id }) }
  }

  const watch = (calendar: Calendar, { body }: CloudRequest): CloudAnswer => {
    const { id, token, address, expiration } = body as Record<string, string>
    if (!String(address).startsWith('https://')) return error(400, 'push.webhookUrlNotHttps')
    if (channels.some((one) => one.id === id)) return error(400, 'channelIdNotUnique')
    const channel = {
      ...{ id: String(id), token: String(token), address: String(address), calendar: calendar.id },
      resourceId: hash('sha256', `${calendar.id} ${id}`, 'base64url'),
      expiration: Math.min(Number(expiration), google.nowMs() + 7 * 86_400_000),
      isStopped: false,
    }
    channels.push(channel)
    return {
      status: 200,
      body: {
        ...{ kind: 'api#channel', id, resourceId: channel.resourceId, token },
        expiration: String(channel.expiration),
      },
    }
  }

  const answer = (request: CloudRequest): CloudAnswer => {
    const { method, url, user } = request
    if (url.pathname === `${root}/users/me/calendarList`) {
      const items = [...calendars.values()]
        .filter(({ owner }) => owner === user)
        .map(({ id, summary, isPrimary }) => ({ id, summary, primary: isPrimary, accessRole: 'owner' }))
      return { status: 200, body: { items } }
    }
    if (url.pathname === `${root}/channels/stop`) {
      const { id, resourceId } = request.body
      const channel = channels.find((one) => one.id === id && one.resourceId === resourceId)
      if (!channel || channel.isStopped) return error(404, 'channelIdNotFound')
      channel.isStopped = true
      return { status: 204 }
    }
    const [, id = '', event] =
      /^\/calendar\/v3\/calendars\/([^/]+)\/events(?:\/([^/]+))?$/.exec(url.pathname) ?? []
    const calendar = calendars.get(decodeURIComponent(id))
    if (!calendar || calendar.owner !== user) return error(404, 'notFound')
    if (event === 'watch') return watch(calendar, request)
    if (event !== undefined) return ofEvent(calendar, event, request)
    return method === 'POST' ? insert(calendar, request) : list(calendar, url.searchParams)
  }

  const cloud = await startCloud({
    ...{ authorize: '/o/oauth2/v2/auth', token: '/token', revoke: '/revoke', answer },
  })
  const find = (id: string) => {
    const calendar = calendars.get(id)
    if (!calendar) throw new Error(`there is no calendar ${id}`)
    return calendar
  }
  const itemOf = (event: GoogleEvent) => event.extendedProperties?.private?.holdfast
  const named = (calendar: string, name: string) =>
    [...find(calendar).events.values()].find(
      (event) => event.id === `person${name}` || itemOf(event) === name,
    )
  const google: GoogleServer = Object.assign(cloud, {
    channels,
    pageSize: 2_500,
    forgetTokens: () => void (oldestToken = change += 1),
    makeUser: (email: string) => {
      const home = `${email.replaceAll(/\W/g, '')}@group.calendar.google.com`
      const make = (id: string, summary: string, isPrimary: boolean) =>
        calendars.set(id, { id, owner: email, summary, isPrimary, events: new Map(), changes: new Map() })
      make(home, 'Home', false)
      make(email, 'Work', true)
      return { work: email, home }
    },
    put: (
      calendar: string,
      name: string,
      { startsAt, endsAt, more = {} }: Parameters<CloudServer['put']>[2],
    ) => {
      const times = { start: { dateTime: startsAt }, end: { dateTime: endsAt } }
      store(find(calendar), { id: `person${name}`, status: 'confirmed', summary: name, ...times, ...more })
    },
    move: (calendar: string, item: string, { startsAt, endsAt }: { startsAt: string; endsAt: string }) => {
      const event = named(calendar, item)
      if (!event || event.status === 'cancelled') return false
      store(find(calendar), { ...event, start: { dateTime: startsAt }, end: { dateTime: endsAt } })
      return true
    },
    remove: (calendar: string, name: string) => {
      const event = named(calendar, name)
      if (event) store(find(calendar), { ...event, status: 'cancelled' })
    },
    events: (calendar: string) =>
      [...find(calendar).events.values()]
        .filter(({ status }) => status !== 'cancelled')
        .map((event) => ({
          item: itemOf(event),
          ...{ title: event.summary ?? '', description: event.description ?? '' },
          ...{ startsAt: event.start.dateTime ?? '', endsAt: event.end.dateTime ?? '' },
        })),
  })
  return google
}
