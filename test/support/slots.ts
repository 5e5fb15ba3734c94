import type { Offer } from './offers.ts'
import type { Reply, TestService } from './test-service.ts'

/** A slot as availability shows it. */
export interface ShownSlot {
  starts_at: string
  ends_at: string
  staff_ids: string[]
  seats_left: number
  held_by_you?: true
}

/** The request: a service at a location, perhaps with one staff member. */
export type Asked = Offer & { staff_id?: string | undefined; party_size?: string | undefined }

/** Requests for free slots with one token. */
export interface Watcher {
  show(asked: Asked, from: string, to?: string, headers?: Record<string, string>): Promise<Reply>
  explain(asked: Asked, startsAt: string): Promise<Reply>
  soonest(asked: Asked): Promise<Reply>
  /** Returns the slots of one date. */
  on(asked: Asked, date: string): Promise<ShownSlot[]>
  /** Returns the slot at an instant, or undefined if it is not offered. */
  at(asked: Asked, startsAt: string): Promise<ShownSlot | undefined>
}

/** Requests slots with the token of a client. */
export function watcherOf(service: TestService, { token }: { token: string }): Watcher {
  const ask = (path: string, query: object, headers: Record<string, string> = {}) => {
    const parameters = Object.entries(query).filter(([, value]) => value !== undefined)
    const text = new URLSearchParams(parameters as [string, string][]).toString()
    return service.call('GET', `/availability${path}?${text}`, { token, headers })
  }
  const show: Watcher['show'] = (asked, from, to = from, headers = {}) =>
    ask('', { ...asked, from, to }, headers)
  const on: Watcher['on'] = async (asked, date) => {
    const reply = await show(asked, date)
    if (reply.status !== 200) throw new Error(`no availability: ${JSON.stringify(reply.body)}`)
    return reply.body.days[0].slots as ShownSlot[]
  }
  return {
    show,
    explain: (asked, startsAt) => ask('/explain', { ...asked, starts_at: startsAt }),
    soonest: (asked) => ask('/soonest', asked),
    on,
    at: async (asked, startsAt) => {
      const slots = await on(asked, startsAt.slice(0, 10))
      return slots.find(({ starts_at }) => Date.parse(starts_at) === Date.parse(startsAt))
    },
  }
}

/** Returns the starts of slots, as `10:00` in the zone in which they are shown. */
export function timesOf(slots: readonly ShownSlot[]): string[] {
  return slots.map(({ starts_at }) => starts_at.slice(11, 16))
}
