import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { isSession } from '../access/actor.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { exampleIds } from '../base/examples.ts'
import { presentPage } from '../base/paging.ts'
import { EmptyObject, PathId, problems, StrictObject } from '../base/wire.ts'
import { createdOnce } from '../http/created-once.ts'
import type { Context } from './context.ts'
import {
  ChangeCoupon,
  CheckedCoupon,
  CheckQuery,
  Coupon,
  CouponPage,
  CouponsQuery,
  CreateCoupon,
} from './coupon-schemas.ts'
import {
  changeCoupon,
  checkCoupon,
  countAttemptAtCode,
  createCoupon,
  deleteCoupon,
  listCoupons,
  presentCoupon,
  showCoupon,
} from './coupon.ts'

const keys = ['business', 'hub'] as const
const params = StrictObject({ id: PathId('coupon', exampleIds.booking) })
const tags = ['Coupons']

export function couponRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    const routes = app.withTypeProvider<TypeBoxTypeProvider>()

    routes.post(
      '/coupons',
      {
        config: { access: keys, people: 'manager', idempotent: true },
        schema: {
          operationId: 'createCoupon',
          tags,
          summary: 'Add a coupon',
          description:
            'Clients type its code when they book (`coupon` of `POST /bookings`). Each booking with it counts as a use, unless it is cancelled before its start.',
          querystring: EmptyObject,
          body: CreateCoupon,
          response: { 201: Coupon, ...problems('not_found', 'catalogue_limit_reached') },
        },
      },
      async (request, reply) =>
        createdOnce(
          context,
          { request, reply },
          {
            run: (store) => createCoupon(context, request.actor, request.body, store),
            present: (coupon) => ({ body: presentCoupon(coupon) }),
          },
        ),
    )

    routes.get(
      '/coupons',
      {
        config: { access: keys, people: 'manager', readsOnly: true },
        schema: {
          operationId: 'listCoupons',
          tags,
          summary: 'List coupons',
          description: 'Sorted by code.',
          querystring: CouponsQuery,
          response: { 200: CouponPage },
        },
      },
      async ({ actor, query }) => presentPage(await listCoupons(context, actor, query), presentCoupon),
    )

    routes.get(
      '/coupons/check',
      {
        config: { access: ['session', ...keys], people: 'staff', readsOnly: true },
        schema: {
          operationId: 'checkCoupon',
          tags,
          summary: 'Show what services cost with a coupon',
          description:
            'Reserves nothing: the use is counted when the booking is made. Every code that is not valid gets the same refusal. A visitor may try 10 codes a minute.',
          querystring: CheckQuery,
          response: { 200: CheckedCoupon, ...problems('not_found') },
        },
      },
      async ({ actor, query, client: from }) => {
        if (isSession(actor)) await countAttemptAtCode(context, limiter, { scope: actor.scope, from })
        return checkCoupon(context, actor, query)
      },
    )

    routes.get(
      '/coupons/:id',
      {
        config: { access: keys, people: 'manager', readsOnly: true },
        schema: {
          operationId: 'showCoupon',
          tags,
          summary: 'Show a coupon',
          params,
          querystring: EmptyObject,
          response: { 200: Coupon },
        },
      },
      async ({ actor, params: { id } }) => presentCoupon(await showCoupon(context, actor, id)),
    )

    routes.patch(
      '/coupons/:id',
      {
        config: { access: keys, people: 'manager' },
        schema: {
          operationId: 'changeCoupon',
          tags,
          summary: 'Change a coupon',
          description: 'Absent fields stay. Bookings keep the price that was agreed.',
          params,
          querystring: EmptyObject,
          body: ChangeCoupon,
          response: { 200: Coupon },
        },
      },
      async ({ actor, params: { id }, body: change }) =>
        presentCoupon(await changeCoupon(context, actor, { id, change })),
    )

    routes.delete(
      '/coupons/:id',
      {
        config: { access: keys, people: 'manager' },
        schema: {
          operationId: 'deleteCoupon',
          tags,
          summary: 'Delete a coupon',
          description: 'Its code is free for another one. Bookings keep their price and its code.',
          params,
          querystring: EmptyObject,
          body: EmptyObject,
          response: { 204: Type.Null({ description: 'The coupon is deleted.' }) },
        },
      },
      async ({ actor, params: { id } }, reply) => {
        await deleteCoupon(context, actor, id)
        return reply.code(204).send(null)
      },
    )
  }
}
