import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { confirmEmail } from '../../access/account.ts'
import {
  acceptInvitation,
  declineInvitation,
  type Invitee,
  listOwnInvitations,
} from '../../access/invitation.ts'
import { findInvitee, findPerson } from '../../access/log-in.ts'
import { logInToken } from '../../access/log-in-cookie.ts'
import { ownFormsOnly } from '../../access/own-forms-hook.ts'
import { readClientAddress } from '../../base/client-network.ts'
import { Problem } from '../../base/errors.ts'
import { ownOrigins } from '../../base/public-url.ts'
import type { Context } from '../../bookings/context.ts'
import { EmptyObject, StrictObject } from '../../base/wire.ts'
import { formMedia as consumes, page, refusedForms, tags } from '../frame/console-route.ts'
import { sendEmailConfirmed, sendEmailForm, sendInvitations, sendLogIn } from '../frame/gate-page.ts'
import { textsOf } from '../frame/texts.ts'
import { seeOther } from '../../pages/page.ts'

/*
 * Pages for people who are logged in, even without access to a business: invitations to their address, and
 * confirmation of a new one.
 */

export const invitationsPath = '/console/invitations'
const emailPath = '/console/email'
const led = { 303: Type.Null({ description: 'To a page of the console.' }) }
const Params = StrictObject({ id: Type.String() })

type FoundInvitee = NonNullable<Awaited<ReturnType<typeof findInvitee>>>

/**
 * Returns true if a person who has just logged in sees their invitations first: if there are any, or nothing
 * else to see.
 */
export async function isInvited(context: Context, token: string): Promise<boolean> {
  const invitee = await findInvitee(context, token)
  return invitee !== undefined && (await ownInvitations(context, invitee)).length > 0
}

async function ownInvitations(context: Context, { email, email_proved_at }: FoundInvitee) {
  return email_proved_at === null ? [] : listOwnInvitations(context, email)
}

export function invitationRoutes(app: FastifyInstance, context: Context): void {
  const ours = ownOrigins(context.config)
  void app.register((scope, _options, done) => {
    ownFormsOnly(scope, ours)
    addInvitations(scope, context)
    addEmail(scope, context)
    done()
  })
}

async function inviteeOf(context: Context, request: FastifyRequest): Promise<FoundInvitee | undefined> {
  const token = logInToken(request)
  const found = token === undefined ? undefined : await findInvitee(context, token)
  const via = { address: readClientAddress(request.ip).address, requestId: request.id }
  return found && { ...found, via }
}

/** Shows a person's invitations. */
async function shown(
  context: Context,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { invitee, message }: { invitee: FoundInvitee; message?: string },
): Promise<FastifyReply> {
  const token = logInToken(request)
  const mayAct = token !== undefined && (await findPerson(context, token)) !== undefined
  const invitations = await ownInvitations(context, invitee)
  const { email, email_proved_at } = invitee
  return sendInvitations(reply, { email, isProved: email_proved_at !== null, invitations, mayAct, message })
}

function addInvitations(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    invitationsPath,
    {
      schema: {
        operationId: 'showInvitations',
        tags,
        summary: "Invitations to a person's address",
        description: 'For who has proved it. Whoever is not logged in gets the form to log in.',
        response: { 200: page },
      },
    },
    async (request, reply) => {
      const invitee = await inviteeOf(context, request)
      return invitee
        ? shown(context, { request, reply }, { invitee })
        : sendLogIn(context, reply, { next: invitationsPath })
    },
  )
  const uses: {
    verb: 'accept' | 'decline'
    next: string
    use: (context: Context, invitee: Invitee, id: string) => Promise<unknown>
  }[] = [
    { verb: 'accept', next: '/console', use: acceptInvitation },
    { verb: 'decline', next: invitationsPath, use: declineInvitation },
  ]
  for (const { verb, next, use } of uses)
    routes.post(
      `${invitationsPath}/:id/${verb}`,
      {
        schema: {
          operationId: `${verb}InvitationOfPage`,
          tags,
          summary: `${verb === 'accept' ? 'Accept' : 'Decline'} an invitation, by a form`,
          description: 'Of the page of invitations.',
          consumes,
          params: Params,
          body: EmptyObject,
          response: { ...led, 404: page, ...refusedForms },
        },
      },
      async (request, reply) => {
        const invitee = await inviteeOf(context, request)
        if (!invitee) return seeOther(reply, invitationsPath)
        try {
          await use(context, invitee, request.params.id)
        } catch (error) {
          if (!(error instanceof Problem) || error.code !== 'not_found') throw error
          const message = textsOf(request).gate.invitationEnded
          return shown(context, { request, reply: reply.code(404) }, { invitee, message })
        }
        return seeOther(reply, next)
      },
    )
}

function addEmail(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    emailPath,
    {
      schema: {
        operationId: 'showEmailPage',
        tags,
        summary: 'The page on which people confirm an address',
        description:
          'The same for everybody, and changes nothing. The token is in the fragment of its address.',
        response: { 200: page },
      },
    },
    (_request, reply) => sendEmailForm(reply, {}),
  )
  routes.post(
    emailPath,
    {
      schema: {
        operationId: 'confirmEmail',
        tags,
        summary: 'Confirm an address by the link mailed to it',
        description: 'For the person who asked for it, logged in. A link works once, for 30 minutes.',
        consumes,
        body: StrictObject({ token: Type.String({ maxLength: 254 }) }),
        response: { 200: page, 404: page, 422: page, ...refusedForms },
      },
    },
    async (request, reply) => {
      const { token } = request.body
      const { gate: texts } = textsOf(request)
      const invitee = await inviteeOf(context, request)
      if (!invitee) return sendEmailForm(reply.code(422), { token, message: texts.emailLogInFirst })
      const outcome = await confirmEmail(context, invitee, token)
      if (outcome === 'proved') return sendEmailConfirmed(reply)
      const message = outcome === 'taken' ? texts.emailTaken : texts.emailEnded
      return sendEmailForm(reply.code(404), { message })
    },
  )
}
