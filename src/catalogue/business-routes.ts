import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { exampleIds } from '../base/examples.ts'
import { presentPage } from '../base/paging.ts'
import { createdOnce } from '../http/created-once.ts'
import { StrictObject, EmptyObject, PathId } from '../base/wire.ts'
import type { Context } from '../access/context.ts'
import {
  Business,
  BusinessesQuery,
  BusinessPage,
  ChangeBusiness,
  CreateBusiness,
} from './business-schemas.ts'
import {
  changeBusinessInScope,
  createBusinessOfHub,
  listBusinessesInScope,
  presentBusiness,
  showBusinessInScope,
} from './business.ts'

const params = StrictObject({ id: PathId('business', exampleIds.business) })
const tags = ['Businesses']

export function businessRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get(
    '/businesses',
    {
      config: { access: ['hub'], people: 'manager' },
      schema: {
        operationId: 'listBusinesses',
        tags,
        summary: 'List the businesses of the hub',
        description: 'Sorted by name.',
        querystring: BusinessesQuery,
        response: { 200: BusinessPage },
      },
    },
    async (request) =>
      presentPage(await listBusinessesInScope(context, request.actor, request.query), presentBusiness),
  )

  routes.post(
    '/businesses',
    {
      config: { access: ['hub'], people: 'owner', idempotent: true },
      schema: {
        operationId: 'createBusiness',
        tags,
        summary: 'Add a business to the hub',
        description: "The hub's plan is in effect. Issue its keys afterwards.",
        querystring: EmptyObject,
        body: CreateBusiness,
        response: { 201: Business },
      },
    },
    async (request, reply) =>
      createdOnce(
        context,
        { request, reply },
        {
          run: (store) => createBusinessOfHub(context, ofHub(request), request.body, store),
          present: (business) => ({ body: presentBusiness(business) }),
        },
      ),
  )

  routes.get(
    '/businesses/:id',
    {
      config: { access: ['business', 'hub'], people: 'manager' },
      schema: {
        operationId: 'showBusiness',
        tags,
        summary: 'Show a business',
        description: 'A business key sees its own business.',
        params,
        querystring: EmptyObject,
        response: { 200: Business },
      },
    },
    async (request) => presentBusiness(await showBusinessInScope(context, request.actor, request.params.id)),
  )

  routes.patch(
    '/businesses/:id',
    {
      config: { access: ['business', 'hub'], people: 'owner' },
      schema: {
        operationId: 'changeBusiness',
        tags,
        summary: 'Change a business',
        description: 'Changes its name, time zone and brand. The server operator sets plans and limits.',
        params,
        querystring: EmptyObject,
        body: ChangeBusiness,
        response: { 200: Business },
      },
    },
    async (request) => {
      const { id } = request.params
      return presentBusiness(
        await changeBusinessInScope(context, request.actor, { id, change: request.body }),
      )
    },
  )
}

function ofHub({ actor }: FastifyRequest) {
  if ('hubId' in actor.scope) return { by: actor, hubId: actor.scope.hubId }
  throw new Error('only hub keys come here')
}
