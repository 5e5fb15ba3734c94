import { Type, type Static } from 'typebox'
import { planNames } from '../access/plans.ts'
import { exampleIds, exampleTimes } from '../examples.ts'
import { Closed, listParameters, Nullable, OrNull, Page, Ruled, ShownId, ShownInstant } from '../wire.ts'
import { networkFaults } from '../access/trusted-networks.ts'
import {
  colorFaults,
  logoUrlFaults,
  mostBookingsPerClient,
  mostNetworks,
  usualBookingsPerClient,
} from './business-rules.ts'
import { Name, TimeZone } from './schedule-schemas.ts'

const BrandColor = Ruled(
  Type.String({ minLength: 1, maxLength: 7, description: 'Such as #1a2b3c.' }),
  colorFaults,
)
const BrandLogoUrl = Ruled(
  Type.String({ minLength: 1, maxLength: 2_048, description: 'An http or https address.' }),
  logoUrlFaults,
)

export const MaxBookingsPerClient = Type.Integer({
  minimum: 1,
  maximum: mostBookingsPerClient,
  description: `Bookings ahead that sessions may make for one client; if absent at creation: ${usualBookingsPerClient}. Null: any number.`,
})
export const TrustedNetworks = Type.Array(
  Ruled(Type.String({ minLength: 1, maxLength: 64, examples: ['203.0.113.7/32'] }), networkFaults),
  {
    maxItems: mostNetworks,
    uniqueItems: true,
    description:
      'Address ranges (CIDR), such as that of its own tablet: no cap on holds and bookings of an address counts what sessions do from there.',
  },
)

/** What is given of a new business, over HTTP and in files. */
export const businessMembers = {
  name: Name,
  timezone: TimeZone,
  brand_name: Type.Optional(Name),
  brand_color: Type.Optional(BrandColor),
  brand_logo_url: Type.Optional(BrandLogoUrl),
  trusted_networks: Type.Optional(TrustedNetworks),
}

export const CreateBusiness = Closed(
  { ...businessMembers, max_bookings_per_client: Type.Optional(MaxBookingsPerClient) },
  {
    title: 'CreateBusiness',
    description: 'A new business of the hub.',
    examples: [{ name: 'Salon Spree', timezone: 'Europe/Berlin' }],
  },
)

export const ChangeBusiness = Closed(
  {
    name: Type.Optional(Name),
    timezone: Type.Optional(TimeZone),
    brand_name: Type.Optional(OrNull(Name)),
    brand_color: Type.Optional(OrNull(BrandColor)),
    brand_logo_url: Type.Optional(OrNull(BrandLogoUrl)),
    max_bookings_per_client: Type.Optional(OrNull(MaxBookingsPerClient)),
    trusted_networks: Type.Optional(OrNull(TrustedNetworks)),
  },
  {
    title: 'ChangeBusiness',
    description: 'What is to be different. Its locations keep their time zones.',
    examples: [{ brand_name: 'Spree', brand_color: '#1a2b3c' }],
  },
)

export type BusinessCreation = Static<typeof CreateBusiness>
export type BusinessChange = Static<typeof ChangeBusiness>

export const Business = Type.Object(
  {
    id: ShownId,
    hub_id: Nullable(ShownId, { description: 'Null: it is in no hub.' }),
    name: Type.String(),
    timezone: Type.String({ description: 'An IANA name.' }),
    plan: Type.Enum([...planNames], {
      description:
        'The plan in effect: the higher of its own and that of its hub. Only the operator changes plans.',
    }),
    brand_name: Nullable(Type.String()),
    brand_color: Nullable(Type.String()),
    brand_logo_url: Nullable(Type.String()),
    max_bookings_per_client: Nullable(Type.Integer(), {
      description: 'Bookings ahead that sessions may make for one client; null: any number.',
    }),
    trusted_networks: Type.Array(Type.String(), {
      description: 'Address ranges (CIDR) that no cap on holds and bookings counts.',
    }),
    created_at: ShownInstant,
  },
  {
    title: 'Business',
    description: 'One who offers services.',
    examples: [
      {
        id: exampleIds.business,
        hub_id: null,
        name: 'Salon Spree',
        timezone: 'Europe/Berlin',
        plan: 'enterprise',
        brand_name: 'Salon Spree',
        brand_color: '#1f6f5c',
        brand_logo_url: 'https://example.com/salon-spree.png',
        max_bookings_per_client: usualBookingsPerClient,
        trusted_networks: ['203.0.113.7/32'],
        created_at: exampleTimes.createdAt,
      },
    ],
  },
)

export const BusinessPage = Page(Business, { title: 'BusinessPage', description: 'Businesses by name.' })

export const BusinessesQuery = Closed({ ...listParameters })
