import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../examples.ts'
import { Closed, Id, InstantText, Nullable, ShownId, ShownInstant } from '../wire.ts'

const offerParameters = {
  service_id: Id,
  location_id: Id,
  staff_id: Type.Optional(Id),
}

function DateText(description: string) {
  return Type.String({ format: 'date', maxLength: 10, description, examples: ['2026-12-01'] })
}

/** Which offer is asked about, and on which dates. */
export const AvailabilityQuery = Closed({
  ...offerParameters,
  from: DateText('The first date, in the zone of the location.'),
  to: DateText('The last date, included: at most 61 days after `from`.'),
})

/** Which single slot is asked about. */
export const ExplainQuery = Closed({ ...offerParameters, starts_at: InstantText })

/** Which offer is asked about. */
export const OfferQuery = Closed(offerParameters)

const slotExample = {
  starts_at: exampleTimes.startsAt,
  ends_at: exampleTimes.endsAt,
  staff_ids: [exampleIds.staff],
  seats_left: 1,
}

/** A slot that can be held at this moment. */
export const Slot = Type.Object(
  {
    starts_at: ShownInstant,
    ends_at: ShownInstant,
    staff_ids: Type.Array(ShownId, { description: 'Who is free then; empty for a service without staff.' }),
    seats_left: Type.Integer({ description: 'Seats that are free for the whole slot.' }),
    held_by_you: Type.Optional(
      Type.Literal(true, { description: 'The session holds this very slot; others do not see it.' }),
    ),
  },
  { title: 'Slot', description: 'A slot that the caller can hold at this moment.', examples: [slotExample] },
)

/** The slots of each date that was asked for. */
export const Availability = Type.Object(
  {
    service_id: ShownId,
    location_id: ShownId,
    timezone: Type.String({ description: 'Of the location; dates and times are in it.' }),
    days: Type.Array(Type.Object({ date: Type.String({ format: 'date' }), slots: Type.Array(Slot) })),
  },
  {
    title: 'Availability',
    description: 'What can be held at this moment. Every date that was asked for is there.',
    examples: [
      {
        service_id: exampleIds.service,
        location_id: exampleIds.location,
        timezone: 'Europe/Berlin',
        days: [{ date: '2026-12-01', slots: [slotExample] }],
      },
    ],
  },
)

/** Why one slot is offered or not. */
export const Explanation = Type.Object(
  {
    starts_at: ShownInstant,
    offered: Type.Boolean(),
    reason: Nullable(
      Type.Enum([
        'in_the_past',
        'too_soon',
        'beyond_horizon',
        'outside_hours',
        'blocked',
        'not_on_grid',
        'not_offered_here',
        'staff_not_available',
        'slot_held',
        'slot_booked',
      ]),
    ),
  },
  {
    title: 'Explanation',
    description:
      'Whether a session could hold the slot at this moment; if not, the reason for which it is refused.',
    examples: [{ starts_at: exampleTimes.startsAt, offered: false, reason: 'outside_hours' }],
  },
)

/** The next free slot, or null. */
export const SoonestSlot = Nullable(Slot)
