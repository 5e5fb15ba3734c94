import { type TSchema, Type } from 'typebox'
import type { FieldError } from '../base/errors.ts'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { StrictObject, Id, Nullable, QueryInstant, Ruled, ShownId, ShownInstant } from '../base/wire.ts'
import { askedItemsErrors } from './visit-query-rules.ts'

const offerParameters = {
  service_id: Type.Optional(Id),
  location_id: Id,
  staff_id: Type.Optional(Id),
  party_size: Type.Optional(
    Type.Unsafe<number>({
      ...Type.String(),
      format: 'party-size',
      maxLength: 3,
      description: 'Only slots with so many seats left in one appointment; if absent: 1.',
      examples: ['2'],
    }),
  ),
  items: Type.Optional(
    Ruled(
      Type.String({
        maxLength: 1_000,
        description:
          'Services of a visit, one after the other, in place of `service_id`, `staff_id` and `party_size`: `<service>[:<staff member>][*<party size>]`, separated by commas. A `~` before a service lets it start together with the one before. At most 10.',
        examples: [`${exampleIds.service}:${exampleIds.staff},~${exampleIds.service}*2`],
      }),
      askedItemsErrors,
    ),
  ),
}

interface AskedOffer {
  service_id?: string
  items?: string
}

/** Checks that a query names either a service or items. */
function offerErrors(query: AskedOffer): FieldError[] {
  if (!('items' in query)) {
    return 'service_id' in query ? [] : [{ pointer: '/service_id', code: 'required', detail: 'is required' }]
  }
  return ['service_id', 'staff_id', 'party_size']
    .filter((name) => name in query)
    .map((name) => ({
      pointer: `/${name}`,
      code: 'not_allowed',
      detail: 'must be left out, as items says it',
    }))
}

function OfferParameters<Parameters extends Record<string, TSchema>>(parameters: Parameters) {
  return Ruled(StrictObject({ ...offerParameters, ...parameters }), offerErrors)
}

function DateText(description: string) {
  return Type.String({ format: 'date', maxLength: 10, description, examples: ['2026-12-01'] })
}

const dateParameters = {
  from: DateText('The first date, in the zone of the location.'),
  to: DateText('The last date, included: at most 61 days after `from`.'),
}

export const AvailabilityQuery = OfferParameters(dateParameters)

/** The query for a booking, which already names its service, location and staff member. */
export const DatesQuery = StrictObject(dateParameters)

export const ExplainQuery = OfferParameters({
  starts_at: QueryInstant({ examples: [exampleTimes.startsAt] }),
})

export const OfferQuery = OfferParameters({})

const slotExample = {
  starts_at: exampleTimes.startsAt,
  ends_at: exampleTimes.endsAt,
  staff_ids: [exampleIds.staff],
  seats_left: 1,
}

export const Slot = Type.Object(
  {
    starts_at: ShownInstant,
    ends_at: ShownInstant,
    staff_ids: Type.Array(ShownId, { description: 'Free staff; empty for a service without staff.' }),
    seats_left: Type.Integer({ description: 'Seats free at every moment of the slot.' }),
    held_by_you: Type.Optional(
      Type.Literal(true, { description: 'The session holds this very slot; others do not see it.' }),
    ),
    items: Type.Optional(
      Type.Array(
        Type.Object({
          service_id: ShownId,
          staff_ids: Type.Array(ShownId, {
            description: 'All who could give it then, the rest of the visit unchanged.',
          }),
          starts_at: ShownInstant,
          ends_at: ShownInstant,
        }),
        {
          description:
            'The services of a visit, for questions with `items`. `staff_ids` of the slot are those of the first.',
        },
      ),
    ),
  },
  { title: 'Slot', description: 'A slot that the caller can hold now.', examples: [slotExample] },
)

export const Availability = Type.Object(
  {
    service_id: ShownId,
    location_id: ShownId,
    timezone: Type.String({ description: 'The zone of the location and of all dates and times.' }),
    days: Type.Array(Type.Object({ date: Type.String({ format: 'date' }), slots: Type.Array(Slot) })),
  },
  {
    title: 'Availability',
    description: 'The slots that the caller can hold now. Includes every requested date.',
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
        'busy_elsewhere',
        'not_on_grid',
        'not_offered_here',
        'staff_not_available',
        'slot_held',
        'slot_booked',
      ]),
    ),
    item: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The number from 0 of the first item of a visit that cannot be served, and why not.',
      }),
    ),
  },
  {
    title: 'Explanation',
    description: 'Whether a session could hold the slot now, and if not, why.',
    examples: [{ starts_at: exampleTimes.startsAt, offered: false, reason: 'outside_hours' }],
  },
)

export const Unchanged = Type.Null({ description: 'The cached response is still valid.' })

export const SoonestSlot = Nullable(Slot)
