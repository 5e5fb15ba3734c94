import { type Static, Type } from 'typebox'
import { askedItemsErrors } from '../availability/visit-query-rules.ts'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import {
  Id,
  InstantText,
  listParameters,
  Nullable,
  OrNull,
  Page,
  Ruled,
  ShownId,
  ShownInstant,
  StrictObject,
  Trimmed,
} from '../base/wire.ts'
import { Money } from '../catalogue/catalogue-schemas.ts'
import { currencyErrors, maxMinorUnits } from '../catalogue/service-rules.ts'
import { codeErrors, couponErrors, maxCodeLength } from './coupon-rules.ts'

/** A code as somebody types it. Case does not matter. */
export const CouponCode = Ruled(
  Type.String({
    minLength: 1,
    maxLength: maxCodeLength,
    description: 'Letters, digits, `-` and `_`. Capital and small letters are the same.',
    examples: ['SUMMER10'],
  }),
  codeErrors,
)

const Percent = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'The part of the price that is taken off, rounded half up for each service.',
})
const Amount = Type.Integer({
  minimum: 1,
  maximum: maxMinorUnits,
  description: 'What is taken off the whole booking, in minor units, in place of `percent`.',
})
const Currency = Ruled(
  Type.String({ minLength: 1, maxLength: 3, description: 'The currency of `amount` (ISO 4217).' }),
  currencyErrors,
)
const ServiceIds = Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true })
const Uses = Type.Integer({ minimum: 1, maximum: 1_000_000 })

/** The fields that may be null: `null` clears them, as if absent at creation. */
const settings = {
  percent: Type.Optional(OrNull(Percent)),
  amount: Type.Optional(OrNull(Amount)),
  currency: Type.Optional(OrNull(Currency)),
  service_ids: Type.Optional(
    Type.Unsafe<string[] | null>({
      ...ServiceIds,
      type: ['array', 'null'],
      description: 'The services that cost less. Null: all.',
    }),
  ),
  valid_from: Type.Optional(OrNull(InstantText)),
  valid_until: Type.Optional(
    Type.Unsafe<string | null>({
      ...OrNull(InstantText),
      description: 'Exclusive. It is the time of booking that counts. Null: no end.',
    }),
  ),
  max_uses: Type.Optional(
    Type.Unsafe<number | null>({
      ...OrNull(Uses),
      description: 'The most bookings with it that are not cancelled before their start. Null: any number.',
    }),
  ),
  max_uses_per_client: Type.Optional(
    Type.Unsafe<number | null>({
      ...OrNull(Uses),
      description: 'The same for one email address. Null: any number.',
    }),
  ),
  active: Type.Optional(Type.Boolean({ description: 'False: it cannot be used.' })),
}

export const CreateCoupon = Ruled(
  StrictObject(
    {
      business_id: Type.Optional(
        Type.String({ ...Id, description: 'For hub keys: the business. Others have one.' }),
      ),
      code: CouponCode,
      ...settings,
    },
    {
      title: 'CreateCoupon',
      description: 'A new coupon, with `percent`, or with `amount` and `currency`.',
      examples: [{ code: 'SUMMER10', percent: 10, valid_until: '2026-12-31T23:00:00Z', max_uses: 100 }],
    },
  ),
  couponErrors,
)

export const ChangeCoupon = StrictObject(
  { code: Type.Optional(CouponCode), ...settings },
  {
    title: 'ChangeCoupon',
    description: 'The fields to change. Bookings keep the price that was agreed.',
    examples: [{ active: false }],
  },
)

export type CouponInput = Static<typeof CreateCoupon>
export type CouponChange = Static<typeof ChangeCoupon>

export const Coupon = Type.Object(
  {
    id: ShownId,
    business_id: ShownId,
    code: Type.String({ description: 'In capital letters.' }),
    percent: Nullable(Type.Integer()),
    amount: Nullable(Type.Integer({ description: 'In minor units.' })),
    currency: Nullable(Type.String()),
    service_ids: Nullable(Type.Array(ShownId), { description: 'Null: all services.' }),
    valid_from: Nullable(ShownInstant),
    valid_until: Nullable(ShownInstant),
    max_uses: Nullable(Type.Integer()),
    max_uses_per_client: Nullable(Type.Integer()),
    uses: Type.Integer({ description: 'Bookings with it that were not cancelled before their start.' }),
    active: Type.Boolean(),
    created_at: ShownInstant,
  },
  {
    title: 'Coupon',
    description: 'A code that makes a booking cheaper.',
    examples: [
      {
        ...{ id: exampleIds.booking, business_id: exampleIds.business, code: 'SUMMER10' },
        ...{ percent: 10, amount: null, currency: null, service_ids: null },
        ...{ valid_from: null, valid_until: null, max_uses: 100, max_uses_per_client: 1 },
        ...{ uses: 12, active: true, created_at: exampleTimes.createdAt },
      },
    ],
  },
)

export const CouponPage = Page(Coupon, { title: 'CouponPage', description: 'Coupons, sorted by code.' })

export const CouponsQuery = StrictObject({
  ...listParameters,
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})

export const CheckQuery = StrictObject({
  code: Trimmed(CouponCode),
  items: Ruled(
    Trimmed(
      Type.String({
        maxLength: 1_000,
        description: 'The services to book, as for `GET /availability`: `<service>[:<staff>][*<party>],…`.',
        examples: [exampleIds.service],
      }),
    ),
    askedItemsErrors,
  ),
})

export const CheckedCoupon = Type.Object(
  {
    code: Type.String(),
    discount: Money,
    price: Money,
  },
  {
    title: 'CheckedCoupon',
    description: 'What the coupon takes off, and the price that remains for all people. Nothing is counted.',
    examples: [
      {
        code: 'SUMMER10',
        discount: { amount: 350, currency: 'EUR' },
        price: { amount: 3150, currency: 'EUR' },
      },
    ],
  },
)
