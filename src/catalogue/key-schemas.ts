import { type Static, Type } from 'typebox'
import type { FieldError } from '../base/errors.ts'
import { exampleTimes } from '../base/examples.ts'
import { keyScopes } from '../base/key-scopes.ts'
import {
  InstantText,
  Line,
  listParameters,
  Nullable,
  OrNull,
  Page,
  Ruled,
  ShownId,
  ShownInstant,
  StrictObject,
} from '../base/wire.ts'
import { originErrors } from './business-rules.ts'
import { duplicateErrors } from './schedule-rules.ts'

const maxOrigins = 50

export const maxLabelLength = 100

const types = ['business', 'publishable'] as const

const allowedOrigins = (minItems: number, description: string) =>
  Ruled(
    Type.Array(Ruled(Type.String({ minLength: 1, maxLength: 2_048 }), originErrors), {
      minItems,
      maxItems: maxOrigins,
      description,
    }),
    (origins: (string | undefined)[]) => duplicateErrors(origins),
  )

const AllowedOrigins = allowedOrigins(
  1,
  'For publishable keys: websites that may use it, such as https://www.example.com. Absent: any.',
)

const Label = Type.Unsafe<string>({
  ...Line(1, maxLabelLength),
  description: 'What the key is for, for people.',
})

/**
 * Rejects origins for business keys, because their users are programs without an origin. Rejects scopes for publishable
 * keys, because their sessions have the permissions of one visitor.
 */
function limitErrors(key: {
  type?: string
  allowed_origins?: unknown
  allow_frames?: unknown
  scopes?: unknown
}): FieldError[] {
  if (key.type === 'publishable' && 'scopes' in key)
    return [{ pointer: '/scopes', code: 'not_allowed', detail: 'are for business keys only' }]
  if (key.allow_frames === true && !key.allowed_origins)
    return [
      { pointer: '/allowed_origins', code: 'required', detail: 'says which websites: frames need them' },
    ]
  if (key.type !== 'business' || !('allowed_origins' in key)) return []
  return [{ pointer: '/allowed_origins', code: 'not_allowed', detail: 'is for publishable keys only' }]
}

const Scopes = Ruled(
  Type.Array(Type.Enum([...keyScopes]), {
    minItems: 1,
    maxItems: keyScopes.length,
    description: 'For business keys: the parts of the API that it may use. Absent: `all`.',
  }),
  (scopes: (string | undefined)[]) => duplicateErrors(scopes),
)

export const CreateKey = Ruled(
  StrictObject(
    {
      type: Type.Enum([...types]),
      label: Type.Optional(Label),
      allowed_origins: Type.Optional(AllowedOrigins),
      allow_frames: Type.Optional(
        Type.Boolean({
          description:
            'Whether the websites in `allowed_origins` may show the booking page of the key in a frame.',
        }),
      ),
      scopes: Type.Optional(Scopes),
      expires_at: Type.Optional(
        OrNull(
          Type.Unsafe<string>({
            ...InstantText,
            description: 'In the future: the key and its sessions then end. Absent or null: never.',
          }),
        ),
      ),
    },
    {
      title: 'CreateKey',
      description: 'What the key is for.',
      examples: [
        { type: 'publishable', label: 'Website', allowed_origins: ['https://www.example.com'] },
        { type: 'business', label: 'Reports', scopes: ['read:bookings'], expires_at: '2027-12-31T23:00:00Z' },
      ],
    },
  ),
  limitErrors,
)

export type KeyCreation = Static<typeof CreateKey>

export const ChangeKey = StrictObject(
  {
    allowed_origins: OrNull(
      allowedOrigins(0, "Websites that may use it. Null: any. Empty: this server's own pages alone."),
    ),
  },
  {
    title: 'ChangeKey',
    description: 'Which websites may use a publishable key.',
    examples: [{ allowed_origins: ['https://www.example.com'] }],
  },
)

export type KeyChange = Static<typeof ChangeKey>

const members = {
  id: ShownId,
  type: Type.Enum([...types]),
  last_four: Type.String({ description: 'The last four characters of the key.' }),
  label: Nullable(Type.String(), { description: 'What the key is for.' }),
  allowed_origins: Nullable(Type.Array(Type.String()), { description: 'Null: any.' }),
  allow_frames: Type.Boolean({ description: 'Whether they may show its booking page in a frame.' }),
  scopes: Nullable(Type.Array(Type.Enum([...keyScopes])), {
    description: 'The parts of the API that it may use. Null: a publishable key.',
  }),
  created_at: ShownInstant,
  expires_at: Nullable(ShownInstant, { description: 'Null: the key does not expire.' }),
  last_used_at: Nullable(ShownInstant, {
    description: 'The hour of its last use. Null: never.',
  }),
  revoked_at: Nullable(ShownInstant, { description: 'Null: the key is valid.' }),
}

const example = {
  id: '01a1fa68-4d17-7c55-a1b0-9c53e0d7f2aa',
  type: 'publishable',
  last_four: '0000',
  label: 'Website',
  allowed_origins: ['https://www.example.com'],
  allow_frames: false,
  scopes: null,
  created_at: exampleTimes.createdAt,
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
}

export const Key = Type.Object(members, {
  title: 'Key',
  description: 'A key without the key itself.',
  examples: [example],
})

export const IssuedKey = Type.Object(
  { ...members, key: Type.String({ description: 'The key itself. Shown here only.' }) },
  {
    title: 'IssuedKey',
    description: 'A new key.',
    examples: [{ ...example, key: 'cal_pub_ThisIsAnExampleAndOpensNothing00000000' }],
  },
)

export const KeyPage = Page(Key, { title: 'KeyPage', description: 'Keys, the newest first.' })

export const KeysQuery = StrictObject({ ...listParameters })

const KeyRequest = Type.Object(
  {
    at: ShownInstant,
    method: Type.String(),
    path: Type.String({ description: 'Without its query, at most 200 characters.' }),
    status: Type.Integer({ description: 'The HTTP status of the answer.' }),
    code: Nullable(Type.String(), { description: 'The code of a refusal.' }),
    milliseconds: Type.Integer({ description: 'From the request to the end of the answer.' }),
  },
  { title: 'KeyRequest', description: 'A request of a key, without headers and bodies.' },
)

export const KeyRequests = Type.Object(
  { data: Type.Array(KeyRequest) },
  {
    title: 'KeyRequests',
    description: 'The last 100 requests of a key, the newest first.',
    examples: [
      {
        data: [
          {
            at: exampleTimes.createdAt,
            method: 'POST',
            path: '/api/v1/bookings/hold',
            status: 409,
            code: 'slot_held',
            milliseconds: 4,
          },
        ],
      },
    ],
  },
)
