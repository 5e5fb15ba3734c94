import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { readInstants } from '../base/instants.ts'
import { presentPage } from '../base/paging.ts'
import { EmptyObject, PathId, problems, StrictObject } from '../base/wire.ts'
import { createdOnce } from '../http/created-once.ts'
import type { Context } from './context.ts'
import { countingRefusals } from './strangers.ts'
import { offerByHand, skipEntry } from './waitlist-offer.ts'
import { CreateEntry, EntriesQuery, Entry, EntryPage, OfferTime } from './waitlist-schemas.ts'
import { createEntry, endEntry, listEntries, presentEntry, showEntry } from './waitlist.ts'

const keys = ['business', 'hub'] as const
const everybody = ['session', ...keys] as const
const params = StrictObject({ id: PathId('entry', exampleIds.booking) })
const tags = ['Waiting list']

export function waitlistRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/waitlist',
    {
      config: { access: everybody, people: 'front_desk', idempotent: true },
      schema: {
        operationId: 'joinWaitlist',
        tags,
        summary: 'Add a client to the waiting list',
        description:
          'When a time that fits becomes free, it is held for the client who has waited longest. An email, and with consent a text message, has a link to book or decline it. Without an answer within `offer_minutes` of the business, the next client gets the offer. A session may have at most 3 active entries for one email address at a business.',
        querystring: EmptyObject,
        body: CreateEntry,
        response: { 201: Entry, ...problems('not_found', 'slot_not_offered', 'booking_limit_reached') },
      },
    },
    async (request, reply) => {
      const { actor, client: from } = request
      const input = { ...request.body, from_address: from }
      return countingRefusals(context, { actor, from }, () =>
        createdOnce(
          context,
          { request, reply },
          {
            run: (store) => createEntry(context, actor, input, store),
            present: (entry) => ({ body: presentEntry(entry, actor) }),
          },
        ),
      )
    },
  )

  routes.get(
    '/waitlist',
    {
      config: { access: keys, people: 'front_desk', readsOnly: true },
      schema: {
        operationId: 'listWaitlist',
        tags,
        summary: 'List the waiting list',
        description: 'The longest waiting first.',
        querystring: EntriesQuery,
        response: { 200: EntryPage },
      },
    },
    async ({ actor, query }) =>
      presentPage(await listEntries(context, actor, query), (entry) => presentEntry(entry, actor)),
  )

  routes.get(
    '/waitlist/:id',
    {
      config: { access: everybody, people: 'front_desk', readsOnly: true },
      schema: {
        operationId: 'showWaitlistEntry',
        tags,
        summary: 'Show an entry of the waiting list',
        description: 'A session sees the entries that it made.',
        params,
        querystring: EmptyObject,
        response: { 200: Entry },
      },
    },
    async ({ actor, params: { id } }) => presentEntry(await showEntry(context, actor, id), actor),
  )

  routes.delete(
    '/waitlist/:id',
    {
      config: { access: everybody, people: 'front_desk' },
      schema: {
        operationId: 'leaveWaitlist',
        tags,
        summary: 'Take a client off the waiting list',
        description:
          'A time that is offered to the client is free at once. An entry that is over stays as it is.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 204: Type.Null({ description: 'The client does not wait.' }) },
      },
    },
    async (request, reply) => {
      await endEntry(context, request.actor, request.params.id)
      return reply.code(204).send(null)
    },
  )

  routes.post(
    '/waitlist/:id/offer',
    {
      config: { access: keys, people: 'front_desk' },
      schema: {
        operationId: 'offerWaitlistTime',
        tags,
        summary: 'Offer a time to a client on the waiting list',
        description:
          'Offers a chosen time to any waiting client, whatever the order, and holds it for them. As for holds with a key, opening hours, blocks and notice do not apply.',
        params,
        querystring: EmptyObject,
        body: OfferTime,
        response: {
          200: Entry,
          ...problems('change_not_allowed', 'slot_held', 'slot_booked', 'slot_not_offered'),
        },
      },
    },
    async ({ actor, params: { id }, body }) =>
      presentEntry(await offerByHand(context, actor, { ...readInstants(body, 'starts_at'), id }), actor),
  )

  routes.post(
    '/waitlist/:id/skip',
    {
      config: { access: keys, people: 'front_desk' },
      schema: {
        operationId: 'skipWaitlistEntry',
        tags,
        summary: 'Pass an offered time on to the next client',
        description: 'The client goes on waiting for other times. An entry without an offer stays as it is.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 200: Entry },
      },
    },
    async ({ actor, params: { id } }) => presentEntry(await skipEntry(context, actor, id), actor),
  )
}
