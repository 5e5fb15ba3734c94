import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { Id, Nullable, ShownId, ShownInstant, StrictObject, Text } from '../base/wire.ts'
import { maxMinorUnits } from '../catalogue/service-rules.ts'

const notify = Type.Optional(Type.Boolean({ description: 'False: the client gets no mail about this.' }))

/** Visible to business and hub keys, and to the client through the booking session or the manage link. */
export const Payment = Type.Object(
  {
    kind: Type.Enum(['deposit', 'full', 'card'], {
      description: '`full`: the whole price of the booking. `card`: nothing, but the client saves a card.',
    }),
    status: Type.Enum(['due', 'paid', 'expired', 'refunded'], {
      description:
        '`paid`: of a `card`, that it is saved. `expired`: nothing was paid, and nothing is due any more. `refunded`: the payment processor has refunded it.',
    }),
    amount: Type.Integer({ description: 'In minor units: 2500 EUR is 25.00 euros.' }),
    currency: Type.String(),
    provider: Type.Enum(['stripe', 'sandbox']),
    paid_at: Nullable(ShownInstant),
    refunded_at: Nullable(ShownInstant, { description: 'When all of it was refunded.' }),
    refunded_amount: Type.Integer({ description: 'What was refunded, wholly or in part.' }),
  },
  {
    title: 'Payment',
    description:
      'The payment of a booking in advance, if any. Shown to business and hub keys, to the session that made it, and to its manage link.',
  },
)

/** All that is stored of a saved card. */
const savedCard = {
  brand: Nullable(Type.String(), { description: 'Such as `Visa`. Null while unknown.' }),
  last_four: Nullable(Type.String({ pattern: '^[0-9]{4}$' }), {
    description: 'The last four digits. No more of its number is stored.',
  }),
  removing: Type.Boolean({ description: 'True while the payment processor is asked to remove it.' }),
}

const SavedCard = Type.Object(savedCard)

/** The saved card of a booking, for its client. */
export const CardOfClient = Type.Object(
  {
    ...savedCard,
    can_remove: Type.Boolean({
      description: 'True if the client may remove it: the appointment is over and nothing is due.',
    }),
  },
  { examples: [{ brand: 'Visa', last_four: '4242', removing: false, can_remove: false }] },
)

/** A payment of a booking, with what was refunded of it. */
export const PaymentOfBooking = Type.Object(
  {
    id: ShownId,
    kind: Type.Enum(['deposit', 'full', 'card', 'fee'], {
      description:
        '`card`: a saved card, of amount 0. `fee`: a charge to the saved card, for a late cancellation, a no-show or another reason.',
    }),
    amount: Type.Integer({ description: 'In minor units: 2500 EUR is 25.00 euros.' }),
    currency: Type.String(),
    status: Type.Enum(['due', 'paid', 'refunded', 'charging', 'waived'], {
      description:
        '`paid` also while a part of it is refunded, and of a `card`: it is saved; `refunded` once all of it is. Of a `fee`, `charging`: the card is being charged; `due`: the card was declined, and the client has a link to pay; `waived`: nobody has to pay it.',
    }),
    reason: Nullable(Type.String(), {
      description: 'Of a `fee`: `late_cancel`, `no_show`, or the reason that a person or program gave.',
    }),
    failure: Nullable(Type.String(), {
      description: 'Why the saved card was not charged, in the word of the payment processor.',
    }),
    dispute: Nullable(Type.Enum(['open', 'won', 'lost']), {
      description: 'A dispute of the client with their bank. `lost`: the bank took the money back.',
    }),
    card: Nullable(SavedCard, {
      description: 'The card that was saved with it for later charges. Null for none, or once it is removed.',
    }),
    paid_at: Nullable(ShownInstant),
    refunded_amount: Type.Integer({ description: 'What the payment processor has refunded.' }),
    refunding_amount: Type.Integer({ description: 'What was asked back and is still on its way.' }),
  },
  {
    title: 'PaymentOfBooking',
    description: 'What is due or was paid for a booking, and what was refunded.',
    examples: [
      {
        ...{ id: exampleIds.booking, kind: 'full', amount: 6000, currency: 'EUR', status: 'paid' },
        ...{ reason: null, failure: null, dispute: null },
        card: { brand: 'Visa', last_four: '4242', removing: false },
        ...{ paid_at: exampleTimes.createdAt, refunded_amount: 0, refunding_amount: 2000 },
      },
    ],
  },
)

/** A fee of a booking, for its client. */
export const FeeOfClient = Type.Object(
  {
    amount: Type.Integer({ description: 'In minor units: 2500 EUR is 25.00 euros.' }),
    currency: Type.String(),
    status: Type.Enum(['charging', 'due', 'paid', 'refunded', 'waived'], {
      description: '`charging`: the card is being charged. `due`: the client has to pay it at `pay_url`.',
    }),
    reason: Type.String({ description: '`late_cancel`, `no_show`, or the words of the business.' }),
    pay_url: Nullable(Type.String(), { description: 'The page on which the client pays it, if it is due.' }),
  },
  { examples: [{ amount: 1500, currency: 'EUR', status: 'paid', reason: 'late_cancel', pay_url: null }] },
)

/** The body of `POST /bookings/{id}/charge`. */
export const ChargeBooking = StrictObject(
  {
    amount: Type.Integer({
      minimum: 1,
      maximum: maxMinorUnits,
      description:
        'In minor units. A saved card is charged at most what the client agreed to: the price and the highest fee, less what was taken. Of a cancelled booking or a no-show, the fee alone.',
    }),
    reason: Text(200, {
      description:
        'What for, for the client as well. A booking is charged once for each reason: a repeated call with the same amount changes nothing.',
    }),
  },
  {
    title: 'ChargeBooking',
    description: 'How much to charge, and what for.',
    examples: [{ amount: 1500, reason: 'Broken vase' }],
  },
)

/** The body of `POST /bookings/{id}/refund`. */
export const RefundBooking = StrictObject(
  {
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxMinorUnits,
        description: 'In minor units, at most what is left; if absent: all that is left.',
      }),
    ),
    reason: Type.Optional(Text(500, { description: 'Why, for the team. It is not sent to the client.' })),
    payment_id: Type.Optional(
      Type.String({
        ...Id,
        description:
          'The payment to refund, of `payments`. If absent: what was paid when booking, otherwise the earliest fee of which something is left.',
      }),
    ),
    notify,
  },
  {
    title: 'RefundBooking',
    description: 'How much to refund, and why.',
    examples: [{ amount: 2000, reason: 'The colour did not hold' }],
  },
)
