import { Type } from 'typebox'
import { exampleClient, exampleIds, exampleTimes } from '../base/examples.ts'
import { StrictObject, Id, ShownId, ShownInstant } from '../http/wire.ts'

export const BlockClient = StrictObject(
  {
    business_id: Type.Optional(
      Type.String({ ...Id, description: 'Required for a hub key, optional for a business key.' }),
    ),
    email: Type.String({
      format: 'email',
      minLength: 1,
      maxLength: 254,
      description: 'Capitals and `+tag` make no difference.',
    }),
  },
  {
    title: 'BlockClient',
    description: 'A client of a business.',
    examples: [{ email: exampleClient.email }],
  },
)

export const BlockedClient = Type.Object(
  {
    business_id: ShownId,
    email: Type.String({ description: 'In lower case, without `+tag`.' }),
    blocked_at: ShownInstant,
  },
  {
    title: 'BlockedClient',
    description: 'A client for whom sessions cannot book.',
    examples: [
      { business_id: exampleIds.business, email: exampleClient.email, blocked_at: exampleTimes.createdAt },
    ],
  },
)
