import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'

const compile = SerializerSelector()()

/**
 * What turns an answer into JSON, compiled when the first one is due: to compile all of them would take a good part of the
 * time in which a server starts, and most answers that are described are rare refusals.
 */
export const compileResponse: FastifySerializerCompiler<unknown> = ({ httpStatus = '', ...response }) => {
  let serialize: ReturnType<typeof compile> | undefined
  return (document) => {
    serialize ??= compile({ ...response, httpStatus })
    return serialize(document)
  }
}
