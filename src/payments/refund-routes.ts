import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { exampleIds } from '../base/examples.ts'
import { EmptyObject, PathId, problems, StrictObject } from '../base/wire.ts'
import { PaymentOfBooking, RefundBooking } from '../bookings/payment-schemas.ts'
import type { Context } from '../bookings/context.ts'
import { presentPayment } from '../bookings/shown-payment.ts'
import { createdOnce } from '../http/created-once.ts'
import { refundBooking } from './refund.ts'

const params = StrictObject({ id: PathId('booking', exampleIds.booking) })

/** Registers the refunds of a booking's payment. */
export function refundRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.post(
    '/bookings/:id/refund',
    {
      config: { access: ['business', 'hub'], people: 'manager', idempotent: true },
      schema: {
        operationId: 'refundBooking',
        tags: ['Bookings'],
        summary: 'Refund what was paid for a booking, wholly or in part',
        description:
          'The booking stays as it is. The payment processor gets the refund soon after the response: `refunding_amount` becomes `refunded_amount`, and `payment.refunded` is sent. Without an `Idempotency-Key`, a repeated request refunds again.',
        params,
        querystring: EmptyObject,
        body: RefundBooking,
        response: { 201: PaymentOfBooking, ...problems('not_found') },
      },
    },
    async (request, reply) =>
      createdOnce(
        context,
        { request, reply },
        {
          run: (store) =>
            refundBooking(context, request.actor, { ...request.body, id: request.params.id }, store),
          present: ({ payment, timezone }) => ({ body: presentPayment(payment, { timezone }) }),
        },
      ),
  )
}
