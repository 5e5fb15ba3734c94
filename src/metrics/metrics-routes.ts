import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Nothing } from '../wire.ts'
import type { OpenMetrics } from './open-metrics.ts'

const schema = {
  operationId: 'scrapeMetrics',
  tags: ['Service'],
  summary: 'What the service counts and measures',
  description: 'For Prometheus, in its text format. Answers while the database is away, too.',
  querystring: Nothing,
  response: {
    200: {
      description: 'All metrics.',
      content: { 'text/plain': { schema: Type.String() } },
    },
  },
}

/** `/metrics`, for Prometheus (contract: Around the API). */
export function metricsRoutes({ scrape, contentType }: Pick<OpenMetrics, 'scrape' | 'contentType'>) {
  return (app: FastifyInstance): void => {
    app.get('/metrics', { schema }, async (_request, reply) => reply.type(contentType).send(await scrape()))
  }
}
