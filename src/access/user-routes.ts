import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Problem, validationProblem } from '../base/errors.ts'
import { exampleIds } from '../base/examples.ts'
import { EmptyObject, PathId, problems, StrictObject } from '../base/wire.ts'
import { changeOwnName, refusal, requestEmail, showMe } from './account.ts'
import type { PersonActor } from './actor.ts'
import type { Context } from './context.ts'
import {
  acceptInvitation,
  declineInvitation,
  listInvitations,
  listOwnInvitations,
  presentInvitation,
  resendInvitation,
  revokeInvitation,
  showInvitation,
} from './invitation.ts'
import { originOf } from './log-in-cookie.ts'
import { addPersonBy } from './new-person.ts'
import { presentLink } from './person-link.ts'
import type { MailsInLanguage } from './person-mails.ts'
import { changePerson, isPersonName, listPeoplePage, nameRule, presentPerson } from './person.ts'
import type { RateLimiter } from './rate-limits.ts'
import { countInvitation, countMail } from './counted-requests.ts'
import {
  ChangeMe,
  ChangeUser,
  CreatedUser,
  CreateUser,
  Invitation,
  InvitationPage,
  InvitationsQuery,
  Me,
  User,
  UserPage,
  UsersQuery,
} from './user-schemas.ts'

/** Only people manage people, so that a leaked key cannot make itself an owner. */
const config = { inRealTime: true, access: [], people: 'owner' } as const
/** Everyone has their own account. */
const ownConfig = { inRealTime: true, access: [], people: 'staff' } as const
const tags = ['People']

/** The emails that people can send, and their limits. */
interface Parts {
  limiter: RateLimiter
  mails: MailsInLanguage
}

/** Serves the people of a business or hub to its owners, and each person's own account. */
export function userRoutes(parts: Parts) {
  return (app: FastifyInstance, context: Context): void => {
    addPeople(app, context, parts)
    addInvitations(app, context, parts)
    addMe(app, context, parts)
    addOwnInvitations(app, context)
  }
}

function addPeople(app: FastifyInstance, context: Context, { limiter, mails }: Parts): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/users',
    {
      config,
      schema: {
        operationId: 'listUsers',
        tags,
        summary: 'List the people who log in',
        description: 'Sorted by email. A hub also sees the people of its businesses.',
        querystring: UsersQuery,
        response: { 200: UserPage },
      },
    },
    async (request) => {
      const { data, next_cursor } = await listPeoplePage(context, request.actor.scope, request.query)
      return { data: data.map(presentPerson), next_cursor }
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
          'A new address gets an account. You get a link to set a password, which works once within 30 minutes. Deliver it safely. An address with an account gets an invitation (202). The operation ignores `Idempotency-Key`, because Holdfast stores no secret for a retry.',
        querystring: EmptyObject,
        body: CreateUser,
        response: { 201: CreatedUser, 202: Invitation },
      },
    },
    async (request, reply) => {
      const owner = personOf(request)
      const { invitation: invite } = mails(localeOf(request)) ?? {}
      if (invite) await countInvitation(context, limiter, { person: owner, email: request.body.email })
      // the link of a new account is delivered by hand; an invitation is emailed
      const onlyInvitation = invite && { invitation: invite }
      const added = await addPersonBy(context, owner, request.body, { mails: onlyInvitation })
      if (added.invitation) return reply.code(202).send(presentInvitation(context, added.invitation))
      const { person, link } = added
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
        summary: 'Change the role or name of a person, or disable their access',
        description:
          'Takes effect at once, on every server. The last owner can neither be disabled nor get another role. If an owner of the hub disables a person, owners of the business cannot enable them again.',
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

const InvitationParams = StrictObject({ id: PathId('invitation', exampleIds.booking) })

function addInvitations(app: FastifyInstance, context: Context, { limiter, mails }: Parts): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/invitations',
    {
      config,
      schema: {
        operationId: 'listInvitations',
        tags,
        summary: 'List invitations',
        description:
          'Invitations that are neither accepted nor declined, the newest first. A hub also sees those of its businesses. Expired ones stay for 30 days.',
        querystring: InvitationsQuery,
        response: { 200: InvitationPage },
      },
    },
    async (request) => {
      const { data, next_cursor } = await listInvitations(context, personOf(request), request.query)
      return { data: data.map((one) => presentInvitation(context, one)), next_cursor }
    },
  )

  routes.post(
    '/invitations/:id/resend',
    {
      config,
      schema: {
        operationId: 'resendInvitation',
        tags,
        summary: 'Send an invitation again',
        description: 'The invitation is valid for 14 days from now, even if it had expired.',
        params: InvitationParams,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 202: Invitation },
      },
    },
    async (request, reply) => {
      const owner = personOf(request)
      const { email } = await showInvitation(context, owner, request.params.id)
      await countMail(context, limiter, { person: owner, email })
      const sent = { id: request.params.id, mails: mails(localeOf(request)) }
      return reply.code(202).send(presentInvitation(context, await resendInvitation(context, owner, sent)))
    },
  )

  routes.delete(
    '/invitations/:id',
    {
      config,
      schema: {
        operationId: 'revokeInvitation',
        tags,
        summary: 'Withdraw an invitation',
        description: 'The invitation can no longer be accepted.',
        params: InvitationParams,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await revokeInvitation(context, personOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}

function addMe(app: FastifyInstance, context: Context, parts: Parts): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const shown = async (person: PersonActor) => {
    const { personId, name, email, isProved, newEmail, hasSecondStep } = await showMe(context, person)
    return {
      person_id: personId,
      name,
      email,
      email_proved: isProved,
      new_email: newEmail,
      has_second_step: hasSecondStep,
    }
  }
  routes.get(
    '/users/me',
    {
      config: ownConfig,
      schema: {
        operationId: 'getMe',
        tags,
        summary: 'Show your own account',
        description: 'The account is the same in every business or hub of the person.',
        querystring: EmptyObject,
        response: { 200: Me },
      },
    },
    (request) => shown(personOf(request)),
  )

  routes.patch(
    '/users/me',
    {
      config: ownConfig,
      schema: {
        operationId: 'changeMe',
        tags,
        summary: 'Change your own name or email',
        description:
          'A new address needs the present password and receives a link by email. It takes effect once you open that link in the browser in which you are logged in.',
        querystring: EmptyObject,
        body: ChangeMe,
        response: { 200: Me, ...problems('validation_failed') },
      },
    },
    async (request) => {
      const person = personOf(request)
      const { name, email } = request.body
      if (name !== undefined && !isPersonName(name))
        throw validationProblem([{ pointer: '/name', code: 'invalid_format', detail: nameRule }])
      if (email !== undefined) await requestOwnEmail(context, parts, request)
      if (name !== undefined) await changeOwnName(context, person, name)
      return shown(person)
    },
  )
}

async function requestOwnEmail(
  context: Context,
  { limiter, mails }: Parts,
  request: FastifyRequest,
): Promise<void> {
  const person = personOf(request)
  const { email = '', password } = request.body as Static<typeof ChangeMe>
  const fault = (pointer: string, code: string, detail: string) =>
    validationProblem([{ pointer, code, detail }])
  const written = mails(localeOf(request))
  if (!written)
    throw fault(
      '/email',
      'not_allowed',
      'cannot be proved, because this server sends no email; ask its operator',
    )
  if (password === undefined) throw fault('/password', 'required', 'must be the current password')
  const refused = await refusal(context, limiter, { person, password, origin: originOf(request) })
  if (refused?.outcome === 'wrong') throw fault('/password', 'wrong_value', 'is not the current password')
  if (refused)
    throw new Problem(
      'rate_limited',
      `The password was tried too often; try again in ${refused.retryAfterSeconds} s.`,
      { headers: { 'retry-after': String(refused.retryAfterSeconds) } },
    )
  await countMail(context, limiter, { person, email })
  await requestEmail(context, person, { email, mails: written })
}

function addOwnInvitations(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/users/me/invitations',
    {
      config: ownConfig,
      schema: {
        operationId: 'listMyInvitations',
        tags,
        summary: 'List the invitations to your address',
        description:
          'Open invitations, newest first, at most 100. The list is empty until your address is proved.',
        querystring: EmptyObject,
        response: { 200: InvitationPage },
      },
    },
    async (request) => {
      const { email, isProved } = await showMe(context, personOf(request))
      const own = isProved ? await listOwnInvitations(context, email) : []
      return { data: own.map((one) => presentInvitation(context, one)), next_cursor: null }
    },
  )

  routes.post(
    '/users/me/invitations/:id/accept',
    {
      config: ownConfig,
      schema: {
        operationId: 'acceptInvitation',
        tags,
        summary: 'Accept an invitation',
        description: 'Your log-in switches to the business or hub.',
        params: InvitationParams,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 200: User },
      },
    },
    async (request) => presentPerson(await acceptInvitation(context, personOf(request), request.params.id)),
  )

  routes.post(
    '/users/me/invitations/:id/decline',
    {
      config: ownConfig,
      schema: {
        operationId: 'declineInvitation',
        tags,
        summary: 'Decline an invitation',
        description: 'The invitation is deleted.',
        params: InvitationParams,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await declineInvitation(context, personOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}

/** Returns the browser's preferred language, for emails. */
function localeOf({ headers }: FastifyRequest): string {
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*/i.exec(headers['accept-language'] ?? '')?.[0] ?? 'en'
}

/** `people` lets in nobody else. */
function personOf(request: FastifyRequest): PersonActor {
  return request.actor as PersonActor
}
