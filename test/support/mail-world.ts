import type { Engine } from '../../src/database/database.ts'
import { insertMails } from '../../src/mails/outbox-queries.ts'
import { startMailServer, type MailServer } from './mail-server.ts'
import {
  makeBusiness,
  makeOffer,
  makeStaff,
  type Offer,
  type OwnBusiness,
  type ServiceParts,
} from './offers.ts'
import { ada, startTestService, type Reply, type TestService } from './test-service.ts'

/** A service with a business, whose emails a server accepts. */
export interface MailWorld {
  service: TestService
  server: MailServer
  business: OwnBusiness
  /** Sends a request with the key of the business. */
  call(method: string, path: string, body?: unknown): Promise<Reply>
  /** Creates a separate offer. */
  offer(parts?: Partial<ServiceParts> & { timezone?: string }): Promise<Offer>
  /** Books with the key and returns the booking. */
  book(
    offer: Offer,
    startsAt: string,
    parts?: Record<string, unknown>,
  ): Promise<{ id: string } & Record<string, unknown>>
  /** Waits until nothing is due any more. */
  sent(): Promise<void>
  /** Returns the emails that have arrived since the last call. */
  fresh(): MailServer['mails']
  staff(...names: string[]): Promise<string[]>
  stop(): Promise<void>
}

export const mailVariables = (url: string) => ({
  SMTP_URL: url,
  MAIL_FROM: 'Holdfast <booking@holdfast.example>',
  PUBLIC_URL: 'https://book.example',
})

/** The next client, because limits count by client. */
let clients = 0

/** Returns a client that no other test uses. */
export function nextClient(): typeof ada {
  clients += 1
  return { ...ada, email: `client-${clients}@example.com` }
}

export async function mailWorld(
  engine: Engine,
  { settings = {}, variables = {} }: { settings?: object; variables?: Record<string, string> } = {},
): Promise<MailWorld> {
  const server = await startMailServer()
  const service = await startTestService(engine, { ...mailVariables(server.url), ...variables })
  const business = await makeBusiness(service)
  const call: MailWorld['call'] = (method, path, body) =>
    service.call(method, path, { token: business.key, ...(body !== undefined && { body }) })
  if (Object.keys(settings).length > 0) {
    const { status } = await call('PATCH', `/businesses/${business.id}`, settings)
    if (status !== 200) throw new Error('the settings are refused')
  }
  let seen = 0
  return {
    ...{ service, server, business, call },
    offer: (parts = {}) => makeOffer(service, business.id, { name: 'Haircut', ...parts }),
    staff: (...names) => makeStaff(service, business.id, names),
    book: async (offer, startsAt, parts = {}) => {
      const hold = await call('POST', '/bookings/hold', { ...offer, starts_at: startsAt })
      const client = nextClient()
      const reply = await call('POST', '/bookings', { hold_id: hold.body.hold_id, client, ...parts })
      if (reply.status !== 201) throw new Error(JSON.stringify([hold.body, reply.body]))
      return reply.body
    },
    sent: () => service.app.mails.settled(),
    fresh: () => {
      const mails = server.mails.slice(seen)
      seen = server.mails.length
      return mails
    },
    stop: async () => {
      await service.stop()
      await server.close()
    },
  }
}

/** Creates an email about nothing, for a business that need not send any. Returns its ID. */
export async function makeMail({ context }: TestService, businessId: string): Promise<string> {
  const id = context.ids.next()
  await context.db.transaction(({ db, now }) =>
    insertMails(db, [
      {
        ...{ id, business_id: businessId, booking_id: context.ids.next(), occasion: '1' },
        ...{ client_kind: 'confirmed', business_kind: null, text_kind: null, to_phone: '' },
        ...{ to_email: 'ada@example.com', recipient: 'ada@example.com', by_email: '', caused_by: '' },
        ...{ created_at: now, due_at: now },
      },
    ]),
  )
  return id
}
