import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../access/context.ts'
import { Problem } from '../base/errors.ts'
import { exampleIds } from '../base/examples.ts'
import { compileQuery } from '../base/validation.ts'
import { Id, problems, ShownId, StrictObject } from '../base/wire.ts'
import { imagePath, imageTypes, maxImageBytes, maxImages, maxImageSide } from './image-rules.ts'
import { storeImage } from './image.ts'

const Image = Type.Object(
  {
    id: ShownId,
    url: Type.String({
      description: 'Its address on this server, for `image_url`, `brand_logo_url` and `cover_url`.',
    }),
  },
  {
    title: 'Image',
    description: 'A stored picture.',
    examples: [{ id: exampleIds.service, url: imagePath('5e'.repeat(32)) }],
  },
)

/** Registers the upload of pictures. The body is the file itself. */
export function imageRoutes(app: FastifyInstance, context: Context): void {
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    const options = { parseAs: 'buffer', bodyLimit: maxImageBytes } as const
    scope.addContentTypeParser([...imageTypes], options, (_request, body: Buffer, parsed) => {
      parsed(null, body)
    })
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 0 }, (_request, _body, parsed) => {
      parsed(unsupported())
    })
    scope.withTypeProvider<TypeBoxTypeProvider>().post(
      '/images',
      {
        config: { access: ['business', 'hub'], people: 'manager' },
        bodyLimit: maxImageBytes,
        // the body is bytes, which no schema describes
        validatorCompiler: ({ schema, httpPart }) =>
          httpPart === 'body' ? () => true : compileQuery(schema as never),
        schema: {
          operationId: 'createImage',
          tags: ['Catalogue'],
          summary: 'Store a picture',
          description: `The body is the file: JPEG, PNG or WebP, at most 512 KiB and ${maxImageSide} × ${maxImageSide} pixels. Format and size are read from the content. The same picture again gets the same answer. A picture that nothing names is removed after a day. At most ${maxImages} for a business.`,
          consumes: [...imageTypes],
          querystring: StrictObject({
            business_id: Type.Optional(
              Type.String({
                ...Id,
                description: 'Only keys and people of several businesses have to give it.',
              }),
            ),
          }),
          body: Type.Unsafe<Buffer>({ type: 'string', format: 'binary', description: 'The file.' }),
          response: { 201: Image, ...problems('not_found', 'catalogue_limit_reached') },
        },
      },
      async (request, reply) => {
        if (!Buffer.isBuffer(request.body)) throw unsupported()
        const { business_id: businessId } = request.query
        const { body: bytes } = request
        return reply.code(201).send(await storeImage(context, request.actor, { businessId, bytes }))
      },
    )
    done()
  })
}

function unsupported(): Problem {
  return new Problem(
    'unsupported_media_type',
    'Send the file as the body, with "Content-Type: image/jpeg", image/png or image/webp.',
  )
}
