import { UsageError } from '../base/errors.ts'
import { type Instant, isTimeZone } from '../base/instants.ts'
import {
  clientNamed,
  hourOf,
  joinHours,
  listOf,
  locationIn,
  membersOf,
  newSource,
  textOf,
  utcInstant,
  weeklyOf,
  wholeOf,
} from './source-parts.ts'
import type { Source } from './source-types.ts'

/*
 * Reads answers of the API of Calendly from one file: event types, scheduled events with invitees, users and schedules, in
 * any order and nesting. Each thing is known by its `uri`. https://developer.calendly.com/api-docs
 */

type Resource = Record<string, unknown>

interface Reading {
  source: Source
  resources: Map<Kind, Resource[]>
  name: string
  timezone: string
  now: Instant
}

type Kind = keyof typeof kinds

const id = '[\\w-]{1,100}'

const kinds = {
  invitee: new RegExp(`/scheduled_events/(${id})/invitees/(${id})$`),
  event: new RegExp(`/scheduled_events/(${id})$`),
  type: new RegExp(`/event_types/(${id})$`),
  schedule: new RegExp(`/user_availability_schedules/(${id})$`),
  user: new RegExp(`/users/(${id})$`),
}

const maxDepth = 12

/** Reads a file. Throws a UsageError if it is no JSON, or has no event of Calendly. */
export function readCalendly(
  text: string,
  options: { name: string; timezone: string; now: Instant },
): Source {
  const resources = new Map<Kind, Resource[]>()
  const seen = new Set<string>()
  collect(parse(text), { resources, seen, depth: 0 })
  const reading: Reading = { source: newSource('calendly', 'event'), resources, ...options }
  if (of(reading, 'event').length + of(reading, 'type').length === 0)
    throw new UsageError('The file has no event types and no scheduled events of Calendly.')
  readPeople(reading)
  readServices(reading)
  readEvents(reading)
  return reading.source
}

/** Reads one JSON value, or several, one a line. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    try {
      return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as unknown]))
    } catch (error) {
      throw new UsageError(`The file is not valid JSON: ${error instanceof Error ? error.message : ''}`)
    }
  }
}

function collect(
  value: unknown,
  { resources, seen, depth }: { resources: Map<Kind, Resource[]>; seen: Set<string>; depth: number },
): void {
  if (depth > maxDepth || typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) {
    const uri = textOf((value as Resource)['uri'])
    const kind = (Object.keys(kinds) as Kind[]).find((one) => kinds[one].test(uri))
    if (kind && !seen.has(uri)) {
      seen.add(uri)
      resources.set(kind, [...(resources.get(kind) ?? []), value as Resource])
    }
  }
  for (const member of Object.values(value)) collect(member, { resources, seen, depth: depth + 1 })
}

function of({ resources }: Pick<Reading, 'resources'>, kind: Kind): Resource[] {
  return resources.get(kind) ?? []
}

function remark({ source }: Reading, what: string, detail: string, isLeftOut = false): void {
  source.remarks.push({ what, detail, isLeftOut })
}

/** The people of events and event types, also those who are not among the users of the file. */
function readPeople(reading: Reading): void {
  const named = new Map<string, { name: string; email: string; zone: string }>()
  for (const user of of(reading, 'user')) {
    const { uri, name, email, timezone } = user
    named.set(textOf(uri), { name: textOf(name), email: textOf(email), zone: textOf(timezone) })
  }
  for (const event of of(reading, 'event'))
    for (const host of listOf(event['event_memberships']).map(membersOf)) {
      const uri = textOf(host['user'])
      if (uri !== '' && !named.has(uri))
        named.set(uri, { name: textOf(host['user_name']), email: textOf(host['user_email']), zone: '' })
    }
  for (const { profile } of of(reading, 'type')) {
    const { owner, name } = membersOf(profile)
    const uri = textOf(owner)
    if (kinds.user.test(uri) && !named.has(uri)) named.set(uri, { name: textOf(name), email: '', zone: '' })
  }
  for (const [uri, { name, email, zone }] of named) {
    const own = of(reading, 'schedule').filter(({ user }) => user === uri)
    const schedule = own.find((one) => one['default'] === true) ?? own[0]
    const what = `user ${name || email}`
    if (!schedule) remark(reading, what, 'has no schedule in the file; they get no hours')
    const zones = [textOf(schedule?.['timezone']), zone, reading.timezone]
    const known = zones.find((one) => one !== '' && isTimeZone(one)) ?? reading.timezone
    reading.source.people.push({
      key: uri,
      entry: { name: name || email, ...(email !== '' && { email }), ...hoursOf(reading, schedule) },
      locations: [locationIn(reading.source, known, reading.name)],
    })
  }
}

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

function hoursOf({ now }: Reading, schedule: Resource | undefined) {
  const weekly = new Map<number, [string, string][]>()
  const dates = new Map<string, [string, string][]>()
  for (const rule of listOf(schedule?.['rules']).map(membersOf)) {
    const spans = listOf(rule['intervals']).flatMap((interval): [string, string][] => {
      const { from, to } = membersOf(interval)
      const [opens, closes] = [hourOf(from), hourOf(to)]
      return opens === undefined || closes === undefined
        ? []
        : [[opens, closes === '00:00' ? '24:00' : closes]]
    })
    const date = textOf(rule['date'])
    if (rule['type'] === 'date') {
      if (/^\d{4}-\d\d-\d\d$/.test(date) && date >= now.slice(0, 10)) dates.set(date, spans)
    } else weekly.set(days.indexOf(textOf(rule['wday'])), spans)
  }
  return {
    weekly_hours: weeklyOf(weekly),
    date_overrides: [...dates]
      .map(([date, spans]) => ({ date, hours: joinHours(spans) }))
      .toSorted((one, other) => (one.date < other.date ? -1 : 1)),
  }
}

function readServices(reading: Reading): void {
  const { source } = reading
  const people = new Map(source.people.map((person) => [person.key, person]))
  const hosts = new Map<string, Set<string>>()
  for (const event of of(reading, 'event')) {
    const list = hosts.get(textOf(event['event_type'])) ?? new Set()
    for (const host of listOf(event['event_memberships']).map(membersOf)) list.add(textOf(host['user']))
    hosts.set(textOf(event['event_type']), list)
  }
  for (const type of of(reading, 'type')) {
    const key = textOf(type['uri'])
    const owner = textOf(membersOf(type['profile'])['owner'])
    const staff = [...new Set([owner, ...(hosts.get(key) ?? [])])].filter((uri) => people.has(uri))
    const name = textOf(type['name'])
    const isActive = type['active'] !== false && type['secret'] !== true && staff.length > 0
    if (!isActive)
      remark(
        reading,
        `event type ${name}`,
        'is inactive, secret or without a host, so clients cannot book it here until you activate it',
      )
    const description = textOf(type['description_plain'])
    const places = [...new Set(staff.flatMap((uri) => people.get(uri)?.locations ?? []))]
    source.services.push({
      key,
      entry: {
        name,
        duration_minutes: wholeOf(type['duration'], 1, 100_000) ?? 0,
        ...(description !== '' && { description }),
        ...(!isActive && { active: false }),
      },
      locations: places.length > 0 ? places : [locationIn(source, reading.timezone, reading.name)],
      staff,
    })
  }
}

function readEvents(reading: Reading): void {
  const types = new Set(reading.source.services.map(({ key }) => key))
  const invitees = Map.groupBy(
    of(reading, 'invitee'),
    ({ uri }) => kinds.invitee.exec(textOf(uri))?.[1] ?? '',
  )
  for (const event of of(reading, 'event')) {
    const key = kinds.event.exec(textOf(event['uri']))?.[1] ?? ''
    const [starts_at, ends_at] = [utcInstant(event['start_time']), utcInstant(event['end_time'])]
    const service = textOf(event['event_type'])
    const own = invitees.get(key) ?? []
    if (!starts_at || !ends_at || ends_at <= starts_at || !types.has(service) || own.length === 0) {
      const fault = !types.has(service)
        ? 'has no event type in the file'
        : own.length === 0
          ? 'has no invitee in the file'
          : 'has no valid times'
      remark(reading, `event ${key}`, fault, true)
      continue
    }
    const [host] = listOf(event['event_memberships']).map(membersOf)
    const parts = { service, location: undefined, staff: textOf(host?.['user']) || undefined, party_size: 1 }
    const isOver = textOf(event['status']) !== 'active'
    for (const invitee of own) {
      const isCancelled = isOver || textOf(invitee['status']) === 'canceled'
      reading.source.bookings.push({
        ...{ ...parts, starts_at, ends_at, created_at: utcInstant(invitee['created_at']) },
        key: `${key} ${kinds.invitee.exec(textOf(invitee['uri']))?.[2] ?? ''}`,
        client: clientOf(reading, invitee),
        state: isCancelled
          ? 'cancelled'
          : typeof invitee['no_show'] === 'object' && invitee['no_show'] !== null
            ? 'no_show'
            : 'booked',
        notes: notesOf(event, invitee),
      })
    }
  }
}

function clientOf({ source }: Reading, invitee: Resource): string {
  const zone = textOf(invitee['timezone'])
  return clientNamed(source, {
    ...{ name: textOf(invitee['name']), email: textOf(invitee['email']) },
    ...{ first: textOf(invitee['first_name']), last: textOf(invitee['last_name']) },
    ...{ phone: textOf(invitee['text_reminder_number']), zone: isTimeZone(zone) ? zone : '' },
  })
}

function notesOf(event: Resource, invitee: Resource): string {
  const answers = listOf(invitee['questions_and_answers'])
    .map(membersOf)
    .map(({ question, answer }) => `${textOf(question)}: ${textOf(answer)}`)
  const { location, join_url } = membersOf(event['location'])
  return [...answers, textOf(location), textOf(join_url)].filter(Boolean).join('\n')
}
