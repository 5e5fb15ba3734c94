import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { Nullable, ShownId, ShownInstant } from '../base/wire.ts'

const brand = { description: 'Null unless the business is on Enterprise and has set it.' }

/** The response of the session exchange. */
export const Session = Type.Object(
  {
    session_token: Type.String({ description: 'The bearer token of one visitor. Shown here only.' }),
    expires_at: ShownInstant,
    show_branding: Type.Boolean({ description: 'Whether the page has to say that Holdfast serves it.' }),
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
    description: 'A session token and the business that it acts for.',
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
        'The session token that this one replaces, from the same publishable key, valid or ended at most 15 minutes ago: its holds and bookings go over to the new session, and it ends. Any other value is ignored.',
    }),
  ),
})
