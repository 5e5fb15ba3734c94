import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { countWithin } from '../access/authentication-hook.ts'
import { quotasOfLook } from '../access/rate-limit-rules.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { readClientAddress } from '../base/client-network.ts'
import { Problem } from '../base/errors.ts'
import { problems, StrictObject } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { imageTypes } from '../catalogue/image-rules.ts'
import { imageReader } from '../catalogue/image.ts'
import { pageTag } from '../http/openapi.ts'

/** Registers the addresses of pictures. Their content never changes, because the address is its digest. */
export function imagePageRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    const read = imageReader(context)
    app.withTypeProvider<TypeBoxTypeProvider>().get(
      '/images/:digest',
      {
        schema: {
          operationId: 'showImage',
          tags: [pageTag],
          summary: 'A picture of a business',
          description: 'Browsers may keep it for ever.',
          params: StrictObject({
            digest: Type.String({ examples: ['5e'.repeat(32)], description: 'SHA-256 of the file.' }),
          }),
          response: {
            200: {
              description: 'The picture.',
              content: Object.fromEntries(
                imageTypes.map((type) => [
                  type,
                  { schema: Type.Unsafe({ type: 'string', format: 'binary' }) },
                ]),
              ),
            },
            ...problems('not_found', 'rate_limited', 'unavailable'),
          },
        },
      },
      async (request, reply) => {
        const client = readClientAddress(request.ip)
        const { digest } = request.params
        const image = /^[0-9a-f]{64}$/.test(digest)
          ? await read(digest, () =>
              countWithin(limiter, reply, quotasOfLook('page', client, context.config.rateLimitFactor)),
            )
          : undefined
        if (!image) throw new Problem('not_found', 'There is no picture at this address.')
        return reply
          .headers({
            'cache-control': 'public, max-age=31536000, immutable',
            'content-security-policy': "default-src 'none'; sandbox",
            'cross-origin-resource-policy': 'cross-origin', // websites show it in their widget
            'x-content-type-options': 'nosniff',
          })
          .type(image.type)
          .send(image.bytes)
      },
    )
  }
}
