import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { deviceOf } from '../../access/log-in.ts'
import { invalidCredentials } from '../../access/authentication.ts'
import { Problem } from '../../base/errors.ts'
import { EmptyObject, problems, StrictObject } from '../../base/wire.ts'
import type { Context } from '../../bookings/context.ts'
import {
  addDevice,
  changeNotifications,
  noteDevice,
  removeDevice,
  testNotifications,
} from '../../push/device.ts'
import { pushKinds } from '../../push/push-rules.ts'
import { type ConsoleVisit, findVisit } from '../frame/console-page.ts'
import { addForms, formMedia as consumes, page, refusedForms, tags } from '../frame/console-route.ts'
import { accountPath, sendAccountAgain } from './account-routes.ts'
import { seeOther } from '../../pages/page.ts'

const path = '/console/notifications'
const redirected = { 303: Type.Null({ description: 'To the account page, where the log-in is.' }) }
const Endpoint = Type.String({ maxLength: 1_000 })
const Key = Type.String({ maxLength: 200 })
const Locale = Type.String({ maxLength: 100 })
const Typed = Type.Optional(Type.String())

/** Registers the forms of a person's notifications, and the requests of the script on their account page. */
export function notificationsRoutes(app: FastifyInstance, context: Context): void {
  addForms(app, context, (scope) => {
    addDevices(scope, context)
    addSettings(scope, context)
  })
}

/** Returns the visit of a request by the script. Throws invalid_credentials if nobody is logged in. */
async function scriptVisit(context: Context, request: FastifyRequest): Promise<ConsoleVisit> {
  const visit = await findVisit(context, request)
  if (!visit) throw invalidCredentials('The log-in has ended; log in again at /console.')
  return visit
}

/** Runs the work of a form by a person who is logged in. */
async function visited(
  context: Context,
  [request, reply]: [FastifyRequest, FastifyReply],
  work: (visit: ConsoleVisit) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const visit = await findVisit(context, request)
  return visit ? work(visit) : seeOther(reply, accountPath)
}

function addDevices(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const done = { 204: Type.Null({ description: 'Done.' }), ...refusedForms }
  routes.post(
    `${path}/devices`,
    {
      schema: {
        ...{ operationId: 'addDevice', tags, consumes },
        summary: 'Notify a person on this device',
        description:
          'With the subscription of the browser. At most ten devices: the longest unused one goes.',
        body: StrictObject({
          ...{ endpoint: Endpoint, p256dh: Key, auth: Key, locale: Locale },
        }),
        response: { ...done, ...problems('validation_failed', 'invalid_credentials') },
      },
    },
    async (request, reply) => {
      const { person } = await scriptVisit(context, request)
      const device = deviceOf(request.headers['user-agent'] ?? '')
      await addDevice(context, person, { ...request.body, device })
      return reply.code(204).send(null)
    },
  )
  routes.post(
    `${path}/used`,
    {
      schema: {
        ...{ operationId: 'useDevice', tags, consumes },
        summary: 'Report that a device is in use',
        description: 'Once a session. 404 if it notifies nobody or somebody else, who is notified no more.',
        body: StrictObject({ endpoint: Endpoint, locale: Locale }),
        response: { ...done, ...problems('not_found', 'validation_failed', 'invalid_credentials') },
      },
    },
    async (request, reply) => {
      const { person } = await scriptVisit(context, request)
      const isTheirs = await noteDevice(context, person, request.body)
      if (!isTheirs) throw new Problem('not_found', 'This device is not among yours.')
      return reply.code(204).send(null)
    },
  )
  routes.post(
    `${path}/devices/:id/remove`,
    {
      schema: {
        ...{ operationId: 'removeDevice', tags, consumes },
        summary: 'Notify a person no more on a device',
        description: 'At once. The browser forgets its subscription at its next visit.',
        params: StrictObject({ id: Type.String({ format: 'uuid' }) }),
        body: EmptyObject,
        response: { 200: page, ...redirected, ...refusedForms },
      },
    },
    (request, reply) =>
      visited(context, [request, reply], async (visit) => {
        await removeDevice(context, visit.person, request.params.id)
        return sendAccountAgain(context, reply, { visit, message: visit.texts.notifications.removed })
      }),
  )
}

function addSettings(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.post(
    path,
    {
      schema: {
        ...{ operationId: 'changeNotifications', tags, consumes },
        summary: 'Change what a person is notified of',
        description: 'Kinds, and the hours without notifications.',
        body: StrictObject({
          ...{
            'kinds.booked': Typed,
            'kinds.changed': Typed,
            'kinds.cancelled': Typed,
            'kinds.late': Typed,
          },
          ...{ 'quiet.from': Typed, 'quiet.to': Typed },
        }),
        response: { 200: page, 422: page, ...redirected, ...refusedForms },
      },
    },
    (request, reply) =>
      visited(context, [request, reply], async (visit) => {
        const { account, notifications } = visit.texts
        const { 'quiet.from': from = '', 'quiet.to': to = '' } = request.body
        const kinds = pushKinds.filter((kind) => request.body[`kinds.${kind}`] === 'on')
        try {
          const quiet = from === '' && to === '' ? null : { from, to }
          await changeNotifications(context, visit.person, { kinds, quiet })
        } catch (error) {
          if (!(error instanceof Problem) || error.code !== 'validation_failed') throw error
          return sendAccountAgain(context, reply, { visit, status: 422, message: notifications.quietFault })
        }
        return sendAccountAgain(context, reply, { visit, message: account.saved })
      }),
  )
  routes.post(
    `${path}/test`,
    {
      schema: {
        ...{ operationId: 'testNotifications', tags, consumes },
        summary: 'Send a test to all devices of a person',
        description: 'At most one a minute.',
        body: EmptyObject,
        response: { 200: page, ...redirected, ...refusedForms },
      },
    },
    (request, reply) =>
      visited(context, [request, reply], async (visit) => {
        await testNotifications(context, visit.person)
        return sendAccountAgain(context, reply, { visit, message: visit.texts.notifications.tested })
      }),
  )
}
