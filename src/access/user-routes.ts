import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { exampleIds } from '../base/examples.ts'
import { EmptyObject, pageOf, PathId, problems, StrictObject } from '../base/wire.ts'
import type { PersonActor } from './actor.ts'
import type { Context } from './context.ts'
import { presentLink } from './person-link.ts'
import { addPersonBy, changePerson, listPeople, presentPerson } from './person.ts'
import { ChangeUser, CreatedUser, CreateUser, User, UserPage } from './user-schemas.ts'

/** People alone manage people: a key that leaks shall not make itself an owner. */
const config = { access: [], people: 'owner' } as const
const tags = ['People']

/** The people of a business or hub, for its owners. */
export function userRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/users',
    {
      config,
      schema: {
        operationId: 'listUsers',
        tags,
        summary: 'List the people who log in',
        description: 'By e-mail; of a hub, with the people of its businesses. At most 1,000, on one page.',
        querystring: EmptyObject,
        response: { 200: UserPage },
      },
    },
    async (request) => {
      const rows = await listPeople(context, request.actor.scope)
      return pageOf(rows, rows.length, { present: presentPerson, cursor: () => [] })
    },
  )

  routes.post(
    '/users',
    {
      config,
      schema: {
        operationId: 'createUser',
        tags,
        summary: 'Add a person',
        description:
          'Gives a link by which they set a password, once and within 30 minutes: hand it over safely. It ignores `Idempotency-Key`, as Holdfast stores no secret for a retry.',
        querystring: EmptyObject,
        body: CreateUser,
        response: { 201: CreatedUser },
      },
    },
    async (request, reply) => {
      const { person, link } = await addPersonBy(context, personOf(request), request.body)
      const shown = link ? presentLink(context, link, person.timezone) : null
      return reply.code(201).send({ ...presentPerson(person), link: shown })
    },
  )

  routes.patch(
    '/users/:id',
    {
      config,
      schema: {
        operationId: 'changeUser',
        tags,
        summary: 'Change the role of a person, or keep them out',
        description:
          'It holds at once, on every server. The last owner can neither be disabled nor become anything else.',
        params: StrictObject({ id: PathId('person at the business or hub', exampleIds.booking) }),
        querystring: EmptyObject,
        body: ChangeUser,
        response: { 200: User, ...problems('validation_failed') },
      },
    },
    async (request) =>
      presentPerson(
        await changePerson(context, personOf(request), { id: request.params.id, change: request.body }),
      ),
  )
}

/** `people` lets in nobody else. */
function personOf(request: FastifyRequest): PersonActor {
  return request.actor as PersonActor
}
