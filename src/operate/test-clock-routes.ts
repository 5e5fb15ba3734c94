import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { isReading } from '../access/authentication-hook.ts'
import { EmptyObject, problems } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { type TestClocks, showTestClock } from './test-clock.ts'
import { MoveTestClock, TestClock, TestClockQuery } from './test-clock-schemas.ts'

const tags = ['Test businesses']

/** Registers the clock of test businesses. */
export function testClockRoutes(clocks: TestClocks) {
  return (app: FastifyInstance, context: Context): void => {
    const routes = app.withTypeProvider<TypeBoxTypeProvider>()
    routes.get(
      '/test/clock',
      {
        config: { inRealTime: true, access: ['business', 'hub'], people: 'manager' },
        schema: {
          operationId: 'showTestClock',
          tags,
          summary: 'Show the clock of a test business',
          description: 'It shows real time until it is moved, and then stands still.',
          querystring: TestClockQuery,
          response: { 200: TestClock, ...problems('not_found', 'test_business') },
        },
      },
      async (request) => showTestClock(context, request.actor, request.query.business_id),
    )
    routes.post(
      '/test/clock',
      {
        config: { inRealTime: true, access: ['business', 'hub'], people: 'manager' },
        schema: {
          operationId: 'moveTestClock',
          tags,
          summary: 'Move the clock of a test business',
          description:
            'Forward only, and for this business alone. Holds expire, reminders fall due and offers of the waiting list pass before the response. Everything that was due meanwhile happens at the new time. Webhooks, keys and sessions stay in real time.',
          querystring: EmptyObject,
          body: MoveTestClock,
          response: { 200: TestClock, ...problems('not_found', 'test_business') },
        },
      },
      async (request) => clocks.move(request.actor, request.body),
    )
  }
}

/** Does the due work of a test business after each request that may have changed something in its time. */
export function noteTestRequests(app: FastifyInstance, clocks: TestClocks): void {
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.testTime && !isReading(request)) clocks.wake(request.testTime.businessId)
    done()
  })
}
