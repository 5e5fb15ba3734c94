import { setTimeout as pause } from 'node:timers/promises'
import { reasonOf } from '../../tools/connection-faults.ts'
import { OperatorError } from '../base/errors.ts'
import { daySeconds, type Instant, plusSeconds, readInstant } from '../base/instants.ts'
import type { EventType } from '../webhooks/event-payload.ts'

/* Makes events happen in a test business as clients and its team would: with requests to the API. */

const timeoutMs = 30_000
/** Looks for something that a server does on its own, at half a second each. */
const maxLooks = 20
const lookMs = 500

/** A body of the API. */
type Body = Record<string, unknown>

interface Access {
  key: string
  publishableKey: string | undefined
  write: (line: string) => void
}

interface ShownService {
  id: string
  name: string
  active: boolean
  confirmation: string
  deposit: unknown
  location_ids: string[]
  custom_fields: { required: boolean }[]
}

/** A service at a location. */
interface Offer {
  service_id: string
  location_id: string
}

/** The booking of a run. */
interface Booked {
  id: string
  starts_at: string
  ends_at: string
  redirect_url: string | undefined
}

/** One run: the requests that cause an event. Prints each step with its IDs. */
export class TriggerRun {
  private readonly url: string
  private readonly access: Access
  private session: string | undefined

  constructor(url: string, access: Access) {
    this.url = url
    this.access = access
  }

  /** Throws an OperatorError unless the key belongs to a test business. */
  async begin(): Promise<void> {
    this.access.write(`The clock of the test business shows ${await this.clock()}.`)
  }

  /** Returns the time of the test business. */
  async clock(): Promise<string> {
    return String((await this.sendAs(this.access.key, 'GET', '/test/clock'))['now'])
  }

  /** Holds the next free time of the first service that fits, at least some days ahead. */
  async hold(
    fits: (service: ShownService) => boolean = isPlain,
    aheadDays = 0,
  ): Promise<Offer & { id: string; expires_at: string }> {
    const { data } = await this.send('GET', '/services?limit=100')
    const services = (data as ShownService[]).filter((service) => service.active && fits(service))
    for (const { id, name, location_ids } of services) {
      for (const location_id of location_ids) {
        const offer = { service_id: id, location_id }
        const slot = aheadDays === 0 ? await this.soonest(offer) : await this.later(offer, aheadDays)
        if (slot === undefined) continue
        const { hold_id, expires_at } = await this.send('POST', '/bookings/hold', {
          ...offer,
          starts_at: slot,
        })
        this.access.write(`Held ${name} at ${slot}: hold ${String(hold_id)}`)
        return { ...offer, id: String(hold_id), expires_at: String(expires_at) }
      }
    }
    throw new OperatorError('The test business has no active service of that kind with a free time.')
  }

  /** Holds and books. */
  async book(fits?: (service: ShownService) => boolean, aheadDays?: number): Promise<Booked & Offer> {
    const { id: hold_id, service_id, location_id } = await this.hold(fits, aheadDays)
    const client = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' }
    const { id, starts_at, ends_at, redirect_url } = await this.send('POST', '/bookings', { hold_id, client })
    this.access.write(`Booked: booking ${String(id)}`)
    return {
      ...{ service_id, location_id, id: String(id), starts_at: String(starts_at), ends_at: String(ends_at) },
      redirect_url: typeof redirect_url === 'string' ? redirect_url : undefined,
    }
  }

  /** Changes a booking with the key of the business. */
  async change({ id }: Pick<Booked, 'id'>, change: Body): Promise<void> {
    await this.sendAs(this.access.key, 'PATCH', `/bookings/${id}`, change)
    this.access.write(`Changed booking ${id}: ${JSON.stringify(change)}`)
  }

  async cancel({ id }: Pick<Booked, 'id'>): Promise<void> {
    await this.sendAs(this.access.key, 'DELETE', `/bookings/${id}`)
    this.access.write(`Cancelled booking ${id}`)
  }

  /** Returns the next free time of a service. Undefined without one. */
  async soonest({ service_id, location_id }: Offer): Promise<string | undefined> {
    const query = new URLSearchParams({ service_id, location_id }).toString()
    const slot = (await this.send('GET', `/availability/soonest?${query}`)) as Body | null
    return slot === null ? undefined : String(slot['starts_at'])
  }

  /** Returns the first free time within a week that begins some days ahead. Undefined without one. */
  private async later({ service_id, location_id }: Offer, days: number): Promise<string | undefined> {
    const now = await this.clock()
    const date = (ahead: number) => this.after(now, ahead * daySeconds).slice(0, 'yyyy-mm-dd'.length)
    const week = { from: date(days), to: date(days + 6) }
    const query = new URLSearchParams({ service_id, location_id, ...week }).toString()
    const { days: shown } = await this.send('GET', `/availability?${query}`)
    return (shown as { slots: { starts_at: string }[] }[]).flatMap(({ slots }) => slots)[0]?.starts_at
  }

  /** Moves the clock to an instant, which is not before the present one. */
  async moveTo(instant: string): Promise<void> {
    const now = readInstant(instant)
    if (readInstant(await this.clock()) > now) return
    const moved = await this.sendAs(this.access.key, 'POST', '/test/clock', { now })
    this.access.write(`Moved the clock to ${String(moved['now'])}`)
  }

  /** Makes further requests as a client, with a session. */
  async becomeClient(): Promise<void> {
    const { session_token } = await this.sendAs(this.access.publishableKey ?? '', 'POST', '/session')
    this.session = String(session_token)
  }

  /** Pays at the checkout page of the sandbox. */
  async pay({ id, redirect_url }: Booked): Promise<void> {
    if (redirect_url === undefined) throw new OperatorError('The booking has no checkout page.')
    // the page is on this server, whatever its public address is
    const path = new URL(redirect_url).pathname
    const answer = await this.request(`${path}/pay`, { method: 'POST', redirect: 'manual' })
    if (answer.status !== 303) throw new OperatorError(`The sandbox answers ${answer.status}.`)
    this.access.write(`Paid the checkout of booking ${id}`)
  }

  async refund({ id }: Pick<Booked, 'id'>): Promise<void> {
    await this.sendAs(this.access.key, 'POST', `/bookings/${id}/refund`, {})
    this.access.write(`Refunded booking ${id}`)
  }

  /** Joins the waiting list for the day of a free time, which is then offered. */
  async waitForOffer(): Promise<void> {
    const { service_id, location_id, id, starts_at } = await this.book()
    const day = starts_at.slice(0, 10)
    const entry = await this.sendAs(this.access.key, 'POST', '/waitlist', {
      ...{ service_id, location_id, from: day, to: day },
      client: { first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com' },
    })
    this.access.write(`Joined the waiting list: entry ${String(entry['id'])}`)
    await this.cancel({ id })
    await this.until(`/waitlist/${String(entry['id'])}`, ({ status }) => status === 'offered')
  }

  /** Waits until a message about a booking was kept. */
  async untilKept({ id }: Pick<Booked, 'id'>, kind: string): Promise<void> {
    await this.until(`/mails?booking_id=${id}`, ({ data }) =>
      (data as Body[]).some((mail) => mail['kind'] === kind && mail['status'] === 'kept'),
    )
    this.access.write(`Kept the message "${kind}" about booking ${id}`)
  }

  /** Returns the instant some seconds after another, in UTC. */
  after(instant: string, seconds: number): Instant {
    return plusSeconds(readInstant(instant), seconds)
  }

  private async until(path: string, isSo: (body: Body) => boolean): Promise<void> {
    for (let looks = 0; looks < maxLooks; looks += 1) {
      if (isSo(await this.sendAs(this.access.key, 'GET', path))) return
      await pause(lookMs)
    }
    throw new OperatorError(`The server has not done it within ${(maxLooks * lookMs) / 1_000} s.`)
  }

  private send(method: string, path: string, body?: Body): Promise<Body> {
    return this.sendAs(this.session ?? this.access.key, method, path, body)
  }

  private async sendAs(token: string, method: string, path: string, body?: Body): Promise<Body> {
    const response = await this.request(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer = (text === '' ? {} : JSON.parse(text)) as Body // the API answers with JSON
    if (response.ok) return answer
    throw new OperatorError(
      `${method} ${path} is refused: ${typeof answer['detail'] === 'string' ? answer['detail'] : response.status}`,
    )
  }

  private async request(path: string, request: RequestInit): Promise<Response> {
    try {
      return await fetch(this.url + path, { ...request, signal: AbortSignal.timeout(timeoutMs) })
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      throw new OperatorError(`The server at ${this.url} does not answer (${reasonOf(cause)}).`)
    }
  }
}

/** True for a service that anybody can book with a name and an email address only. */
function isPlain({ deposit, confirmation, custom_fields }: ShownService): boolean {
  return deposit === null && confirmation === 'automatic' && !custom_fields.some(({ required }) => required)
}

const hasDeposit = ({ deposit, custom_fields }: ShownService) =>
  deposit !== null && !custom_fields.some(({ required }) => required)

interface Trigger {
  about: string
  /** True if only sessions cause it. */
  byClient?: true
  cause: (run: TriggerRun) => Promise<void>
}

async function pay(run: TriggerRun): Promise<Booked> {
  await run.becomeClient()
  const booked = await run.book(hasDeposit)
  await run.pay(booked)
  return booked
}

async function reschedule(run: TriggerRun): Promise<void> {
  const booked = await run.book()
  const starts_at = await run.soonest(booked)
  if (starts_at === undefined) throw new OperatorError('There is no other free time.')
  await run.change(booked, { starts_at })
}

type TriggerName = Exclude<EventType, 'webhook.failing'> | 'hold.expired' | 'reminder'

/** The events that can be caused. `webhook.failing` needs a receiver that fails for a day. */
export const triggers: Record<TriggerName, Trigger> = {
  'booking.created': {
    about: 'books the next free time',
    cause: async (run) => {
      await run.book()
    },
  },
  'booking.updated': {
    about: 'books, then changes the notes',
    cause: async (run) => run.change(await run.book(), { notes: 'Changed by "holdfast trigger"' }),
  },
  'booking.rescheduled': { about: 'books, then moves to the next free time', cause: reschedule },
  'booking.cancelled': {
    about: 'books, then cancels',
    cause: async (run) => run.cancel(await run.book()),
  },
  'booking.completed': {
    about: 'books, moves the clock past the end, and completes',
    cause: async (run) => {
      const booked = await run.book()
      await run.moveTo(booked.ends_at)
      await run.change(booked, { status: 'completed' })
    },
  },
  'booking.no_show': {
    about: 'books, moves the clock past the start, and marks the client as absent',
    cause: async (run) => {
      const booked = await run.book()
      await run.moveTo(run.after(booked.starts_at, 1))
      await run.change(booked, { status: 'completed', no_show: true })
    },
  },
  'booking.requested': {
    about: 'requests a service that the business confirms',
    byClient: true,
    cause: async (run) => {
      await run.becomeClient()
      await run.book(({ confirmation }) => confirmation === 'request')
    },
  },
  'payment.paid': {
    about: 'books a service with a deposit and pays in the sandbox',
    byClient: true,
    cause: async (run) => {
      await pay(run)
    },
  },
  'payment.refunded': {
    about: 'pays a deposit, then refunds it',
    byClient: true,
    cause: async (run) => run.refund(await pay(run)),
  },
  'payment.failed': {
    about: 'books a service with a deposit and lets the checkout pass',
    byClient: true,
    cause: async (run) => {
      await run.becomeClient()
      await run.book(hasDeposit)
      await run.moveTo(run.after(await run.clock(), daySeconds)) // longer than any checkout
    },
  },
  'waitlist.offered': {
    about: 'joins the waiting list and frees a time',
    cause: async (run) => run.waitForOffer(),
  },
  'hold.expired': {
    about: 'holds a time and moves the clock to its end; webhooks do not report this',
    cause: async (run) => {
      const { expires_at } = await run.hold()
      await run.moveTo(expires_at)
    },
  },
  reminder: {
    about: 'books and moves the clock to a day before the start; the reminder is kept',
    cause: async (run) => {
      const booked = await run.book(isPlain, 2)
      await run.moveTo(run.after(booked.starts_at, -daySeconds))
      await run.untilKept(booked, 'reminder')
    },
  },
}
