import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import {
  StrictObject,
  Id,
  InstantText,
  listParameters,
  Nullable,
  Page,
  Ruled,
  ShownId,
  ShownInstant,
  Text,
  QueryInstant,
} from '../base/wire.ts'
import { blockErrors } from './block-rules.ts'

export const maxConflicts = 1_000

const exampleBlockId = '01a1fa68-3c51-7d0e-9b7a-5e2f60a1c9d4'

export const CreateBlock = Ruled(
  StrictObject(
    {
      location_id: Type.Optional(Type.String({ ...Id, description: 'The location to block.' })),
      staff_id: Type.Optional(
        Type.String({ ...Id, description: 'The absent staff member, in place of `location_id`.' }),
      ),
      resource_id: Type.Optional(
        Type.String({
          ...Id,
          description: 'The resource that cannot be used, in place of `location_id`; all of its quantity.',
        }),
      ),
      starts_at: InstantText,
      ends_at: InstantText,
      reason: Type.Optional(Text(500)),
    },
    {
      title: 'CreateBlock',
      description: 'A time that nobody can book, at a location, with a staff member or with a resource.',
      examples: [
        {
          staff_id: exampleIds.staff,
          starts_at: exampleTimes.startsAt,
          ends_at: exampleTimes.endsAt,
          reason: 'At the dentist',
        },
      ],
    },
  ),
  blockErrors,
)

const members = {
  id: ShownId,
  business_id: ShownId,
  location_id: Nullable(ShownId),
  staff_id: Nullable(ShownId),
  resource_id: Nullable(ShownId),
  starts_at: ShownInstant,
  ends_at: ShownInstant,
  reason: Nullable(Type.String()),
  created_at: ShownInstant,
}

const example = {
  id: exampleBlockId,
  business_id: exampleIds.business,
  location_id: null,
  staff_id: exampleIds.staff,
  resource_id: null,
  starts_at: exampleTimes.startsAt,
  ends_at: exampleTimes.endsAt,
  reason: 'At the dentist',
  created_at: exampleTimes.createdAt,
}

export const Block = Type.Object(members, {
  title: 'Block',
  description: 'A time that nobody can book.',
  examples: [example],
})

export const BlockWithConflicts = Type.Object(
  {
    ...members,
    conflicting_booking_ids: Type.Array(ShownId, {
      description: `Bookings that overlap the block, by their start; they stay. At most ${maxConflicts}.`,
    }),
  },
  {
    title: 'BlockWithConflicts',
    description: 'A block and the bookings that overlap it.',
    examples: [{ ...example, conflicting_booking_ids: [exampleIds.booking] }],
  },
)

export const BlockPage = Page(Block, { title: 'BlockPage', description: 'Blocks, sorted by start.' })

export const BlocksQuery = StrictObject({
  ...listParameters,
  location_id: Type.Optional(Id),
  staff_id: Type.Optional(Id),
  resource_id: Type.Optional(Id),
  from: Type.Optional(QueryInstant({ description: 'Only blocks that end after this instant.' })),
  to: Type.Optional(QueryInstant({ description: 'Only blocks that start before it.' })),
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})
