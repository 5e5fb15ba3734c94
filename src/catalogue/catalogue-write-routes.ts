import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type, type TSchema } from 'typebox'
import type { Context } from '../context.ts'
import { exampleIds } from '../examples.ts'
import { createdOnce } from '../http/created-once.ts'
import { Closed, Nothing, PathId } from '../wire.ts'
import { Location, Service, StaffMember } from './catalogue-schemas.ts'
import {
  changeInCatalogue,
  createInCatalogue,
  deactivateInCatalogue,
  type OfABusiness,
  type Thing,
  type WritableKind,
} from './change-catalogue.ts'
import { ChangeLocation, CreateLocation } from './location-input-schemas.ts'
import { ChangeService, CreateService } from './service-input-schemas.ts'
import { ChangeStaff, CreateStaff } from './staff-input-schemas.ts'
import { writableLocations, writableServices, writableStaff } from './writable-kinds.ts'

const access = ['business', 'hub'] as const
const tags = ['Catalogue']

/** Creating, changing and deleting services, locations and staff (contract: The catalogue). */
export function catalogueWriteRoutes(app: FastifyInstance, context: Context): void {
  writingRoutes(app, context, {
    path: '/services',
    kind: writableServices,
    schemas: { create: CreateService, change: ChangeService, item: Service },
    name: 'Service',
    exampleId: exampleIds.service,
  })
  writingRoutes(app, context, {
    path: '/locations',
    kind: writableLocations,
    schemas: { create: CreateLocation, change: ChangeLocation, item: Location },
    name: 'Location',
    exampleId: exampleIds.location,
  })
  writingRoutes(app, context, {
    path: '/staff',
    kind: writableStaff,
    schemas: { create: CreateStaff, change: ChangeStaff, item: StaffMember },
    name: 'StaffMember',
    exampleId: exampleIds.staff,
  })
}

interface Writing<Row, Creation, Change> {
  path: string
  kind: WritableKind<Row, Creation, Change>
  schemas: { create: TSchema; change: TSchema; item: TSchema }
  /** Ends the names of the operations. */
  name: string
  exampleId: string
}

function writingRoutes<Row extends Thing, Creation extends OfABusiness, Change extends object>(
  app: FastifyInstance,
  context: Context,
  { path, kind, schemas, name, exampleId }: Writing<Row, Creation, Change>,
): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const params = Closed({ id: PathId(kind.noun, exampleId) })

  routes.post(
    path,
    {
      config: { access, idempotent: true },
      schema: {
        operationId: `create${name}`,
        tags,
        summary: `Add a ${kind.noun}`,
        description:
          'It can be booked at once. A hub key names the business in `business_id`, or by a location or staff member of it.',
        querystring: Nothing,
        body: schemas.create,
        response: { 201: schemas.item },
      },
    },
    async (request, reply) => {
      const input = request.body as Creation // its schema is the one that was just checked
      return createdOnce(
        context,
        { request, reply },
        {
          run: (own) => createInCatalogue(own, request.actor, { kind, input }),
          present: (row) => ({ body: row }),
        },
      )
    },
  )

  routes.patch(
    `${path}/:id`,
    {
      config: { access },
      schema: {
        operationId: `change${name}`,
        tags,
        summary: `Change a ${kind.noun}`,
        description:
          'What is not named stays. Holds and bookings stay as they are. `active` true brings back what was deleted.',
        params,
        querystring: Nothing,
        body: schemas.change,
        response: { 200: schemas.item },
      },
    },
    (request) => {
      const { id } = request.params
      const change = request.body as Change // as above
      return changeInCatalogue(context, request.actor, { kind, id, change })
    },
  )

  routes.delete(
    `${path}/:id`,
    {
      config: { access },
      schema: {
        operationId: `delete${name}`,
        tags,
        summary: `Delete a ${kind.noun}`,
        description:
          'It becomes inactive: nothing new can be booked on it, and bookings keep its name. Deleting it again changes nothing.',
        params,
        querystring: Nothing,
        body: Nothing,
        response: { 204: Type.Null({ description: 'It is inactive.' }) },
      },
    },
    async (request, reply) => {
      await deactivateInCatalogue(context, request.actor, { kind, id: request.params.id })
      return reply.code(204).send(null)
    },
  )
}
