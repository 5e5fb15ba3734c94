import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { makeMail } from '../support/mail-world.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import { addPerson, type PersonRequest } from '../../src/access/new-person.ts'
import { createCoupon } from '../../src/bookings/coupon.ts'
import { createKey } from '../../src/catalogue/business-keys.ts'
import { changeInCatalogue } from '../../src/catalogue/catalogue.ts'
import { writableServices } from '../../src/catalogue/catalogue-kinds.ts'
import { createBusiness, createHub } from '../../src/catalogue/business.ts'
import type { PersonRole } from '../../src/database/tables.ts'
import { changeRows } from '../support/tenant-things.ts'
import { addNewPerson, type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { pngOf } from '../support/pictures.ts'
import { type FakeStripe, ownKey, ownWebhookSecret, startFakeStripe } from '../support/stripe-server.ts'
import { makeSpares, type Spares } from '../support/spares.ts'
import { oweFee, payInSandbox, saveInSandbox } from '../support/paid-booking.ts'
import { makeThings, nextAddress, type Tenant, type Things, unknownId } from '../support/tenant-things.ts'
import { ada, businessOf, type Reply, startTestService, type TestService } from '../support/test-service.ts'
import { makeWebhookThings, type WebhookThings } from '../support/webhooks.ts'
import { longDescribe, nightDescribe, onOneEngine } from '../support/long.ts'

const keyTypes = ['publishable', 'session', 'business', 'hub', 'manage'] as const
type KeyType = (typeof keyTypes)[number]
type Cell = 'yes' | 'yes, redacted' | '–'

/** The lowest role of people with access. Null: none. test/people/roles.test.ts tests the restrictions of staff. */
type LeastRole = PersonRole | null
/** The status of open routes without their parameters. */
const otherStatus: Record<string, number> = {
  'GET /console/login': 303, // the URL after a log-in redirects
  'GET /console/oidc': 404,
  'GET /console/oidc/start': 404,
  'GET /console/authorize': 400,
}
const roles: PersonRole[] = ['staff', 'front_desk', 'manager', 'owner']
/** Routes whose role differs from their row. */
const otherRoles: Record<string, LeastRole> = {
  'POST /api/v1/blocks': 'staff',
  'GET /api/v1/blocks': 'staff',
  'GET /api/v1/resources': 'staff',
  'GET /api/v1/resources/:id': 'staff',
  'GET /api/v1/blocks/:id': 'staff',
  'DELETE /api/v1/blocks/:id': 'staff',
  'GET /api/v1/clients/:id': 'staff',
  'POST /api/v1/clients/export': 'owner',
  'POST /api/v1/clients/erase': 'owner',
  'POST /api/v1/businesses': 'owner',
  'GET /api/v1/businesses/:id': 'manager',
}

/**
 * The things of one tenant that requests can name, including changes: things that no other test needs, a key and a
 * block.
 */
interface AllThings extends Things, Spares, WebhookThings {
  user_id: string
  invitation_id: string
  business_id: string
  mail_id: string
  /** Made by the session of the things. */
  entry_id: string
  coupon_id: string
}

/** One operation: its request for things, and those of them that can belong to another tenant. */
interface Operation {
  names: (keyof AllThings)[]
  request: (items: AllThings) => { path: string; body?: object }
  /** In its body, a missing thing is a fault of this field. */
  field?: string
  /** Names nothing, and lists nothing of a hub. The key of any hub may do it, for its own hub. */
  creates?: true
  /** The named thing belongs to none of the callers, so it does not exist for them. */
  ofNobody?: true
  /** For test businesses only, which the callers are not. */
  forTests?: true
  /** Lists something of any hub. */
  hasOwn?: true
  /** The refusal of a thing is a result. */
  hasResults?: true
}

const list = (path: string): Operation => ({ names: [], request: () => ({ path }) })
const one = (path: string, name: keyof AllThings, body?: object): Operation => ({
  names: [name],
  request: (items) => ({ path: `${path}/${items[name]}`, ...(body && { body }) }),
})

const slots = (path: string, query: string): Operation => ({
  names: ['service_id', 'location_id'],
  request: ({ service_id, location_id }) => ({
    path: `${path}?service_id=${service_id}&location_id=${location_id}&${query}`.replace(/&$/, ''),
  }),
})

/** The access of every route. A HEAD has that of its GET. */
const rows: Record<
  string,
  { may: Record<KeyType, Cell>; people: LeastRole; operations: Record<string, Operation> }
> = {
  'exchange for a session': {
    may: { publishable: 'yes', session: '–', business: '–', hub: '–', manage: '–' },
    people: null,
    operations: { 'POST /api/v1/session': list('/session') },
  },
  'place, show, release a hold; create a booking': {
    may: { publishable: '–', session: 'yes', business: 'yes', hub: 'yes', manage: '–' },
    people: 'staff',
    operations: {
      'POST /api/v1/bookings/hold': {
        names: ['service_id', 'location_id', 'staff_id'],
        request: ({ service_id, location_id, staff_id, free_start }) => ({
          path: '/bookings/hold',
          body: { service_id, location_id, staff_id, starts_at: free_start },
        }),
      },
      'GET /api/v1/bookings/hold/:hold_id': one('/bookings/hold', 'hold_id'),
      'DELETE /api/v1/bookings/hold/:hold_id': one('/bookings/hold', 'hold_id'),
      'POST /api/v1/bookings': {
        names: ['hold_id'],
        request: ({ hold_id }) => ({ path: '/bookings', body: { hold_id, client: ada } }),
      },
    },
  },
  'show a booking': {
    may: { publishable: 'yes, redacted', session: 'yes', business: 'yes', hub: 'yes', manage: '–' },
    people: 'staff',
    operations: { 'GET /api/v1/bookings/:id': one('/bookings', 'booking_id') },
  },
  'see and change the one booking of a manage link': {
    may: { publishable: '–', session: '–', business: '–', hub: '–', manage: 'yes' },
    people: null,
    operations: {
      'GET /api/v1/manage': list('/manage'),
      'GET /api/v1/manage/availability': list('/manage/availability?from=2026-12-01&to=2026-12-01'),
      'GET /api/v1/manage/calendar.ics': list('/manage/calendar.ics'),
      'POST /api/v1/manage/reschedule': {
        names: [],
        request: ({ free_start }) => ({ path: '/manage/reschedule', body: { starts_at: free_start } }),
      },
      'POST /api/v1/manage/cancel': list('/manage/cancel'),
      'DELETE /api/v1/manage/card': list('/manage/card'),
    },
  },
  'list, update, cancel bookings': {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'staff',
    operations: {
      'GET /api/v1/bookings': list('/bookings'),
      'GET /api/v1/calendar': {
        names: ['location_id'],
        request: ({ location_id }) => ({
          path: `/calendar?from=2026-12-01&to=2026-12-01&location_id=${location_id}`,
        }),
      },
      'PATCH /api/v1/bookings/:id': one('/bookings', 'booking_id', { notes: 'changed' }),
      'DELETE /api/v1/bookings/:id': one('/bookings', 'booking_id'),
      'POST /api/v1/bookings/batch': {
        ...{ names: [], hasResults: true },
        request: ({ booking_id }) => ({
          path: '/bookings/batch',
          body: { ids: [booking_id], change: 'cancel' },
        }),
      },
      'GET /api/v1/bookings/:id/history': {
        names: ['booking_id'],
        request: ({ booking_id }) => ({ path: `/bookings/${booking_id}/history` }),
      },
      'POST /api/v1/bookings/:id/manage-link': {
        names: ['booking_id'],
        request: ({ booking_id }) => ({ path: `/bookings/${booking_id}/manage-link` }),
      },
    },
  },
  'see numbers': {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'manager',
    operations: {
      'GET /api/v1/numbers': {
        names: ['location_id'],
        request: ({ location_id }) => ({
          path: `/numbers?from=2026-12-01&to=2026-12-01&location_id=${location_id}`,
        }),
      },
    },
  },
  'see who changed what': {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'owner',
    operations: { 'GET /api/v1/audit': { ...list('/audit'), hasOwn: true } },
  },
  people: {
    may: { publishable: '–', session: '–', business: '–', hub: '–', manage: '–' },
    people: 'owner',
    operations: {
      'GET /api/v1/users': list('/users'),
      'POST /api/v1/users': {
        names: [],
        request: () => ({ path: '/users', body: { email: `${randomUUID()}@example.com`, role: 'manager' } }),
      },
      'PATCH /api/v1/users/:id': one('/users', 'user_id', { disabled: true }),
      'GET /api/v1/invitations': list('/invitations'),
      'POST /api/v1/invitations/:id/resend': {
        names: ['invitation_id'],
        request: ({ invitation_id }) => ({ path: `/invitations/${invitation_id}/resend` }),
      },
      'DELETE /api/v1/invitations/:id': one('/invitations', 'invitation_id'),
    },
  },
  'the clock of a test business': {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'manager',
    operations: {
      'GET /api/v1/test/clock': {
        ...{ names: ['business_id'], forTests: true },
        request: ({ business_id }) => ({ path: `/test/clock?business_id=${business_id}` }),
      },
      'POST /api/v1/test/clock': {
        ...{ names: ['business_id'], forTests: true },
        request: ({ business_id }) => ({
          path: '/test/clock',
          body: { business_id, now: '2026-12-01T00:00:00Z' },
        }),
      },
    },
  },
  'public holidays': {
    may: { publishable: '–', session: '–', business: '–', hub: '–', manage: '–' },
    people: 'staff',
    operations: { 'GET /api/v1/holidays': list('/holidays?country=AT&region=9&year=2027') },
  },
  "a person's own account": {
    may: { publishable: '–', session: '–', business: '–', hub: '–', manage: '–' },
    people: 'staff',
    operations: {
      'GET /api/v1/users/me': list('/users/me'),
      'PATCH /api/v1/users/me': {
        names: [],
        request: () => ({ path: '/users/me', body: { name: 'Changed' } }),
      },
      'GET /api/v1/users/me/invitations': list('/users/me/invitations'),
      // test/people/invitations.test.ts tests the owner of the invitation
      'POST /api/v1/users/me/invitations/:id/accept': {
        ...{ names: ['invitation_id'], ofNobody: true },
        request: ({ invitation_id }) => ({ path: `/users/me/invitations/${invitation_id}/accept` }),
      },
      'POST /api/v1/users/me/invitations/:id/decline': {
        ...{ names: ['invitation_id'], ofNobody: true },
        request: ({ invitation_id }) => ({ path: `/users/me/invitations/${invitation_id}/decline` }),
      },
    },
  },
  'join, show and leave the waiting list': {
    may: { publishable: '–', session: 'yes', business: 'yes', hub: 'yes', manage: '–' },
    people: 'front_desk',
    operations: {
      'POST /api/v1/waitlist': {
        names: ['service_id', 'location_id'],
        request: ({ service_id, location_id }) => ({
          path: '/waitlist',
          body: {
            ...{ service_id, location_id, from: '2026-12-01', to: '2026-12-02' },
            client: { ...ada, email: `${randomUUID()}@example.com` },
          },
        }),
      },
      'GET /api/v1/waitlist/:id': one('/waitlist', 'entry_id'),
      'DELETE /api/v1/waitlist/:id': one('/waitlist', 'entry_id'),
    },
  },
  'list the waiting list, offer by hand, skip': {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'front_desk',
    operations: {
      'GET /api/v1/waitlist': list('/waitlist'),
      'POST /api/v1/waitlist/:id/offer': {
        names: ['entry_id'],
        request: ({ entry_id, free_start }) => ({
          path: `/waitlist/${entry_id}/offer`,
          body: { starts_at: free_start },
        }),
      },
      'POST /api/v1/waitlist/:id/skip': {
        names: ['entry_id'],
        request: ({ entry_id }) => ({ path: `/waitlist/${entry_id}/skip` }),
      },
    },
  },
  'refund, charge and waive payments, remove saved cards': {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'manager',
    operations: {
      'POST /api/v1/bookings/:id/refund': {
        names: ['booking_id'],
        request: ({ booking_id }) => ({ path: `/bookings/${booking_id}/refund`, body: {} }),
      },
      'POST /api/v1/bookings/:id/charge': {
        names: ['booking_id'],
        request: ({ booking_id }) => ({
          path: `/bookings/${booking_id}/charge`,
          body: { amount: 900, reason: 'Late' },
        }),
      },
      'POST /api/v1/bookings/:id/payments/:payment_id/waive': {
        names: ['booking_id'],
        request: ({ booking_id }) => ({
          path: `/bookings/${booking_id}/payments/${booking_id}/waive`,
          body: {},
        }),
      },
      'DELETE /api/v1/bookings/:id/card': {
        names: ['booking_id'],
        request: ({ booking_id }) => ({ path: `/bookings/${booking_id}/card` }),
      },
    },
  },
  'check a coupon': {
    may: { publishable: '–', session: 'yes', business: 'yes', hub: 'yes', manage: '–' },
    people: 'staff',
    operations: {
      'GET /api/v1/coupons/check': {
        names: ['service_id'],
        request: ({ service_id }) => ({ path: `/coupons/check?code=C-${service_id}&items=${service_id}` }),
      },
    },
  },
  'list, add, change and delete coupons': {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'manager',
    operations: {
      'GET /api/v1/coupons': list('/coupons'),
      'GET /api/v1/coupons/:id': one('/coupons', 'coupon_id'),
      'POST /api/v1/coupons': {
        names: ['business_id'],
        request: ({ business_id }) => ({
          path: '/coupons',
          body: { business_id, code: `C${randomUUID()}`, percent: 10 },
        }),
      },
      'PATCH /api/v1/coupons/:id': one('/coupons', 'coupon_id', { active: false }),
      'DELETE /api/v1/coupons/:id': one('/coupons', 'coupon_id'),
    },
  },
  'list, add, change, merge, block, export and erase clients': {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'front_desk',
    operations: {
      'GET /api/v1/clients': {
        names: ['business_id'],
        request: ({ business_id }) => ({ path: `/clients?business_id=${business_id}` }),
      },
      'POST /api/v1/clients': {
        names: ['business_id'],
        request: ({ business_id }) => ({ path: '/clients', body: { business_id, first_name: 'New' } }),
      },
      'GET /api/v1/clients/:id': one('/clients', 'client_id'),
      'PATCH /api/v1/clients/:id': one('/clients', 'client_id', { notes: 'Changed' }),
      'POST /api/v1/clients/:id/merge': {
        names: ['client_id'], // test/bookings/clients.test.ts tests the other one
        request: ({ client_id, other_client_id }) => ({
          path: `/clients/${client_id}/merge`,
          body: { into: other_client_id },
        }),
      },
      'POST /api/v1/clients/block': {
        names: ['business_id'],
        request: ({ business_id }) => ({
          path: '/clients/block',
          body: { business_id, email: 'mallory@example.com' },
        }),
      },
      'POST /api/v1/clients/export': {
        names: ['business_id'],
        request: ({ business_id }) => ({
          path: '/clients/export',
          body: { business_id, email: 'mallory@example.com' },
        }),
      },
      'POST /api/v1/clients/erase': {
        names: ['business_id'],
        request: ({ business_id }) => ({
          path: '/clients/erase',
          body: { business_id, email: 'mallory@example.com' },
        }),
      },
      'DELETE /api/v1/clients/block': {
        names: ['business_id'],
        request: ({ business_id }) => ({
          path: '/clients/block',
          body: { business_id, email: 'mallory@example.com' },
        }),
      },
    },
  },
  'read services, locations, staff, availability': {
    may: { publishable: '–', session: 'yes', business: 'yes', hub: 'yes', manage: '–' },
    people: 'staff',
    operations: {
      'GET /api/v1/services': list('/services'),
      'GET /api/v1/services/:id': one('/services', 'service_id'),
      'GET /api/v1/locations': list('/locations'),
      'GET /api/v1/locations/:id': one('/locations', 'location_id'),
      'GET /api/v1/staff': list('/staff'),
      'GET /api/v1/staff/:id': one('/staff', 'staff_id'),
      'GET /api/v1/availability': slots('/availability', 'from=2026-12-01&to=2026-12-01'),
      'GET /api/v1/availability/explain': slots('/availability/explain', 'starts_at=2026-12-01T12:00:00Z'),
      'GET /api/v1/availability/soonest': slots('/availability/soonest', ''),
    },
  },
  'write the catalogue, schedules, blocks': {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'manager',
    operations: {
      'POST /api/v1/services': {
        field: '/business_id',
        names: ['business_id'],
        request: ({ business_id, spare_location_id }) => ({
          path: '/services',
          body: { business_id, name: 'New', duration_minutes: 30, location_ids: [spare_location_id] },
        }),
      },
      'PATCH /api/v1/services/:id': one('/services', 'spare_service_id', { name: 'Changed' }),
      'DELETE /api/v1/services/:id': one('/services', 'spare_service_id'),
      'POST /api/v1/locations': {
        field: '/business_id',
        names: ['business_id'],
        request: ({ business_id }) => ({ path: '/locations', body: { business_id, name: 'New' } }),
      },
      'PATCH /api/v1/locations/:id': one('/locations', 'spare_location_id', { weekly_hours: [] }),
      'DELETE /api/v1/locations/:id': one('/locations', 'spare_location_id'),
      'POST /api/v1/staff': {
        field: '/business_id',
        names: ['business_id'],
        request: ({ business_id }) => ({ path: '/staff', body: { business_id, name: 'New' } }),
      },
      'POST /api/v1/images': {
        names: ['business_id'],
        request: ({ business_id }) => ({ path: `/images?business_id=${business_id}`, body: pngOf(8, 8) }),
      },
      'PATCH /api/v1/staff/:id': one('/staff', 'spare_staff_id', { weekly_hours: [] }),
      'DELETE /api/v1/staff/:id': one('/staff', 'spare_staff_id'),
      'GET /api/v1/resources': list('/resources'),
      'GET /api/v1/resources/:id': one('/resources', 'spare_resource_id'),
      'POST /api/v1/resources': {
        field: '/location_id',
        names: ['spare_location_id'],
        request: ({ spare_location_id }) => ({
          path: '/resources',
          body: { location_id: spare_location_id, name: 'New' },
        }),
      },
      'PATCH /api/v1/resources/:id': one('/resources', 'spare_resource_id', { weekly_hours: [] }),
      'DELETE /api/v1/resources/:id': one('/resources', 'spare_resource_id'),
      'POST /api/v1/blocks': {
        field: '/location_id',
        names: ['spare_location_id'],
        request: ({ spare_location_id }) => ({
          path: '/blocks',
          body: { location_id: spare_location_id, ...span },
        }),
      },
      'GET /api/v1/blocks': list('/blocks'),
      'GET /api/v1/blocks/:id': one('/blocks', 'block_id'),
      'DELETE /api/v1/blocks/:id': one('/blocks', 'block_id'),
    },
  },
  'webhooks, deliveries, events': {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'owner',
    operations: {
      'POST /api/v1/webhooks': {
        names: ['business_id'],
        request: ({ business_id }) => ({
          path: '/webhooks',
          body: { business_id, url: 'https://example.com/hooks', events: ['booking.created'] },
        }),
      },
      'GET /api/v1/webhooks': list('/webhooks'),
      'GET /api/v1/webhooks/:id': one('/webhooks', 'webhook_id'),
      'PATCH /api/v1/webhooks/:id': one('/webhooks', 'webhook_id', { description: 'changed' }),
      'DELETE /api/v1/webhooks/:id': one('/webhooks', 'webhook_id'),
      'POST /api/v1/webhooks/:id/rotate-secret': {
        names: ['webhook_id'],
        request: ({ webhook_id }) => ({ path: `/webhooks/${webhook_id}/rotate-secret` }),
      },
      'POST /api/v1/webhooks/:id/test': {
        names: ['webhook_id'],
        request: ({ webhook_id }) => ({ path: `/webhooks/${webhook_id}/test` }),
      },
      'GET /api/v1/webhooks/:id/deliveries': {
        names: ['webhook_id'],
        request: ({ webhook_id }) => ({ path: `/webhooks/${webhook_id}/deliveries` }),
      },
      'POST /api/v1/webhooks/:id/deliveries/:delivery_id/retry': {
        names: ['webhook_id', 'delivery_id'],
        request: ({ webhook_id, delivery_id }) => ({
          path: `/webhooks/${webhook_id}/deliveries/${delivery_id}/retry`,
        }),
      },
      'GET /api/v1/events': list('/events'),
      'GET /api/v1/events/samples': { ...list('/events/samples'), hasOwn: true },
    },
  },
  feeds: {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'manager',
    operations: {
      'POST /api/v1/feeds': {
        field: '/staff_id',
        names: ['spare_staff_id'],
        request: ({ spare_staff_id }) => ({ path: '/feeds', body: { staff_id: spare_staff_id } }),
      },
      'GET /api/v1/feeds': list('/feeds'),
      'POST /api/v1/feeds/:id/rotate': {
        names: ['feed_id'],
        request: ({ feed_id }) => ({ path: `/feeds/${feed_id}/rotate` }),
      },
      'DELETE /api/v1/feeds/:id': one('/feeds', 'feed_id'),
    },
  },
  'use the API as tools': {
    may: { publishable: '–', session: 'yes', business: 'yes', hub: 'yes', manage: '–' },
    people: null,
    operations: {
      'POST /mcp': {
        names: [],
        request: () => ({ path: '//mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
        creates: true,
      },
    },
  },
  'busy calendars': {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'manager',
    operations: {
      'POST /api/v1/busy-calendars': {
        field: '/staff_id',
        names: ['spare_staff_id'],
        request: ({ spare_staff_id }) => ({
          path: '/busy-calendars',
          body: { staff_id: spare_staff_id, url: 'https://calendar.example.com/a.ics' },
        }),
      },
      'GET /api/v1/busy-calendars': list('/busy-calendars'),
      'DELETE /api/v1/busy-calendars/:id': one('/busy-calendars', 'busy_calendar_id'),
    },
  },
  'calendar accounts': {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'manager',
    operations: {
      'GET /api/v1/calendar-accounts': list('/calendar-accounts'),
      'PATCH /api/v1/calendar-accounts/:id': one('/calendar-accounts', 'calendar_account_id', {
        keeps_busy: [],
      }),
      'DELETE /api/v1/calendar-accounts/:id': one('/calendar-accounts', 'calendar_account_id'),
    },
  },
  mails: {
    may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
    people: 'front_desk',
    operations: {
      'GET /api/v1/mails': list('/mails'),
      'POST /api/v1/mails/:id/retry': {
        names: ['mail_id'],
        request: ({ mail_id }) => ({ path: `/mails/${mail_id}/retry` }),
      },
    },
  },
  'Stripe accounts of businesses': {
    may: { publishable: '–', session: '–', business: '–', hub: '–', manage: '–' },
    people: 'owner',
    operations: {
      'PUT /api/v1/businesses/:id/stripe': {
        names: ['business_id'],
        request: ({ business_id }) => stripeOf(business_id),
      },
      'GET /api/v1/businesses/:id/stripe': {
        names: ['business_id'],
        request: ({ business_id }) => ({ path: `/businesses/${business_id}/stripe` }),
      },
      'DELETE /api/v1/businesses/:id/stripe': {
        names: ['business_id'],
        request: ({ business_id }) => ({ path: `/businesses/${business_id}/stripe` }),
      },
    },
  },
  'mail servers of businesses': {
    may: { publishable: '–', session: '–', business: '–', hub: '–', manage: '–' },
    people: 'owner',
    operations: {
      'PUT /api/v1/businesses/:id/smtp': {
        names: ['business_id'],
        request: ({ business_id }) => mailServerOf(business_id),
      },
      'GET /api/v1/businesses/:id/smtp': {
        names: ['business_id'],
        request: ({ business_id }) => ({ path: `/businesses/${business_id}/smtp` }),
      },
      'DELETE /api/v1/businesses/:id/smtp': {
        names: ['business_id'],
        request: ({ business_id }) => ({ path: `/businesses/${business_id}/smtp` }),
      },
    },
  },
  '/businesses': {
    may: { publishable: '–', session: '–', business: '–', hub: 'yes', manage: '–' },
    people: 'manager',
    operations: {
      'GET /api/v1/businesses': list('/businesses'),
      'POST /api/v1/businesses': {
        names: [],
        request: () => ({ path: '/businesses', body: { name: 'New', timezone: 'Asia/Tokyo' } }),
        creates: true,
      },
    },
  },
  '/businesses/{id}, /businesses/{id}/keys, /businesses/{id}/keys/{key_id}, /businesses/{id}/keys/{key_id}/requests':
    {
      may: { publishable: '–', session: '–', business: 'yes', hub: 'yes', manage: '–' },
      people: 'owner',
      operations: {
        'GET /api/v1/businesses/:id': one('/businesses', 'business_id'),
        'PATCH /api/v1/businesses/:id': one('/businesses', 'business_id', { brand_name: 'Changed' }),
        'GET /api/v1/businesses/:id/keys': {
          names: ['business_id'],
          request: ({ business_id }) => ({ path: `/businesses/${business_id}/keys` }),
        },
        'POST /api/v1/businesses/:id/keys': {
          names: ['business_id'],
          request: ({ business_id }) => ({
            path: `/businesses/${business_id}/keys`,
            body: { type: 'publishable' },
          }),
        },
        'PATCH /api/v1/businesses/:id/keys/:key_id': {
          names: ['key_id'],
          request: ({ business_id, key_id }) => ({
            path: `/businesses/${business_id}/keys/${key_id}`,
            body: { allowed_origins: null },
          }),
        },
        'GET /api/v1/businesses/:id/keys/:key_id/requests': {
          names: ['key_id'],
          request: ({ business_id, key_id }) => ({
            path: `/businesses/${business_id}/keys/${key_id}/requests`,
          }),
        },
        'DELETE /api/v1/businesses/:id/keys/:key_id': {
          names: ['key_id'],
          request: ({ business_id, key_id }) => ({ path: `/businesses/${business_id}/keys/${key_id}` }),
        },
      },
    },
}

const stripeOf = (businessId: string) => ({
  path: `/businesses/${businessId}/stripe`,
  body: { secret_key: ownKey, webhook_secret: ownWebhookSecret },
})

/** The port of a mail server that accepts the log-in. */
let mailPort = 0
const mailServerOf = (businessId: string) => ({
  path: `/businesses/${businessId}/smtp`,
  body: {
    ...{ host: '127.0.0.1', port: mailPort, user: 'salon', password: 'secret' },
    from_email: 'salon@example.com',
  },
})

const span = { starts_at: '2027-06-01T08:00:00Z', ends_at: '2027-06-01T09:00:00Z' }

/** Requests of scripts on pages, which have no use for the form to log in. */
const asked = ['GET /console/calendar']

/** Routes outside the API. None of them needs a key. */
const open = [
  'GET /me',
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /openapi.json',
  'GET /postman.json',
  'GET /',
  'GET /docs',
  'GET /docs/:file',
  'GET /docs/console.css',
  'GET /docs/embed.css',
  'GET /docs/manual.css',
  'GET /guides',
  'GET /guides/:name',
  'GET /guides/images/:file',
  'GET /llms.txt',
  'GET /llms-full.txt',
  'GET /.well-known/api-catalog',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /console/authorize',
  'GET /problems',
  'GET /problems/:code',
  'GET /widget/:file',
  'GET /embed',
  'GET /book/:publishable_key',
  'GET /book/:publishable_key/:service',
  'GET /book/:publishable_key/start',
  'GET /manage',
  'GET /console',
  'GET /console/calendar.css',
  'GET /console/bookings',
  'GET /console/bookings.csv',
  'GET /console/bookings/:id',
  'GET /console/clients',
  'GET /console/clients.csv',
  'GET /console/waitlist',
  'GET /console/waitlist/new',
  'GET /console/clients/:id',
  'GET /console/clients/:id/edit',
  'GET /console/clients/:id/erase',
  'GET /console/clients/:id/merge',
  'GET /console/bookings/import',
  'GET /console/clients/import',
  'GET /console/clients/new',
  'GET /console/bookings/:id/answer',
  'GET /console/bookings/:id/cancel',
  'GET /console/bookings/:id/card',
  'GET /console/bookings/:id/waive',
  'GET /console/bookings/:id/charge',
  'GET /console/bookings/:id/client',
  'GET /console/bookings/:id/details',
  'GET /console/bookings/:id/person',
  'GET /console/bookings/:id/refund',
  'GET /console/bookings/:id/services',
  'GET /console/bookings/:id/link',
  'GET /console/book',
  'GET /console/bookings/:id/move',
  'GET /console/block',
  'GET /console/block/:id',
  'GET /console/away',
  'GET /console/away/:id',
  'GET /console/class',
  'GET /console/print',
  'GET /console/locations/:id',
  'GET /console/locations/:id/holidays',
  'GET /console/people',
  'GET /console/people/:id',
  'GET /console/users',
  'GET /console/users/new',
  'GET /console/users/:id',
  'GET /console/coupons',
  'GET /console/coupons/:id',
  'GET /console/resources',
  'GET /console/resources/:id',
  'GET /console/services',
  'GET /console/services/:id',
  'GET /console/forgotten',
  'GET /console/login',
  'GET /console/numbers',
  'GET /console/numbers.csv',
  'GET /console/payments.csv',
  'GET /console/businesses',
  'GET /console/audit',
  'GET /console/parts',
  'GET /console/mails',
  'GET /console/mails/server',
  'GET /console/mails/preview',
  'GET /console/payments',
  'GET /console/payments/stripe',
  'GET /console/calendars',
  'GET /console/calendars/accounts/:id',
  'GET /console/calendars/accounts/new',
  'GET /console/calendars/busy/new',
  'GET /console/calendars/feeds/new',
  'GET /console/calendars/google',
  'GET /console/calendars/google/start',
  'GET /console/calendars/microsoft',
  'GET /console/calendars/microsoft/start',
  'GET /console/developers',
  'GET /console/developers/events',
  'GET /console/developers/keys/:id',
  'GET /console/developers/keys/new',
  'GET /console/developers/webhooks/:id',
  'GET /console/link',
  'GET /console/first',
  'GET /console/new-business',
  'GET /console/start/holidays',
  'GET /console/start/hours',
  'GET /console/start/page',
  'GET /console/start/people',
  'GET /console/start/service',
  'GET /console/settings',
  'GET /console/website',
  'GET /console/website/qr-code.svg',
  'GET /console/code',
  'GET /console/oidc',
  'GET /console/oidc/start',
  'GET /console/account',
  'GET /console/manifest.webmanifest',
  'GET /console/service-worker.js',
  'GET /console/offline',
  'GET /console/invitations',
  'GET /console/email',
]

/** Forms of people, which only pages of this server may send: test/people. */
const forms = [
  'POST /me',
  'POST /me/:business_id/card',
  'POST /me/:business_id/close',
  'POST /me/:business_id/link',
  'POST /me/:business_id/series',
  'POST /w/:code/take',
  'POST /w/:code/decline',
  'POST /w/:code/leave',
  'POST /console/locations/:id',
  'POST /console/locations/:id/holidays',
  'POST /console/people/:id',
  'POST /console/users/new',
  'POST /console/users/:id',
  'POST /console/users/:id/link',
  'POST /console/users/invitations/:id/resend',
  'POST /console/users/invitations/:id/revoke',
  'POST /console/coupons/:id',
  'POST /console/coupons/:id/remove',
  'POST /console/resources/:id',
  'POST /console/services',
  'POST /console/services/:id',
  'POST /console/calendars/accounts/:id',
  'POST /console/calendars/accounts/:id/remove',
  'POST /console/calendars/accounts/new',
  'POST /console/calendars/busy/:id/remove',
  'POST /console/calendars/busy/new',
  'POST /console/calendars/feeds/:id/remove',
  'POST /console/calendars/feeds/:id/rotate',
  'POST /console/calendars/feeds/new',
  'POST /console/developers/keys/:id/revoke',
  'POST /console/developers/keys/new',
  'POST /console/developers/webhooks/:id',
  'POST /console/developers/webhooks/:id/remove',
  'POST /console/developers/webhooks/:id/retry',
  'POST /console/developers/webhooks/:id/rotate',
  'POST /console/developers/webhooks/:id/test',
  'POST /console/login',
  'POST /console/logout',
  'POST /console/forgotten',
  'POST /console/link',
  'POST /console/first',
  'POST /console/new-business',
  'POST /console/start/hide',
  'POST /console/start/holidays',
  'POST /console/start/hours',
  'POST /console/start/people',
  'POST /console/start/service',
  'POST /console/settings',
  'POST /console/mails',
  'POST /console/mails/server',
  'POST /console/payments/stripe',
  'POST /console/website',
  'POST /console/place',
  'POST /console/code',
  'POST /console/invitations/:id/accept',
  'POST /console/invitations/:id/decline',
  'POST /console/email',
  'POST /console/account/name',
  'POST /console/account/language',
  'POST /console/account/email',
  'POST /console/account/prove',
  'POST /console/account/password',
  'POST /console/account/end-others',
  'POST /console/authorize',
  'POST /console/account/programs/:id/remove',
  'POST /console/developers/programs/:id/remove',
  'POST /console/account/passkeys',
  'POST /console/account/passkeys/:id',
  'POST /console/account/passkeys/:id/remove',
  'POST /console/account/passkeys/new',
  'POST /console/passkey',
  'POST /console/passkey/options',
  'POST /console/account/second-step',
  'POST /console/account/second-step/confirm',
  'POST /console/account/second-step/end',
  'POST /console/account/second-step/codes',
  'POST /console/notifications',
  'POST /console/notifications/devices',
  'POST /console/notifications/devices/:id/remove',
  'POST /console/notifications/used',
  'POST /console/notifications/test',
  'POST /console/clients/:id',
  'POST /console/clients/:id/edit',
  'POST /console/clients/:id/erase',
  'POST /console/clients/:id/merge',
  'POST /console/bookings/import',
  'POST /console/clients/import',
  'POST /console/waitlist/new',
  'POST /console/waitlist/:id',
  'POST /console/clients/new',
  'POST /console/clients/:id/export',
  'POST /console/bookings/:id/status',
  'POST /console/bookings/:id/tell',
  'POST /console/block/:id/move',
  'POST /console/bookings/:id/answer',
  'POST /console/bookings/:id/cancel',
  'POST /console/bookings/:id/card',
  'POST /console/bookings/:id/charge',
  'POST /console/bookings/:id/waive',
  'POST /console/bookings/:id/client',
  'POST /console/bookings/:id/details',
  'POST /console/bookings/:id/person',
  'POST /console/bookings/:id/refund',
  'POST /console/bookings/:id/services',
  'POST /console/bookings/:id/link',
  'POST /console/book',
  'POST /console/bookings/:id/move',
  'POST /console/block',
  'POST /console/block/:id',
  'POST /console/away',
  'POST /console/away/:id',
  'POST /console/class',
]

/** Speaks OAuth, with its errors. test/agents/oauth.test.ts tests it. */
const oauth = ['POST /oauth/register', 'POST /oauth/token', 'POST /oauth/revoke']

/** Protected by a secret URL or a signature. */
const secret = [
  'GET /checkout/:payment_id',
  'POST /checkout/:payment_id/give-up',
  'GET /sandbox/:reference',
  'POST /sandbox/:reference/pay',
  'POST /sandbox/:reference/fail',
  'POST /sandbox/:reference/give-up',
  'POST /payments/stripe/webhook',
  'POST /payments/stripe/webhook/:business_id',
  'POST /calendar-pushes/google',
  'POST /calendar-pushes/microsoft/:channel',
  'GET /feeds/:file',
  'GET /images/:digest',
  'GET /me/:business_id',
  'GET /me/:business_id/bookings.json',
  'GET /me/:business_id/state',
  'GET /mail/off/:token',
  'POST /mail/off/:token',
  'GET /requests/:token',
  'POST /requests/:token',
  'GET /m/:code',
  'GET /w/:code',
  'POST /texts/callback',
]

const operations = Object.values(rows).flatMap(({ may, people, operations }) =>
  Object.entries(operations).map(([route, operation]) => ({
    ...{ route, may, operation },
    people: route in otherRoles ? (otherRoles[route] ?? null) : people,
  })),
)

/** `npm test` tries a part of the routes. The long form tries all of them on SQLite, and on PostgreSQL this part. */
const [part, others] = [true, false].map((isPart) =>
  operations.filter((_, index) => (index % 4 === 0) === isPart),
) as [typeof operations, typeof operations]

onOneEngine('sqlite', 'who may do what', (engine) => {
  let service: TestService
  let mailServer: MailServer
  let stripe: FakeStripe
  let own: Tenant
  /** For the keys of a business and its sessions: another business of the same hub. For a hub key: one outside. */
  let foreign: Record<KeyType, Tenant>
  let strangersKey: string
  let persons: Record<PersonRole | 'owner of the hub', LoggedIn>
  /**
   * Things that are only read, or named in refused requests. Nothing happens to them, because each refusal checks for
   * the next.
   */
  let refusedOwn: AllThings
  let theirs: Record<string, AllThings>
  beforeAll(async () => {
    mailServer = await startMailServer({ login: { user: 'salon', pass: 'secret' } })
    mailPort = mailServer.port
    stripe = await startFakeStripe(() => Date.now())
    service = await startTestService(engine, { STRIPE_API_URL: stripe.url })
    own = businessOf(service.world, 'Salon Spree')
    // each row of the matrix makes its own things
    await changeRows(service, sql`update businesses set max_locations = 10000`)
    const sibling = businessOf(service.world, 'Hudson Studio')
    const outsider = businessOf(service.world, 'Lotus Clinic')
    foreign = { publishable: sibling, session: sibling, business: sibling, hub: outsider, manage: sibling }
    const { context } = service
    const hub = await createHub(context, { name: 'Strangers', plan: 'enterprise' })
    const strange = await createBusiness(context, {
      name: 'Strange',
      plan: 'enterprise',
      timezone: 'Asia/Tokyo',
      hubId: hub.id,
    })
    const place = { businessId: own.id }
    const newPerson = (name: string, more: Pick<PersonRequest, 'role' | 'place' | 'staffId'>) =>
      logInNewPerson(service, { email: `${name}@example.com`, ...more })
    const elsewhere = { businessId: strange.id }
    await addPerson(context, operator, { email: 'unproved@example.com', role: 'manager', place: elsewhere })
    persons = {
      owner: await newPerson('owner', { role: 'owner', place }),
      manager: await newPerson('manager', { role: 'manager', place }),
      front_desk: await newPerson('front-desk', { role: 'front_desk', place }),
      staff: await newPerson('staff', { role: 'staff', place, staffId: own.staff[0]?.id }),
      'owner of the hub': await newPerson('hub', { role: 'owner', place: { hubId: service.world.hub.id } }),
    }
    for (const { path, body } of [mailServerOf(own.id), stripeOf(own.id)])
      await persons.owner.call('PUT', path, body)
    strangersKey = (await createKey(context, { type: 'hub', hubId: hub.id })).key
    refusedOwn = await thingsOf(own)
    theirs = {
      [sibling.id]: await thingsOf(sibling),
      [outsider.id]: await thingsOf(outsider),
    }
  })
  afterAll(() => Promise.all([service.stop(), mailServer.close(), stripe.stop()]))

  const makeUser = async (businessId: string) => {
    const request = { email: `${randomUUID()}@example.com`, role: 'manager', place: { businessId } } as const
    return (await addNewPerson(service, request)).person.id
  }

  /** For the owner of an account in a different business. */
  const makeInvitation = async (businessId: string) => {
    const { invitation } = await addPerson(service.context, operator, {
      ...{ email: 'unproved@example.com', role: 'manager', place: { businessId } },
    })
    return invitation?.id ?? ''
  }

  const tokenOf = async (type: KeyType, items?: AllThings) => {
    const { hub } = service.world
    if (type === 'session') return items?.token ?? (await service.session(own))
    if (type === 'manage') return manageTokenOf(items ?? refusedOwn)
    return { publishable: own.publishable_key, business: own.business_key, hub: hub.key }[type]
  }
  const manageTokenOf = async ({ booking_id }: AllThings) => {
    const { body } = await service.call('GET', `/bookings/${booking_id}`, { token: own.business_key })
    return String(body.manage_url).replace(/^.*#/, '')
  }
  const send = (
    route: string,
    operation: Operation,
    { token, items }: { token?: string; items: AllThings },
  ): Promise<Reply> => {
    const { path, body } = operation.request(items)
    return service.call(route.split(' ', 1)[0] ?? '', path, {
      ...(token !== undefined && { token }),
      ...(body && { body }),
    })
  }
  const makeEntry = async ({ token, service_id, location_id }: Things) => {
    // its days are past the horizon, so that nothing is offered to it
    const { body } = await service.call('POST', '/waitlist', {
      ...{ token, remoteAddress: nextAddress() },
      body: {
        ...{ service_id, location_id, from: '2028-10-01', to: '2028-10-02' },
        client: { ...ada, email: `${randomUUID()}@example.com` },
      },
    })
    return String(body.id)
  }
  /** Services with a price and a coupon whose code names them. */
  const withCoupon = new Set<string>()
  const makeCoupon = async ({ id: business_id }: Tenant, { service_id: id }: Things) => {
    const add = (code: string) => createCoupon(service.context, operator, { business_id, code, percent: 10 })
    if (!withCoupon.has(id)) {
      withCoupon.add(id)
      const change = { price: { amount: 3_500, currency: 'EUR' } }
      await changeInCatalogue(service.context, operator, { kind: writableServices, id, change })
      await add(`C-${id}`)
    }
    return (await add(`C${randomUUID()}`)).id
  }
  const thingsOf = async (tenant: Tenant): Promise<AllThings> => {
    const things = await makeThings(service, tenant)
    const coupon_id = await makeCoupon(tenant, things)
    return { ...things, entry_id: await makeEntry(things), coupon_id, ...(await otherThingsOf(tenant)) }
  }
  const otherThingsOf = async (tenant: Tenant) => ({
    ...(await makeSpares(service, tenant)),
    ...(await makeWebhookThings(service, tenant)),
    business_id: tenant.id,
    mail_id: await makeMail(service, tenant.id),
    user_id: await makeUser(tenant.id),
    invitation_id: await makeInvitation(tenant.id),
  })
  /**
   * The things of an allowed request. They are new, unless it only reads things that are not replaced, as webhooks are.
   */
  const thingsFor = async (route: string) => {
    const things = /^GET (?!.*\/webhooks\/)/.test(route) ? refusedOwn : await thingsOf(own)
    if (/\/(refund|charge)$/.test(route)) await payInSandbox(service, things.booking_id)
    if (route.endsWith('/waive')) await oweFee(service, things.booking_id)
    if (route.endsWith('/card')) await saveInSandbox(service, things.booking_id)
    return things
  }
  const nothing: AllThings = {
    ...{ service_id: unknownId, location_id: unknownId, staff_id: unknownId, hold_id: unknownId },
    ...{ spare_service_id: unknownId, spare_location_id: unknownId, spare_staff_id: unknownId },
    ...{ spare_resource_id: unknownId, client_id: unknownId, other_client_id: unknownId },
    ...{ webhook_id: unknownId, delivery_id: unknownId, mail_id: unknownId, user_id: unknownId },
    invitation_id: unknownId,
    ...{ entry_id: unknownId, coupon_id: unknownId },
    ...{
      block_id: unknownId,
      feed_id: unknownId,
      busy_calendar_id: unknownId,
      calendar_account_id: unknownId,
      key_id: unknownId,
      business_id: unknownId,
    },
    ...{ booking_id: unknownId, free_start: '2027-06-01T10:00:00Z', token: '' },
  }

  test('every route has a row, and every row has its route', () => {
    const known = service.app.server.knownRoutes.map(({ method, url }) => `${method} ${url}`)
    const withHeads = [
      ...operations.map(({ route }) => route),
      ...open,
      ...asked,
      ...secret,
      ...oauth,
      ...forms,
    ].flatMap((route) => (route.startsWith('GET ') ? [route, route.replace('GET', 'HEAD')] : [route]))
    expect(known.toSorted()).toEqual(withHeads.toSorted())
  })

  test.each(open)('%s needs no key', async (route) => {
    const path = route
      .replace('GET ', '')
      .replace('docs/:file', 'docs/page.css')
      .replace('widget/:file', 'widget/v1.js')
      .replace('images/:file', 'images/manage-link.png')
      .replace(':name', 'webhooks')
      .replace(':code', 'slot_held')
      .replace(':publishable_key', own.publishable_key)
      .replace(':service', 'haircut')
    expect(await service.call('GET', `/${path}`, { headers: { accept: '*/*, text/html' } })).toMatchObject({
      status: otherStatus[route] ?? 200,
    })
  })

  test.each(asked)('%s is for who is logged in, and no key will do', async (route) => {
    const path = `/${route.replace('GET ', '')}`
    expectProblem(await service.call('GET', path), 'invalid_credentials')
    expectProblem(await service.call('GET', path, { token: own.business_key }), 'invalid_credentials')
  })

  test.each(forms)('%s is taken from pages of this server alone', async (route) => {
    const reply = await service.call('POST', `/${route.replace('POST ', '')}`, { token: own.business_key })
    expectProblem(reply, 'origin_not_allowed')
  })

  test.each(oauth)('%s needs no key, and refuses an empty request', async (route) => {
    const reply = await service.call('POST', `/${route.replace('POST ', '')}`)
    expect(reply).toMatchObject({ status: 400, body: { error_description: expect.any(String) as string } })
  })

  test.each(secret)('%s needs no key, and gives nothing away', async (route) => {
    const [method = '', path = ''] = route.replace(/:\w+/, unknownId).split(' ')
    const isForm = route === 'POST /requests/:token'
    const reply = isForm
      ? await sendForm(service, `/${path}`, { answer: 'confirm' })
      : await service.call(method, `/${path}`, { token: own.business_key })
    // a report of an unknown channel gets the answer of a known one
    const refusal = path.startsWith('/calendar-pushes/')
      ? { status: 204 }
      : path.endsWith('/state')
        ? { status: 200, body: { open: false } } // as for a known business
        : { status: 404, body: { code: 'not_found' } }
    expect(reply).toMatchObject(refusal)
    if (!isForm) expect(await service.call(method, `/${path}`)).toMatchObject({ status: refusal.status })
  })

  const tryRoute = ({ route, may, people, operation }: (typeof operations)[number]) => {
    test('is refused without a key', async () => {
      expectProblem(await send(route, operation, { items: nothing }), 'missing_credentials')
    })

    test.each(keyTypes.filter((type) => may[type] === '–'))(
      'is refused to a %s key, whatever it names',
      async (type) => {
        const allowed_key_types = keyTypes.filter((candidate) => may[candidate] !== '–')
        const token = await tokenOf(type)
        for (const items of [refusedOwn, nothing]) {
          const reply = await send(route, operation, { token, items })
          expectProblem(reply, 'key_type_not_allowed', { allowed_key_types })
        }
      },
    )

    const allowed = keyTypes.filter((type) => may[type] !== '–')

    test.each(allowed)('is open to a %s key on what is its own', async (type) => {
      const items = await thingsFor(route)
      const reply = await send(route, operation, { token: await tokenOf(type, items), items })
      if (operation.forTests) return expectProblem(reply, 'test_business')
      expect([200, 201, 202, 204]).toContain(reply.status)
      expect(reply.body?.redacted).toBe(may[type] === 'yes, redacted' ? true : undefined)
    })

    const mayPeople = people === null ? [] : roles.slice(roles.indexOf(people))

    test.each([...roles, 'owner of the hub'] as const)('to a person: %s', async (role) => {
      const person = persons[role]
      const ask = (items: AllThings) => {
        const { path, body } = operation.request(items)
        return person.call(route.split(' ', 1)[0] ?? '', path, body)
      }
      const isHubs = may.hub !== '–' && may.business === '–' // only a hub has it
      const isAllowed = role === 'owner of the hub' ? people !== null : mayPeople.includes(role) && !isHubs
      if (!isAllowed) {
        const before = await untouched()
        const allowed_key_types = keyTypes.filter((candidate) => may[candidate] !== '–')
        expectProblem(await ask(refusedOwn), 'key_type_not_allowed', { allowed_key_types })
        expect(await untouched()).toEqual(before)
        return
      }
      const reply = await ask(await thingsFor(route))
      if (role === 'staff') expect([401, 403]).not.toContain(reply.status)
      else if (operation.ofNobody) expectProblem(reply, 'not_found')
      else if (operation.forTests) expectProblem(reply, 'test_business')
      else expect([200, 201, 202, 204]).toContain(reply.status)
    })

    test.each(people === null || (may.business === '–' && may.hub !== '–') ? [] : operation.names)(
      'a foreign %s looks to an owner as an unknown one',
      async (name) => {
        const others = theirs[foreign.business.id] ?? nothing
        const ask = (items: AllThings) => {
          const { path, body } = operation.request(items)
          return persons.owner.call(route.split(' ', 1)[0] ?? '', path, body)
        }
        const before = await untouched()
        const refused = await ask({ ...refusedOwn, [name]: others[name] })
        const unknown = await ask({ ...refusedOwn, [name]: unknownId })
        expect(refused.status).toBe(operation.field === undefined ? 404 : 422)
        expect(withoutRequestId(refused)).toEqual(withoutRequestId(unknown))
        expect(await untouched()).toEqual(before)
      },
    )

    const cases = allowed.flatMap((type) => operation.names.map((name) => ({ type, name })))

    test.each(cases)('a foreign $name looks to a $type key as an unknown one', async ({ type, name }) => {
      const others = theirs[foreign[type].id] ?? nothing
      const items = refusedOwn
      const token = await tokenOf(type, items)
      const before = await untouched()
      const refused = await send(route, operation, { token, items: { ...items, [name]: others[name] } })
      const unknown = await send(route, operation, { token, items: { ...items, [name]: unknownId } })
      if (operation.field === undefined)
        expectProblem(refused, name === 'hold_id' ? 'hold_not_found' : 'not_found')
      else expectUnknown(refused, operation.field)
      expect(withoutRequestId(refused)).toEqual(withoutRequestId(unknown))
      expect(await untouched()).toEqual(before)
    })

    test.each(allowed.filter((type) => type === 'hub'))(
      'gives the %s key of another hub nothing',
      async () => {
        const before = await untouched()
        const reply = await send(route, operation, { token: strangersKey, items: refusedOwn })
        if (operation.creates) {
          expect(reply.body.hub_id).not.toBe(service.world.hub.id)
          return
        }
        // its own business, which has nothing yet
        const ofOthers = (reply.body?.data as { name?: string }[] | undefined)?.filter(
          ({ name }) => !isStrange(name),
        )
        if (operation.hasResults) expect(reply.body.results).toMatchObject([{ status: 404 }])
        else if (operation.hasOwn) expect(JSON.stringify(ofOthers)).not.toContain(own.id)
        else if (operation.names.length === 0) expect(ofOthers).toEqual([])
        else if (operation.field !== undefined) expectUnknown(reply, operation.field)
        else expect(reply.status).toBe(404)
        expect(await untouched()).toEqual(before)
      },
    )
  }
  describe.each(part)('$route', tryRoute)
  ;(engine === 'sqlite' ? longDescribe : nightDescribe).each(others)('$route', tryRoute)

  test.each(['/services', '/locations', '/staff', '/resources', '/bookings', '/blocks', '/webhooks'])(
    'GET %s shows each key its own business or hub, and a foreign business_id nothing',
    async (path) => {
      await Promise.all(service.world.businesses.map((tenant) => thingsOf(tenant)))
      const inHub = service.world.businesses.filter(({ hub_id }) => hub_id !== null).map(({ id }) => id)
      const businessIds = async (token: string, query = '') => {
        const { status, body } = await service.call('GET', `${path}?limit=100${query}`, { token })
        expect(status).toBe(200)
        const ids = (body.data as { business_id: string }[]).map(({ business_id }) => business_id)
        return [...new Set(ids)].toSorted()
      }
      expect(await businessIds(await tokenOf('hub'))).toEqual(inHub.toSorted())
      expect(await businessIds(await tokenOf('business'))).toEqual([own.id])
      expect(await businessIds(await tokenOf('hub'), `&business_id=${own.id}`)).toEqual([own.id])
      for (const type of ['business', 'hub'] as const) {
        const token = await tokenOf(type)
        expect(await businessIds(token, `&business_id=${foreign[type].id}`)).toEqual([])
        expect(await businessIds(token, `&business_id=${unknownId}`)).toEqual([])
      }
    },
  )

  const kept = [
    ...['claims', 'bookings', 'events', 'businesses', 'services', 'locations', 'staff', 'resources'],
    ...['blocks', 'api_keys'],
    ...[
      'clients',
      'blocked_clients',
      'webhooks',
      'audit_entries',
      'users',
      'user_places',
      'user_invitations',
    ],
  ]
  /** Changes after each commit. */
  const version = async () => {
    const { rows } =
      await sql`${sql.raw(engine === 'sqlite' ? 'pragma data_version' : 'select pg_current_snapshot()')}`.execute(
        service.context.db.reads,
      )
    return JSON.stringify(rows)
  }
  let read = { version: '', texts: {} as Record<string, string> }
  /** Leaves out the two columns in which the worker notes that a webhook fails. */
  const byRequests = (column: string, value: unknown): unknown =>
    column === 'failing_since' || column === 'told_at' ? undefined : value
  /**
   * Everything that a refused request must not change, as text, because thousands of rows are compared hundreds of
   * times.
   */
  const untouched = async () => {
    await service.app.payments.settled() // a refund that an allowed request asked for is recorded later
    const current = await version()
    if (read.version === current) return read.texts
    const texts = kept.map(
      async (table) => [table, JSON.stringify(await service.rows(table), byRequests)] as const,
    )
    read = { version: current, texts: Object.fromEntries(await Promise.all(texts)) }
    return read.texts
  }
})

function expectUnknown(reply: Reply, field: string): void {
  expectErrors(reply, field)
  expect(reply.body.errors[0].code).toBe('unknown_reference')
}

/** True for a business of the strangers' hub, which another test adds to. */
function isStrange(name: string | undefined): boolean {
  return name === 'Strange' || name === 'New'
}

function withoutRequestId({ status, body, headers }: Reply) {
  const { request_id: _id, ...rest } = body as Record<string, unknown>
  const {
    'x-request-id': _header,
    'x-ratelimit-remaining': _remaining, // one less each time
    date: _date,
    'content-length': _length,
    ...others
  } = headers
  return { status, body: rest, headers: others }
}
