import { Type, type Static } from 'typebox'
import { exampleIds, exampleTimes } from '../examples.ts'
import {
  Closed,
  Id,
  InstantText,
  listParameters,
  Nullable,
  Page,
  Ruled,
  ShownId,
  ShownInstant,
  Text,
} from '../wire.ts'
import { blockFaults } from './block-rules.ts'

/** So many conflicting bookings are named at most. */
export const mostConflicts = 1_000

const exampleBlockId = '01a1fa68-3c51-7d0e-9b7a-5e2f60a1c9d4'

export const CreateBlock = Ruled(
  Closed(
    {
      location_id: Type.Optional(Type.String({ ...Id, description: 'The location that is blocked.' })),
      staff_id: Type.Optional(
        Type.String({ ...Id, description: 'The staff member who is away. Either this or `location_id`.' }),
      ),
      starts_at: InstantText,
      ends_at: InstantText,
      reason: Type.Optional(Text(500)),
    },
    {
      title: 'CreateBlock',
      description: 'A time that nobody can book, of a location or of a staff member.',
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
  blockFaults,
)

export type BlockCreation = Static<typeof CreateBlock>

const members = {
  id: ShownId,
  business_id: ShownId,
  location_id: Nullable(ShownId),
  staff_id: Nullable(ShownId),
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
      description: `Bookings in this time, by their start; they stay. At most ${mostConflicts}.`,
    }),
  },
  {
    title: 'BlockWithConflicts',
    description: 'A block, and the bookings that lie in its time.',
    examples: [{ ...example, conflicting_booking_ids: [exampleIds.booking] }],
  },
)

export const BlockPage = Page(Block, { title: 'BlockPage', description: 'Blocks by their start.' })

export const BlocksQuery = Closed({
  ...listParameters,
  location_id: Type.Optional(Id),
  staff_id: Type.Optional(Id),
  from: Type.Optional(
    Type.String({ ...InstantText, description: 'Only blocks that end after this instant.' }),
  ),
  to: Type.Optional(Type.String({ ...InstantText, description: 'Only blocks that start before it.' })),
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})
