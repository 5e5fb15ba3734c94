import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { EmptyObject } from '../base/wire.ts'
import type { OpenMetrics } from './metrics.ts'

const schema = {
  operationId: 'scrapeMetrics',
  tags: ['Service'],
  summary: 'Show the metrics of the service',
  description: 'For Prometheus, in its text format. Works without the database, too.',
  querystring: EmptyObject,
  response: {
    200: {
      description: 'All metrics.',
      content: { 'text/plain': { schema: Type.String() } },
    },
  },
}

/** `/metrics`, for Prometheus. */
export function metricsRoutes({ scrape, contentType }: Pick<OpenMetrics, 'scrape' | 'contentType'>) {
  return (app: FastifyInstance): void => {
    app.get('/metrics', { schema }, async (_request, reply) => reply.type(contentType).send(await scrape()))
  }
}
