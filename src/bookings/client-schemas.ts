import { Type } from 'typebox'
import { exampleClient, exampleIds, exampleTimes } from '../examples.ts'
import { Closed, Id, ShownId, ShownInstant } from '../wire.ts'

export const BlockClient = Closed(
  {
    business_id: Type.Optional(
      Type.String({ ...Id, description: 'A hub key has to name it; a business key may.' }),
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
    description: 'A client for whom sessions book nothing any more.',
    examples: [
      { business_id: exampleIds.business, email: exampleClient.email, blocked_at: exampleTimes.createdAt },
    ],
  },
)
