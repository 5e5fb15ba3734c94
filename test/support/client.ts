import type { Offer, OwnBusiness } from './offers.ts'
import { ada, type Reply, type TestService } from './test-service.ts'

/** The calls about holds and bookings, made with one token from one address. */
export interface Client {
  token: string
  hold(offer: Offer, startsAt: string, more?: Record<string, unknown>): Promise<Reply>
  showHold(id: string): Promise<Reply>
  release(id: string): Promise<Reply>
  /** Converts a hold. `more` adds or replaces members of the body. */
  book(holdId: string, more?: Record<string, unknown>): Promise<Reply>
  show(id: string): Promise<Reply>
  list(query?: Record<string, string | number>): Promise<Reply>
  change(id: string, change: Record<string, unknown>, headers?: Record<string, string>): Promise<Reply>
  cancel(id: string, headers?: Record<string, string>): Promise<Reply>
}

export function clientOf(service: TestService, token: string, remoteAddress = '127.0.0.1'): Client {
  const call = (
    method: string,
    path: string,
    options: { body?: unknown; headers?: Record<string, string> } = {},
  ) => service.call(method, path, { token, remoteAddress, ...options })
  return {
    token,
    hold: (offer, startsAt, more = {}) =>
      call('POST', '/bookings/hold', { body: { ...offer, starts_at: startsAt, ...more } }),
    showHold: (id) => call('GET', `/bookings/hold/${id}`),
    release: (id) => call('DELETE', `/bookings/hold/${id}`),
    book: (holdId, more = {}) =>
      call('POST', '/bookings', { body: { hold_id: holdId, client: ada, ...more } }),
    show: (id) => call('GET', `/bookings/${id}`),
    list: (query = {}) => {
      const parameters = Object.entries(query).map(([name, value]) => [name, String(value)])
      return call('GET', `/bookings?${new URLSearchParams(parameters).toString()}`)
    },
    change: (id, body, headers = {}) => call('PATCH', `/bookings/${id}`, { body, headers }),
    cancel: (id, headers = {}) => call('DELETE', `/bookings/${id}`, { headers }),
  }
}

/** Creates a client with a new session of a business. */
export async function sessionClient(
  service: TestService,
  business: OwnBusiness,
  remoteAddress = '127.0.0.1',
): Promise<Client> {
  const reply = await service.call('POST', '/session', { token: business.publishableKey, remoteAddress })
  if (reply.status !== 201) throw new Error(`no session: ${JSON.stringify(reply.body)}`)
  return clientOf(service, reply.body.session_token as string, remoteAddress)
}

/** Holds and converts. Returns the body of the booking. */
export async function bookSlot(
  client: Client,
  offer: Offer,
  startsAt: string,
  more: { hold?: Record<string, unknown>; book?: Record<string, unknown> } = {},
): Promise<Reply['body']> {
  const held = await client.hold(offer, startsAt, more.hold)
  if (held.status !== 201) throw new Error(`no hold: ${JSON.stringify(held.body)}`)
  const booked = await client.book(held.body.hold_id as string, more.book)
  if (booked.status !== 201) throw new Error(`no booking: ${JSON.stringify(booked.body)}`)
  return booked.body
}
