import type { Availability, Booking, Money, ProblemDocument } from '../api/api-types.ts'
import type { FeeTerm } from '../flow/fee-rules.ts'

/* The parts of the API that the page reads, with the token of its link. */

/** One date of a series. */
export interface SeriesDate {
  id: string
  status: Booking['status']
  starts_at: string
  ends_at: string
  /** The page of this date; absent if its link has ended. */
  manage_url?: string
}

export interface Managed {
  booking: Booking
  policy: {
    can_cancel: boolean
    cancel_until: string | null
    can_reschedule: boolean
    reschedule_until: string | null
    refund: 'full' | 'part' | 'none'
    /** Null if cancelling costs nothing. Absent on a server of an earlier release. */
    fee?: (Money & { charged: number; refunded: number }) | null
    /** The agreed fees for cancelling late. Absent on a server of an earlier release, like the next. */
    late_fees?: FeeTerm[]
    no_show_fee?: FeeTerm | null
  }
  pay_url: string | null
  /** Fees that were charged, are due or were waived. Absent on a server of an earlier release. */
  fees?: (Money & {
    status: 'charging' | 'due' | 'paid' | 'refunded' | 'waived'
    /** A word of Holdfast, or of the business. */
    reason: string
    pay_url: string | null
  })[]
  /** The saved card. Absent on a server of an earlier release. */
  card?: {
    brand: string | null
    last_four: string | null
    removing: boolean
    can_remove: boolean
  } | null
  /** All dates of its series; absent for a booking that stands alone. */
  series?: SeriesDate[]
  business: {
    name: string
    brand_name: string | null
    brand_color: string | null
    brand_logo_url: string | null
    reply_to_email: string | null
    phone: string | null
    imprint_url: string | null
    privacy_url: string | null
    booking_url: string | null
  }
}

/** A cancellation of one date or of several. */
export interface Cancellation {
  reason: string
  series: 'this' | 'following' | 'all'
}

/** A response: 2xx with its body, or the problem. `unreachable`: there was none, or the server is busy. */
export type Reply<T> =
  | { kind: 'ok'; body: T; etag: string | null }
  | { kind: 'refused'; problem: ProblemDocument }
  | { kind: 'unreachable' }

const answerTimeoutMs = 20_000

/** Calls the API for the booking of a token. */
export class ManageApi {
  private readonly base: string
  private readonly token: string

  constructor(base: string, token: string) {
    this.base = base
    this.token = token
  }

  show(): Promise<Reply<Managed>> {
    return this.call('GET', '')
  }

  slots({ from, to }: { from: string; to: string }): Promise<Reply<Availability>> {
    return this.call('GET', `/availability?from=${from}&to=${to}`)
  }

  move(startsAt: string, etag: string | null): Promise<Reply<Booking>> {
    return this.call('POST', '/reschedule', { etag, body: { starts_at: startsAt } })
  }

  cancel({ reason, series }: Cancellation, etag: string | null): Promise<Reply<Booking>> {
    return this.call('POST', `/cancel${series === 'this' ? '' : `?series=${series}`}`, {
      etag,
      body: reason === '' ? {} : { reason },
    })
  }

  /** Has the saved card removed. Returns the status of the response, or undefined without one. */
  async removeCard(): Promise<number | undefined> {
    return (await this.request('DELETE', '/card'))?.status
  }

  /** Returns the calendar file, or undefined. */
  async file(): Promise<string | undefined> {
    const response = await this.request('GET', '/calendar.ics')
    return response?.ok ? response.text() : undefined
  }

  private async call<T>(
    method: string,
    path: string,
    sent?: { etag: string | null; body: object },
  ): Promise<Reply<T>> {
    const response = await this.request(method, path, sent)
    if (!response) return { kind: 'unreachable' }
    try {
      const body: unknown = await response.json()
      if (response.ok) return { kind: 'ok', body: body as T, etag: response.headers.get('etag') }
      const isBusy = response.status === 429 || response.status >= 500
      return isBusy ? { kind: 'unreachable' } : { kind: 'refused', problem: body as ProblemDocument }
    } catch {
      return { kind: 'unreachable' } // not from the API, or truncated
    }
  }

  private async request(
    method: string,
    path: string,
    sent?: { etag: string | null; body: object },
  ): Promise<Response | undefined> {
    try {
      return await fetch(`${this.base}/manage${path}`, {
        method,
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        cache: 'no-store',
        signal: AbortSignal.timeout(answerTimeoutMs),
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(sent && { 'content-type': 'application/json' }),
          ...(sent?.etag && { 'if-match': sent.etag }),
        },
        ...(sent && { body: JSON.stringify(sent.body) }),
      })
    } catch {
      return undefined
    }
  }
}
