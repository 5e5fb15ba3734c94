import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import type { Context } from '../context.ts'
import { exampleIds } from '../examples.ts'
import { Closed, Nothing, Page, PathId } from '../wire.ts'
import { locationKind, serviceKind, staffKind } from './catalogue-kinds.ts'
import { CatalogueQuery, Location, Service, StaffMember } from './catalogue-schemas.ts'
import { listCatalogue, showOfCatalogue, type CatalogueKind } from './list-catalogue.ts'

const access = ['session', 'business', 'hub'] as const
const tags = ['Catalogue']

const ServicePage = Page(Service, { title: 'ServicePage', description: 'Services by name.' })
const LocationPage = Page(Location, { title: 'LocationPage', description: 'Locations by name.' })
const StaffPage = Page(StaffMember, { title: 'StaffPage', description: 'Staff members by name.' })

/** Reading services, locations and staff (contract: The catalogue). */
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
}

interface Reading<Row, Shown> {
  path: string
  kind: CatalogueKind<Row, Shown>
  schemas: { item: TSchema; page: TSchema }
  /** `one` and `many` end the names of the operations; `noun` is for people. */
  names: { one: string; many: string; noun: string }
  exampleId: string
}

function readingRoutes<Row extends { id: string; name: string }, Shown>(
  app: FastifyInstance,
  context: Context,
  { path, kind, schemas, names, exampleId }: Reading<Row, Shown>,
): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    path,
    {
      config: { access },
      schema: {
        operationId: `list${names.many}`,
        tags,
        summary: `List ${names.noun}`,
        description:
          'By name, a page at a time. Sessions see what is active, keys everything in their reach.',
        querystring: CatalogueQuery,
        response: { 200: schemas.page },
      },
    },
    (request) => listCatalogue(context, request.actor, { kind, query: request.query }),
  )
  routes.get(
    `${path}/:id`,
    {
      config: { access },
      schema: {
        operationId: `show${names.one}`,
        tags,
        summary: `Show one of the ${names.noun}`,
        description: 'Also an inactive one: bookings name it.',
        params: Closed({ id: PathId(kind.noun, exampleId) }),
        querystring: Nothing,
        response: { 200: schemas.item },
      },
    },
    (request) => showOfCatalogue(context, request.actor, { kind, id: request.params.id }),
  )
}
