import { Type, type Static } from 'typebox'
import { exampleTimes } from '../examples.ts'
import type { Fault } from '../errors.ts'
import { Closed, listParameters, Nullable, Page, Ruled, ShownId, ShownInstant } from '../wire.ts'
import { originFaults } from './business-rules.ts'
import { repetitionFaults } from './hours-rules.ts'

const mostOrigins = 50
const types = ['business', 'publishable'] as const

const AllowedOrigins = Ruled(
  Type.Array(Ruled(Type.String({ minLength: 1, maxLength: 2_048 }), originFaults), {
    minItems: 1,
    maxItems: mostOrigins,
    description:
      'For publishable keys: the websites that may use it, such as https://www.example.com. Absent: any.',
  }),
  (origins: (string | undefined)[]) => repetitionFaults(origins),
)

/** A business key is used by programs, to which no website is known. */
function originsFaults(key: { type?: string; allowed_origins?: unknown }): Fault[] {
  if (key.type !== 'business' || !('allowed_origins' in key)) return []
  return [{ pointer: '/allowed_origins', code: 'not_allowed', detail: 'is for publishable keys only' }]
}

export const CreateKey = Ruled(
  Closed(
    { type: Type.Enum([...types]), allowed_origins: Type.Optional(AllowedOrigins) },
    {
      title: 'CreateKey',
      description: 'What the key is for.',
      examples: [{ type: 'publishable', allowed_origins: ['https://www.example.com'] }],
    },
  ),
  originsFaults,
)

export type KeyCreation = Static<typeof CreateKey>

const members = {
  id: ShownId,
  type: Type.Enum([...types]),
  last_four: Type.String({ description: 'The last four characters of the key.' }),
  allowed_origins: Nullable(Type.Array(Type.String()), { description: 'Null: any.' }),
  created_at: ShownInstant,
  revoked_at: Nullable(ShownInstant, { description: 'Null: it is in force.' }),
}

const example = {
  id: '01a1fa68-4d17-7c55-a1b0-9c53e0d7f2aa',
  type: 'publishable',
  last_four: '0000',
  allowed_origins: ['https://www.example.com'],
  created_at: exampleTimes.createdAt,
  revoked_at: null,
}

const Key = Type.Object(members, {
  title: 'Key',
  description: 'What may be known of a key: never the key itself.',
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

export const KeysQuery = Closed({ ...listParameters })
