import { offerFirstOwner } from '../../src/access/first-owner.ts'
import { offUrl } from '../../src/mails/opt-out.ts'
import { startPublicService } from '../support/browser.ts'
import { makeBusiness } from '../support/offers.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { oweFee, payInSandbox, saveInSandbox } from '../support/paid-booking.ts'
import { addNewPerson, type LoggedIn, logInNewPerson } from '../support/person.ts'
import { registerProgram, requestOf } from '../support/program.ts'
import { bookerOf } from '../support/salon-day.ts'
import { startSmsServer } from '../support/sms-server.ts'
import { makeSpares } from '../support/spares.ts'
import { holdOf } from '../support/tenant-things.ts'
import { ada, offer, type TestService } from '../support/test-service.ts'
import { makeWebhookThings } from '../support/webhooks.ts'

/* The demo data with something on each page: bookings of every kind, a coupon, a waiting client, messages. */

/** A service whose every page shows something. */
export interface World {
  service: TestService
  address: string
  owner: LoggedIn
  /** Owns the hub of the business. */
  hubOwner: LoggedIn
  /** The publishable key of the business. */
  key: string
  /** Paths below the address, by what they show. */
  paths: Record<string, string>
  ids: Record<string, string>
  /** The link of the first owner of another, empty service. */
  firstUrl: string
  /** Returns the newest link to a client's page in the emails. */
  linkToClientPage(): Promise<string>
  stop(): Promise<void>
}

/** The day of the bookings, a Tuesday. */
export const shownDay = '2026-11-24'

const at = (time: string) => `${shownDay}T${time}:00+01:00`

/** Starts the service of SQLite with emails and text messages that arrive nowhere. */
export async function startWorld(settings: Record<string, string> = {}): Promise<World> {
  const mails = await startMailServer()
  const sms = await startSmsServer('gateway')
  const { service, address } = await startPublicService('sqlite', {
    ...{ SMTP_URL: mails.url, MAIL_FROM: 'Salon <salon@example.com>', SMS_URL: sms.url },
    ...settings,
  })
  const { business } = bookerOf(service)
  const place = { businessId: business.id }
  const owner = await logInNewPerson(service, {
    ...{ email: 'owner@example.com', name: 'Ada', role: 'owner', place },
  })
  const hubOwner = await logInNewPerson(service, {
    ...{ email: 'hub@example.com', name: 'Eve', role: 'owner', place: { hubId: service.world.hub.id } },
  })
  const ids = {
    ...(await makeCatalogue(service, owner)),
    ...(await makeBookings(service)),
    business: business.id,
  }
  const paths = await makeLinks(service, mails, owner)
  const empty = await startPublicService('sqlite', { empty: true })
  const first = await offerFirstOwner(empty.service.context, true)
  return {
    ...{ service, address, owner, hubOwner, ids, paths, key: business.publishable_key },
    firstUrl: `${empty.address}/console/first#${first && 'link' in first ? first.link.token : ''}`,
    linkToClientPage: async () => {
      await service.app.mails.settled()
      const links = mails.mails.flatMap(({ text }) => /http\S+\/me#\w+/.exec(text)?.[0] ?? [])
      return links.at(-1) ?? ''
    },
    stop: async () => {
      await empty.service.stop()
      await service.stop()
      await sms.close()
      await mails.close()
    },
  }
}

async function makeCatalogue(service: TestService, owner: LoggedIn): Promise<Record<string, string>> {
  const { business, call } = bookerOf(service)
  await call('PATCH', `/businesses/${business.id}`, {
    ...{ notify_emails: ['desk@example.com'], phone: '+49 30 1234' },
  })
  const spares = await makeSpares(service, business)
  const webhooks = await makeWebhookThings(service, business)
  const coupon = await owner.call('POST', '/coupons', { code: 'WINTER', percent: 10 })
  const user = await owner.call('POST', '/users', { email: 'new@example.com', role: 'front_desk' })
  const whole = await makeBusiness(service)
  return {
    ...{ ...spares, ...webhooks, coupon: String(coupon.body.id), user: String(user.body.id) },
    ...{ otherKey: whole.publishableKey },
  }
}

async function makeBookings(service: TestService): Promise<Record<string, string>> {
  const { business, call, book, hold, staffId } = bookerOf(service)
  const [anna, ben, clara] = ['Anna', 'Ben', 'Clara'].map(staffId)
  const of = (name: string, time: string, staff_id?: string) =>
    book(name, at(time), staff_id === undefined ? {} : { staff_id })
  const cut = await of('Haircut', '10:00', anna)
  const later = await of('Haircut', '12:00', ben)
  const colour = await bookColour(service, at('13:00'), anna)
  const paid = await book('Haircut', at('15:30'), {
    ...(anna && { staff_id: anna }),
    client: { ...ada, email: 'paid@example.com' },
  })
  const charged = await of('Haircut', '16:30', anna)
  const owing = await of('Haircut', '17:00', anna)
  const yoga = await of('Yoga class', '11:00', clara)
  await hold('Haircut', at('14:00'), { staff_id: ben })
  await payInSandbox(service, paid)
  await saveInSandbox(service, charged)
  await oweFee(service, owing)
  const block = await call('POST', '/blocks', {
    ...{ staff_id: ben, starts_at: at('15:00'), ends_at: at('16:00'), reason: 'Dentist' },
  })
  const { service_id, location_id } = offer(business, 'Meeting room', 'Mitte')
  const waiting = await call('POST', '/waitlist', {
    ...{ service_id, location_id, from: '2026-12-01', to: '2026-12-20', client: ada },
  })
  const { data: clients } = (await call('GET', '/clients')).body as { data: { id: string }[] }
  return {
    ...{ cut, later, colour, paid, charged, owing, yoga, block: String(block.body.id) },
    ...{ waiting: String(waiting.body.id), client: clients[0]?.id ?? '' },
    ...{ treatment: offer(business, 'Treatment').service_id, haircut: offer(business, 'Haircut').service_id },
    ...{ yogaService: offer(business, 'Yoga class').service_id, room: service_id, location: location_id },
    ...{ anna: anna ?? '', ben: ben ?? '', clara: clara ?? '' },
  }
}

/** Books the service with steps and a basin, which the demo data leaves out of its list. */
async function bookColour(service: TestService, starts_at: string, staff_id?: string): Promise<string> {
  const { business, call } = bookerOf(service)
  const { data } = (await call('GET', '/services')).body as { data: { id: string; name: string }[] }
  const service_id = data.find(({ name }) => name === 'Colour')?.id
  const { location_id } = offer(business, 'Haircut', 'Mitte')
  const held = await call('POST', '/bookings/hold', { service_id, location_id, starts_at, staff_id })
  const booked = await call('POST', '/bookings', { hold_id: held.body.hold_id, client: ada })
  return String(booked.body.id)
}

interface Booked {
  id: string
  manage_url: string
  redirect_url?: string | undefined
}

/** Makes the links that clients and people of the business get, and returns their paths. */
async function makeLinks(
  service: TestService,
  mails: MailServer,
  owner: LoggedIn,
): Promise<Record<string, string>> {
  const { business, call } = bookerOf(service)
  const session = await service.session(business)
  const link = async (name: string, starts_at: string) => {
    const hold_id = await holdOf(service, business, { token: session, service: name, starts_at })
    const booked = await service.call('POST', '/bookings', { token: session, body: { hold_id, client: ada } })
    const { body } = await service.call('GET', `/bookings/${String(booked.body.id)}`, { token: session })
    const { id, manage_url } = body as Booked
    return { id, manage_url, redirect_url: (booked.body as Booked).redirect_url }
  }
  const pathOf = (url: string | undefined) => (url ?? '').replace(/^https?:\/\/[^/]+/, '')
  const [manage, ended] = [
    await link('Haircut', '2026-12-01T10:00:00+01:00'),
    await link('Haircut', '2026-12-02T10:00:00+01:00'),
  ]
  await call('DELETE', `/bookings/${ended.id}`)
  const deposit = await link('Treatment', '2026-12-03T10:00:00+01:00')
  const payment = (await service.rows('payments')).find(({ booking_id }) => booking_id === deposit.id)
  await call('PATCH', `/services/${offer(business, 'Consultation').service_id}`, {
    ...{ confirmation: 'request', respond_within_minutes: 1_440, custom_fields: [] },
  })
  service.clock.advance(6) // sessions read the catalogue at most five seconds late
  const asked = await link('Consultation', '2026-12-04T10:00:00+01:00')
  await service.app.mails.settled()
  const inMails = (pattern: RegExp) =>
    mails.mails.map(({ text }) => pattern.exec(text)?.[0] ?? '').find((found) => found !== '') ?? ''
  const program = await registerProgram(service, {
    ...{ client_name: 'Assistant', redirect_uris: ['http://127.0.0.1/callback'] },
  })
  const query = requestOf(program, { redirect_uri: 'http://127.0.0.1/callback' })
  const place = { businessId: business.id }
  const person = await addNewPerson(service, { email: 'fresh@example.com', role: 'manager', place })
  return {
    ...{
      manage: pathOf(manage.manage_url),
      ended: pathOf(ended.manage_url),
      asked: pathOf(asked.manage_url),
    },
    ...{
      sandbox: pathOf(deposit.redirect_url),
      checkout: `/checkout/${String(payment?.['id'])}`,
      askedId: asked.id,
    },
    ...{ request: inMails(/(?<=\d)\/requests\/[\w-]+/), waiting: inMails(/(?<=\d)\/w\/[\w-]+/) },
    ...{ authorize: `/console/authorize?${query}`, link: `/console/link#${person.link?.token ?? ''}` },
    ...{ mailOff: pathOf(await offUrl(service.context, { id: manage.id, business_id: business.id })) },
    owner: owner.userId,
  }
}
