import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { exampleIds } from '../examples.ts'
import { createdOnce } from '../http/created-once.ts'
import { Closed, Nothing, pageOf, PathId } from '../wire.ts'
import {
  Business,
  BusinessesQuery,
  BusinessPage,
  ChangeBusiness,
  CreateBusiness,
} from './business-schemas.ts'
import {
  changeBusinessInReach,
  createBusinessOfHub,
  cursorOfBusiness,
  listBusinessesInReach,
  presentBusiness,
  showBusinessInReach,
} from './businesses-in-reach.ts'

const params = Closed({ id: PathId('business', exampleIds.business) })
const tags = ['Businesses']

/** The businesses of a hub, or a business itself (contract: Keys, sessions, plans). */
export function businessRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get(
    '/businesses',
    {
      config: { access: ['hub'] },
      schema: {
        operationId: 'listBusinesses',
        tags,
        summary: 'List the businesses of the hub',
        description: 'By name, a page at a time.',
        querystring: BusinessesQuery,
        response: { 200: BusinessPage },
      },
    },
    async (request) => {
      const { rows, limit } = await listBusinessesInReach(context, request.actor, request.query)
      return pageOf(rows, limit, { present: presentBusiness, cursor: cursorOfBusiness })
    },
  )

  routes.post(
    '/businesses',
    {
      config: { access: ['hub'], idempotent: true },
      schema: {
        operationId: 'createBusiness',
        tags,
        summary: 'Add a business to the hub',
        description: 'It has the plan of the hub in effect. Its keys are issued afterwards.',
        querystring: Nothing,
        body: CreateBusiness,
        response: { 201: Business },
      },
    },
    async (request, reply) =>
      createdOnce(
        context,
        { request, reply },
        {
          run: (own) => createBusinessOfHub(own, hubOf(request), request.body),
          present: (business) => ({ body: presentBusiness(business) }),
        },
      ),
  )

  routes.get(
    '/businesses/:id',
    {
      config: { access: ['business', 'hub'] },
      schema: {
        operationId: 'showBusiness',
        tags,
        summary: 'Show a business',
        description: 'A business key sees its own.',
        params,
        querystring: Nothing,
        response: { 200: Business },
      },
    },
    async (request) => presentBusiness(await showBusinessInReach(context, request.actor, request.params.id)),
  )

  routes.patch(
    '/businesses/:id',
    {
      config: { access: ['business', 'hub'] },
      schema: {
        operationId: 'changeBusiness',
        tags,
        summary: 'Change a business',
        description: 'Its name, time zone and brand; plans and limits are set by the operator of the server.',
        params,
        querystring: Nothing,
        body: ChangeBusiness,
        response: { 200: Business },
      },
    },
    async (request) => {
      const { id } = request.params
      return presentBusiness(
        await changeBusinessInReach(context, request.actor, { id, change: request.body }),
      )
    },
  )
}

function hubOf({ actor }: FastifyRequest): string {
  if ('hubId' in actor.reach) return actor.reach.hubId
  throw new Error('only hub keys come here')
}
