import { Type } from 'typebox'
import { exampleTimes } from '../base/examples.ts'
import { InstantText, Nullable, ShownId, ShownInstant, StrictObject, Text } from '../base/wire.ts'
import { legalFields } from '../catalogue/business-schemas.ts'
import { Booking, BookingStatus } from './booking-schemas.ts'
import { CardOfClient, FeeOfClient } from './payment-schemas.ts'

const until = (what: string) =>
  Nullable(ShownInstant, {
    description: `Until when the client may ${what}. Null: the service never allows it.`,
  })

const feeTerm = {
  amount: Type.Integer({ description: 'In minor units: 2500 EUR is 25.00 euros.' }),
  currency: Type.String(),
  charged: Type.Integer({ description: 'What is then charged to the card: the fee, less what was paid.' }),
  kept: Type.Integer({ description: 'What then stays of what was paid.' }),
  refunded: Type.Integer({ description: 'What then comes back of it.' }),
}

/** The changes that the client of a booking may make now. */
const Policy = Type.Object(
  {
    can_cancel: Type.Boolean({ description: 'A pending booking can always be cancelled.' }),
    cancel_until: until('cancel it'),
    can_reschedule: Type.Boolean(),
    reschedule_until: until('move it'),
    reschedules_left: Type.Integer({ description: 'How often the client may still move it.' }),
    refund: Type.Enum(['full', 'part', 'none'], {
      description: 'What becomes of a paid deposit when the client cancels now. `part`: all but the fee.',
    }),
    fee: Nullable(
      Type.Object({
        amount: Type.Integer({ description: 'In minor units: 2500 EUR is 25.00 euros.' }),
        currency: Type.String(),
        charged: Type.Integer({ description: 'What is charged to the card: the fee, less what was paid.' }),
        refunded: Type.Integer({ description: 'What comes back of what was paid.' }),
      }),
      { description: 'The fee if the client cancels now. Null: it costs nothing.' },
    ),
    late_fees: Type.Array(
      Type.Object({
        within_minutes: Type.Integer({ description: 'It applies from so long before the start.' }),
        ...feeTerm,
      }),
      { description: 'The fees for cancelling late that the client has agreed to, the longest time first.' },
    ),
    no_show_fee: Nullable(Type.Object(feeTerm), {
      description: 'The fee for a no-show that the client has agreed to.',
    }),
  },
  {
    title: 'ChangePolicy',
    description: 'What the client of a booking may do with it.',
    examples: [
      {
        can_cancel: true,
        cancel_until: '2026-11-30T10:00:00+01:00',
        can_reschedule: true,
        reschedule_until: '2026-11-30T10:00:00+01:00',
        reschedules_left: 3,
        refund: 'full',
        fee: null,
        late_fees: [
          ...[
            { within_minutes: 1440, amount: 3000, currency: 'EUR', charged: 0, kept: 3000, refunded: 3000 },
          ],
        ],
        no_show_fee: { amount: 6000, currency: 'EUR', charged: 0, kept: 6000, refunded: 0 },
      },
    ],
  },
)

const brand = { description: 'Null unless the business is on Enterprise and has set it.' }

export const Managed = Type.Object(
  {
    booking: Booking,
    policy: Policy,
    pay_url: Nullable(Type.String(), {
      description: 'The page on which the client goes on to pay the deposit. Null where none is due.',
    }),
    fees: Type.Array(FeeOfClient, {
      description: 'Fees that were charged, are due or were waived, the oldest first.',
    }),
    card: Nullable(CardOfClient, {
      description: 'The card that the client saved for later charges. Null for none, or once it is removed.',
    }),
    series: Type.Optional(
      Type.Array(
        Type.Object({
          ...{ id: ShownId, status: BookingStatus, starts_at: ShownInstant, ends_at: ShownInstant },
          manage_url: Type.Optional(
            Type.String({ description: 'The page to move or cancel this date alone. Shows a token.' }),
          ),
        }),
        {
          description:
            'All dates of its series for the same client, the earliest first. Absent for a booking that stands alone.',
        },
      ),
    ),
    business: Type.Object({
      name: Type.String({ examples: ['Salon Spree'] }),
      brand_name: Nullable(Type.String(), brand),
      brand_color: Nullable(Type.String(), brand),
      brand_logo_url: Nullable(Type.String(), brand),
      reply_to_email: Nullable(Type.String(), { description: 'Where clients write to.' }),
      phone: Nullable(Type.String(), { description: 'That clients may call.' }),
      imprint_url: legalFields.imprint_url.shown,
      privacy_url: legalFields.privacy_url.shown,
      booking_url: Nullable(Type.String(), {
        description: 'The booking page. Null for a business without an active publishable key.',
      }),
    }),
  },
  { title: 'ManagedBooking', description: 'The booking of a manage link.' },
)

export const RescheduleManaged = StrictObject(
  { starts_at: InstantText },
  {
    title: 'RescheduleManaged',
    description: 'The new start: a slot of `GET /manage/availability`.',
    examples: [{ starts_at: exampleTimes.startsAt }],
  },
)

export const CancelManaged = StrictObject(
  { reason: Type.Optional(Text(500)) },
  {
    title: 'CancelManaged',
    description: 'What the client wants to say about it, if anything.',
    examples: [{ reason: 'I have a cold.' }],
  },
)

export const ManageLink = Type.Object(
  { manage_url: Type.String({ description: 'The page for the client. Shows a token.' }) },
  {
    title: 'ManageLink',
    description: 'The link by which a client manages a booking.',
    examples: [
      { manage_url: 'https://book.example.com/manage#cal_man_ThisIsAnExampleAndOpensNothing00000000' },
    ],
  },
)
