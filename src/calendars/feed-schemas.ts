import { type Static, Type } from 'typebox'
import type { FieldError } from '../base/errors.ts'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import {
  Id,
  listParameters,
  Nullable,
  Page,
  Ruled,
  ShownId,
  ShownInstant,
  StrictObject,
} from '../base/wire.ts'

const FeedDetail = Type.Enum(['busy', 'full'], {
  title: 'FeedDetail',
  description: '`busy` tells only when; `full` also the service, and the client by name and phone.',
})

/** Rejects a feed of both a staff member and a location. It may have one or neither. */
function feedErrors(feed: { location_id?: string; staff_id?: string }): FieldError[] {
  if (!('location_id' in feed) || !('staff_id' in feed)) return []
  const detail = 'is not allowed beside location_id: a feed has one of them, or none'
  return [{ pointer: '/staff_id', code: 'not_allowed', detail }]
}

export const CreateFeed = Ruled(
  StrictObject(
    {
      staff_id: Type.Optional(Type.String({ ...Id, description: 'With the bookings of this staff member.' })),
      location_id: Type.Optional(Type.String({ ...Id, description: 'With those at this location.' })),
      business_id: Type.Optional(
        Type.String({
          ...Id,
          description:
            'With all of a business, if neither of the two is given. Only hub keys have to give it.',
        }),
      ),
      detail: Type.Optional(FeedDetail),
    },
    {
      title: 'CreateFeed',
      description: 'Whose bookings the feed has, and what it tells of them: if absent, `busy`.',
      examples: [{ staff_id: exampleIds.staff, detail: 'busy' }],
    },
  ),
  feedErrors,
)

export type FeedCreation = Static<typeof CreateFeed>

const shown = {
  id: ShownId,
  business_id: ShownId,
  staff_id: Nullable(ShownId),
  location_id: Nullable(ShownId),
  detail: FeedDetail,
  created_at: ShownInstant,
}

const example = {
  id: exampleIds.feed,
  business_id: exampleIds.business,
  staff_id: exampleIds.staff,
  location_id: null,
  detail: 'busy',
  created_at: exampleTimes.createdAt,
}

const Feed = Type.Object(shown, {
  title: 'Feed',
  description: 'An address at which calendar programs read bookings.',
  examples: [example],
})

export const FeedWithUrl = Type.Object(
  {
    ...shown,
    url: Type.String({
      description:
        'Secret: whoever knows it reads the feed. Shown only here; if you lose it, make a new one.',
    }),
  },
  {
    title: 'FeedWithUrl',
    description: 'A feed and its new address.',
    examples: [
      {
        ...example,
        url: 'https://booking.example.com/feeds/VGhpcyBpcyBhbiBleGFtcGxlLCBpdCBvcGVucyBub3R.ics',
      },
    ],
  },
)

export const FeedPage = Page(Feed, { title: 'FeedPage', description: 'Feeds, the newest first.' })

export const FeedsQuery = StrictObject({
  ...listParameters,
  business_id: Type.Optional(
    Type.String({ ...Id, description: 'For hub keys: only the feeds of this business.' }),
  ),
})
