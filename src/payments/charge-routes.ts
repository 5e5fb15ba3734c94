import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { ManageActor } from '../access/actor.ts'
import { exampleIds } from '../base/examples.ts'
import { EmptyObject, PathId, problems, StrictObject } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { ChargeBooking, PaymentOfBooking } from '../bookings/payment-schemas.ts'
import { presentPayment } from '../bookings/shown-payment.ts'
import { createdOnce } from '../http/created-once.ts'
import { chargeBooking, waiveFee } from './charge.ts'
import { removeSavedCard } from './saved-card.ts'

const params = StrictObject({ id: PathId('booking', exampleIds.booking) })
const feeParams = StrictObject({
  id: PathId('booking', exampleIds.booking),
  payment_id: PathId('payment', exampleIds.booking),
})
const access = { access: ['business', 'hub'] as const, people: 'manager' as const }

/** Registers charges to the saved card of a booking, and its removal. */
export function chargeRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.post(
    '/bookings/:id/charge',
    {
      config: { ...access, access: [...access.access], idempotent: true },
      schema: {
        operationId: 'chargeBooking',
        tags: ['Bookings'],
        summary: 'Charge the card that the client of a booking saved',
        description:
          'The payment processor charges it soon after the response: `charging` becomes `paid`, and `payment.paid` is sent. If the card is declined or none is saved, it becomes `due`, `payment.failed` is sent, and the client gets an email with a link to pay. The same reason charges a booking once. The currency is that of the booking.',
        params,
        querystring: EmptyObject,
        body: ChargeBooking,
        response: { 201: PaymentOfBooking, ...problems('not_found', 'unavailable') },
      },
    },
    async (request, reply) =>
      createdOnce(
        context,
        { request, reply },
        {
          run: (store) =>
            chargeBooking(context, request.actor, { ...request.body, id: request.params.id }, store),
          present: ({ payment, timezone }) => ({ body: presentPayment(payment, { timezone }) }),
        },
      ),
  )
  routes.delete(
    '/bookings/:id/card',
    {
      config: { ...access, access: [...access.access] },
      schema: {
        operationId: 'removeSavedCard',
        tags: ['Bookings'],
        summary: 'Remove the card that the client of a booking saved',
        description:
          'The payment processor detaches it soon after the response, once no charge needs it. Later fees of the booking are `due` and get a link to pay. Repeating it changes nothing.',
        params,
        querystring: EmptyObject,
        response: { 204: Type.Null({ description: 'It is being removed.' }), ...problems('not_found') },
      },
    },
    async (request, reply) => {
      await removeSavedCard(context, request.actor, request.params.id)
      return reply.code(204).send(null)
    },
  )
  routes.delete(
    '/manage/card',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'removeManagedCard',
        tags: ['Manage link'],
        summary: 'Remove the saved card of the booking',
        description: 'Possible once the appointment is over and nothing is due: see `can_remove` of `card`.',
        querystring: EmptyObject,
        response: {
          204: Type.Null({ description: 'It is being removed.' }),
          ...problems('not_found', 'change_not_allowed'),
        },
      },
    },
    async (request, reply) => {
      const { bookingId } = request.actor as ManageActor // `access` allows manage tokens only
      await removeSavedCard(context, request.actor, bookingId)
      return reply.code(204).send(null)
    },
  )
  routes.post(
    '/bookings/:id/payments/:payment_id/waive',
    {
      config: { ...access, access: [...access.access] },
      schema: {
        operationId: 'waiveFee',
        tags: ['Bookings'],
        summary: 'Waive a fee of a booking',
        description:
          'Nothing more is taken for it, and what was taken is refunded in full. Repeating it changes nothing.',
        params: feeParams,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 200: PaymentOfBooking, ...problems('not_found') },
      },
    },
    async (request) => {
      const { id, payment_id: paymentId } = request.params
      const { payment, timezone } = await waiveFee(context, request.actor, { id, paymentId })
      return presentPayment(payment, { timezone })
    },
  )
}
