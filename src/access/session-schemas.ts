import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { Nullable, ShownId, ShownInstant } from '../base/wire.ts'

const brand = { description: 'Null unless the business has the Enterprise plan and has set it.' }

/** The response of the session exchange. */
export const Session = Type.Object(
  {
    session_token: Type.String({ description: 'The bearer token of one visitor. Shown only here.' }),
    expires_at: ShownInstant,
    show_branding: Type.Boolean({ description: 'True if the page must name Holdfast.' }),
    business: Type.Object({
      id: ShownId,
      name: Type.String(),
      timezone: Type.String({ description: 'An IANA name.' }),
      brand_name: Nullable(Type.String(), brand),
      brand_color: Nullable(Type.String(), brand),
      brand_logo_url: Nullable(Type.String(), brand),
    }),
  },
  {
    title: 'Session',
    description: 'A session token and its business.',
    examples: [
      {
        session_token: 'cal_ses_ThisIsAnExampleAndOpensNothing00000000',
        expires_at: exampleTimes.sessionEndsAt,
        show_branding: false,
        business: {
          id: exampleIds.business,
          name: 'Salon Spree',
          timezone: 'Europe/Berlin',
          brand_name: 'Salon Spree',
          brand_color: '#1f6f5c',
          brand_logo_url: 'https://example.com/salon-spree.png',
        },
      },
    ],
  },
)

/** Node lower-cases header names. */
export const SessionHeaders = Type.Object({
  'x-previous-session': Type.Optional(
    Type.String({
      description:
        'The session token to replace, from the same publishable key. It must be valid, or have expired at most 15 minutes ago. It ends, and the new session takes over its holds and bookings. Any other value is ignored.',
    }),
  ),
})
