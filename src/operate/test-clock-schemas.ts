import { type Static, Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { Id, InstantText, ShownId, ShownInstant, StrictObject } from '../base/wire.ts'

const businessId = Type.Optional(Type.String({ ...Id, description: 'For hub keys: the test business.' }))

export const TestClockQuery = StrictObject({ business_id: businessId })

export const MoveTestClock = StrictObject(
  {
    now: Type.String({
      ...InstantText,
      description: 'The new time, with an offset or `Z`. At most five years ahead.',
      examples: ['2027-01-05T09:00:00Z'],
    }),
    business_id: businessId,
  },
  {
    title: 'MoveTestClock',
    description: 'The new time of a test business.',
    examples: [{ now: '2027-01-05T09:00:00Z' }],
  },
)

export const TestClock = Type.Object(
  {
    business_id: ShownId,
    now: ShownInstant,
    frozen: Type.Boolean({ description: 'False until the clock is moved for the first time.' }),
  },
  {
    title: 'TestClock',
    description: 'The time of a test business.',
    examples: [{ business_id: exampleIds.business, now: '2027-01-05T10:00:00+01:00', frozen: true }],
  },
)

export type MoveTestClock = Static<typeof MoveTestClock>
export type TestClock = Static<typeof TestClock>
