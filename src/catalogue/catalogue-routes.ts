import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { sendJson } from '../http/conditional.ts'
import { goneClient } from '../http/gone-client.ts'
import { createdOnce } from '../http/created-once.ts'
import { StrictObject, EmptyObject, Page, PathId, problems } from '../base/wire.ts'
import type { Context } from '../access/context.ts'
import { CatalogueQuery } from './catalogue-schemas.ts'
import {
  ChangeLocation,
  ChangeStaff,
  CreateLocation,
  CreateStaff,
  Location,
  StaffMember,
} from './location-and-staff-schemas.ts'
import { BookableResource, ChangeResource, CreateResource } from './resource-schemas.ts'
import { ChangeService, CreateService, Service } from './service-schemas.ts'
import {
  type CatalogueKind,
  changeInCatalogue,
  createInCatalogue,
  deactivateInCatalogue,
  type CreationInput,
  showOfCatalogue,
  type CatalogueItem,
  type WritableKind,
  writeCatalogue,
} from './catalogue.ts'
import {
  locationKind,
  resourceKind,
  serviceKind,
  staffKind,
  writableLocations,
  writableResources,
  writableServices,
  writableStaff,
} from './catalogue-kinds.ts'

const access = ['business', 'hub'] as const
const tags = ['Catalogue']

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
  writingRoutes(app, context, {
    path: '/resources',
    kind: writableResources,
    schemas: { create: CreateResource, change: ChangeResource, item: BookableResource },
    name: 'Resource',
    exampleId: exampleIds.resource,
  })
}

interface Writing<Row, Creation, Change> {
  path: string
  kind: WritableKind<Row, Creation, Change>
  schemas: { create: TSchema; change: TSchema; item: TSchema }
  /** Suffix of the operation IDs. */
  name: string
  exampleId: string
}

function writingRoutes<Row extends CatalogueItem, Creation extends CreationInput, Change extends object>(
  app: FastifyInstance,
  context: Context,
  { path, kind, schemas, name, exampleId }: Writing<Row, Creation, Change>,
): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const params = StrictObject({ id: PathId(kind.noun, exampleId) })

  routes.post(
    path,
    {
      config: { access, people: 'manager', idempotent: true },
      schema: {
        operationId: `create${name}`,
        tags,
        summary: `Add a ${kind.noun}`,
        description:
          'It is bookable at once. A hub key names the business in `business_id`, or by one of its locations or staff members.',
        querystring: EmptyObject,
        body: schemas.create,
        response: { 201: schemas.item, ...problems('catalogue_limit_reached') },
      },
    },
    async (request, reply) => {
      const input = request.body as Creation // its schema has just accepted it
      return createdOnce(
        context,
        { request, reply },
        {
          run: (store) => createInCatalogue(context, request.actor, { kind, input }, store),
          present: (row) => ({ body: row }),
        },
      )
    },
  )

  routes.patch(
    `${path}/:id`,
    {
      config: { access, people: 'manager' },
      schema: {
        operationId: `change${name}`,
        tags,
        summary: `Change a ${kind.noun}`,
        description:
          'Absent fields stay. Holds and bookings stay as they are. `active` true reactivates what was deleted.',
        params,
        querystring: EmptyObject,
        body: schemas.change,
        response: { 200: schemas.item, ...problems('catalogue_limit_reached') },
      },
    },
    (request) => {
      const { id } = request.params
      const change = request.body as Change // its schema has just accepted it
      return changeInCatalogue(context, request.actor, { kind, id, change })
    },
  )

  routes.delete(
    `${path}/:id`,
    {
      config: { access, people: 'manager' },
      schema: {
        operationId: `delete${name}`,
        tags,
        summary: `Delete a ${kind.noun}`,
        description:
          'Deactivates it: nobody can book it, and existing bookings keep its name. Deleting it again changes nothing.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 204: Type.Null({ description: 'It is inactive.' }) },
      },
    },
    async (request, reply) => {
      await deactivateInCatalogue(context, request.actor, { kind, id: request.params.id })
      return reply.code(204).send(null)
    },
  )
}

const visitors = ['session', 'business', 'hub'] as const
const readTags = ['Catalogue']

const ServicePage = Page(Service, {
  title: 'ServicePage',
  description: 'Services, sorted by position, then name.',
})
const LocationPage = Page(Location, { title: 'LocationPage', description: 'Locations, sorted by name.' })
const StaffPage = Page(StaffMember, {
  title: 'StaffPage',
  description: 'Staff members, sorted by position, then name.',
})

const ResourcePage = Page(BookableResource, {
  title: 'ResourcePage',
  description: 'Resources, sorted by name.',
})

export function catalogueRoutes(app: FastifyInstance, context: Context): void {
  readingRoutes(app, context, {
    path: '/services',
    kind: serviceKind,
    schemas: { item: Service, page: ServicePage },
    names: { one: 'Service', many: 'Services', noun: 'services' },
    exampleId: exampleIds.service,
  })
  readingRoutes(app, context, {
    path: '/locations',
    kind: locationKind,
    schemas: { item: Location, page: LocationPage },
    names: { one: 'Location', many: 'Locations', noun: 'locations' },
    exampleId: exampleIds.location,
  })
  readingRoutes(app, context, {
    path: '/staff',
    kind: staffKind,
    schemas: { item: StaffMember, page: StaffPage },
    names: { one: 'StaffMember', many: 'Staff', noun: 'staff members' },
    exampleId: exampleIds.staff,
  })
  readingRoutes(app, context, {
    path: '/resources',
    kind: resourceKind,
    schemas: { item: BookableResource, page: ResourcePage },
    names: { one: 'Resource', many: 'Resources', noun: 'resources' },
    exampleId: exampleIds.resource,
    readers: access,
    order: 'Rooms and equipment, sorted by name, also inactive ones.',
  })
}

interface Reading<Row, Shown> {
  path: string
  kind: CatalogueKind<Row, Shown>
  schemas: { item: TSchema; page: TSchema }
  /** `one` and `many` are suffixes of the operation IDs. */
  names: { one: string; many: string; noun: string }
  exampleId: string
  /** By default visitors, too. */
  readers?: typeof visitors | typeof access
  order?: string
}

const usualOrder = 'Sorted by position, then name. Sessions see active ones, keys all in their scope.'

function readingRoutes<Row extends { id: string; name: string }, Shown>(
  app: FastifyInstance,
  context: Context,
  { path, kind, schemas, names, exampleId, readers = visitors, order = usualOrder }: Reading<Row, Shown>,
): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    path,
    {
      config: { access: readers, people: 'staff' },
      schema: {
        operationId: `list${names.many}`,
        tags: readTags,
        summary: `List ${names.noun}`,
        description: order,
        querystring: CatalogueQuery,
        response: { 200: schemas.page },
      },
    },
    async (request, reply) => {
      const asked = { kind, query: request.query, isGone: goneClient(request) }
      return sendJson(reply, await writeCatalogue(context, request.actor, asked))
    },
  )
  routes.get(
    `${path}/:id`,
    {
      config: { access: readers, people: 'staff' },
      schema: {
        operationId: `show${names.one}`,
        tags: readTags,
        summary: `Show one of the ${names.noun}`,
        description: 'Includes inactive ones, which bookings may name.',
        params: StrictObject({ id: PathId(kind.noun, exampleId) }),
        querystring: EmptyObject,
        response: { 200: schemas.item },
      },
    },
    (request) => showOfCatalogue(context, request.actor, { kind, id: request.params.id }),
  )
}
