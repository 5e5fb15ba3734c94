import { Type } from 'typebox'
import { metadataErrors, metadataLimits } from './metadata-rules.ts'
import { Ruled } from './wire.ts'

/** Metadata in a body. */
export const Metadata = Ruled(
  Type.Unsafe<Record<string, string>>(
    Type.Record(Type.String(), Type.String(), {
      description: metadataLimits,
      examples: [{ order: '1042' }],
    }),
  ),
  metadataErrors,
)

/** Metadata in a query: `metadata[order]=1042`. */
export const MetadataFilter = Ruled(
  Type.Unsafe<Record<string, string>>(
    Type.Record(Type.String(), Type.String(), {
      description: 'Only those with all of these values: `metadata[order]=1042`.',
      examples: [{ order: '1042' }],
    }),
  ),
  metadataErrors,
)

/** Metadata in a response. */
export const ShownMetadata = Type.Record(Type.String(), Type.String())
