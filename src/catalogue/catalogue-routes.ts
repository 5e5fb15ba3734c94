import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type, type TSchema } from 'typebox'
import type { Context } from '../context.ts'
import { Closed, Nothing, Page, problems } from '../wire.ts'
import { locationKind, serviceKind, staffKind } from './catalogue-kinds.ts'
import { CatalogueQuery, Location, Service, StaffMember } from './catalogue-schemas.ts'
import { listCatalogue, showOfCatalogue, type CatalogueKind } from './list-catalogue.ts'

const access = ['session', 'business', 'hub'] as const

/** Reading services, locations and staff (contract: The catalogue). */
export function catalogueRoutes(app: FastifyInstance, context: Context): void {
  readingRoutes(app, context, { path: '/services', kind: serviceKind, item: Service })
  readingRoutes(app, context, { path: '/locations', kind: locationKind, item: Location })
  readingRoutes(app, context, { path: '/staff', kind: staffKind, item: StaffMember })
}

interface Reading<Row, Shown> {
  path: string
  kind: CatalogueKind<Row, Shown>
  item: TSchema
}

function readingRoutes<Row extends { id: string; name: string }, Shown>(
  app: FastifyInstance,
  context: Context,
  { path, kind, item }: Reading<Row, Shown>,
): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    path,
    {
      config: { access },
      schema: { querystring: CatalogueQuery, response: { 200: Page(item), ...problems('unavailable') } },
    },
    (request) => listCatalogue(context, request.actor, { kind, query: request.query }),
  )
  routes.get(
    `${path}/:id`,
    {
      config: { access },
      schema: {
        params: Closed({ id: Type.String() }),
        querystring: Nothing,
        response: { 200: item, ...problems('not_found', 'unavailable') },
      },
    },
    (request) => showOfCatalogue(context, request.actor, { kind, id: request.params.id }),
  )
}
