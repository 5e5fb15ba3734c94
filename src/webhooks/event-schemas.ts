import { Type } from 'typebox'
import { exampleClient, exampleIds, exampleTimes } from '../base/examples.ts'
import { StrictObject, Id, listParameters, Nullable, Page, ShownId, ShownInstant } from '../base/wire.ts'
import { ShownMetadata } from '../base/metadata-schemas.ts'
import { bookingEventTypes } from './event-payload.ts'

const BookingEventName = Type.Enum([...bookingEventTypes], { title: 'BookingEventName' })

const Named = Type.Object({ id: ShownId, name: Type.String() })

/** The body of a delivery. */
export const EventBody = Type.Object(
  {
    event: BookingEventName,
    timestamp: ShownInstant,
    data: Type.Object({
      id: Type.String({ format: 'uuid', description: 'The booking.' }),
      status: Type.String(),
      service: Named,
      client: Type.Object({ first_name: Type.String(), last_name: Type.String(), email: Type.String() }),
      starts_at: ShownInstant,
      ends_at: ShownInstant,
      location: Named,
      party_size: Type.Optional(Type.Integer({ description: 'The number of people, if more than one.' })),
      series_id: Type.Optional(ShownId),
      metadata: Type.Optional(
        Type.Unsafe<Record<string, string>>({ ...ShownMetadata, description: 'Absent without an entry.' }),
      ),
      items: Type.Array(
        Type.Object({
          id: Type.String({ format: 'uuid', description: 'The service.' }),
          name: Type.String(),
          starts_at: ShownInstant,
          ends_at: ShownInstant,
          staff: Nullable(Named),
        }),
        { description: 'Its services in order. `service` is the first.' },
      ),
      respond_by: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'Of `booking.requested`: when the request ends unless the business answers.',
        }),
      ),
      previous: Type.Optional(
        Type.Object(
          { starts_at: ShownInstant, ends_at: ShownInstant },
          { description: 'Of `booking.rescheduled`: the time before.' },
        ),
      ),
      payment: Type.Optional(
        Type.Object(
          {
            kind: Type.Enum(['deposit', 'full']),
            ...{ status: Type.String(), amount: Type.Integer(), currency: Type.String() },
            refunded_amount: Type.Integer(),
          },
          { description: 'Of `payment.*`: the deposit or the full price. The amount is in minor units.' },
        ),
      ),
    }),
  },
  { title: 'EventBody', description: 'The body of a delivery.' },
)

const { phone: _phone, ...client } = exampleClient

const exampleBody = {
  event: 'booking.created',
  timestamp: exampleTimes.createdAt,
  data: {
    id: exampleIds.booking,
    status: 'confirmed',
    service: { id: exampleIds.service, name: 'Haircut' },
    client,
    starts_at: exampleTimes.startsAt,
    ends_at: exampleTimes.endsAt,
    location: { id: exampleIds.location, name: 'Online' },
    items: [
      {
        id: exampleIds.service,
        name: 'Haircut',
        starts_at: exampleTimes.startsAt,
        ends_at: exampleTimes.endsAt,
        staff: { id: exampleIds.staff, name: 'Anna Weber' },
      },
    ],
  },
}

export const Event = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The `webhook-id` of its deliveries.' }),
    type: BookingEventName,
    booking_id: ShownId,
    business_id: ShownId,
    occurred_at: ShownInstant,
    payload: EventBody,
  },
  {
    title: 'Event',
    description: 'A change of a booking.',
    examples: [
      {
        id: exampleIds.event,
        type: 'booking.created',
        booking_id: exampleIds.booking,
        business_id: exampleIds.business,
        occurred_at: exampleTimes.createdAt,
        payload: exampleBody,
      },
    ],
  },
)

export const EventPage = Page(Event, { title: 'EventPage', description: 'Events in the wanted order.' })

export const EventSamples = Type.Object(
  { data: Type.Array(EventBody) },
  {
    title: 'EventSamples',
    description: 'Bodies of deliveries for a fictional booking.',
    examples: [{ data: [exampleBody] }],
  },
)

export const EventSamplesQuery = StrictObject({
  type: Type.Optional(BookingEventName),
})

export const EventsQuery = StrictObject({
  ...listParameters,
  after: Type.Optional(
    Type.String({
      ...Id,
      description:
        'The ID of an event. Returns only later events. If you resume after the last event that you stored, you miss none, even if one is committed late.',
    }),
  ),
  booking_id: Type.Optional(Type.String({ ...Id, description: 'Only the events of this booking.' })),
  type: Type.Optional(
    Type.Array(BookingEventName, {
      minItems: 1,
      maxItems: bookingEventTypes.length,
      uniqueItems: true,
      description:
        'Only events of this type. May be repeated. If absent: `booking.created`, `booking.updated`, `booking.cancelled` and `booking.completed`.',
      examples: [['booking.created']],
    }),
  ),
  order: Type.Optional(
    Type.Enum(['oldest', 'newest'], {
      description:
        'The first of the list; `oldest` if absent. With `newest` and a `limit` of 1, a reader learns where to start.',
    }),
  ),
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})
