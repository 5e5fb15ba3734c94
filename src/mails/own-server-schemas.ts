import { Type } from 'typebox'
import { exampleTimes } from '../base/examples.ts'
import { Nullable, OrNull, ShownInstant, StrictObject } from '../base/wire.ts'

const host = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$',
  description: 'Name of the server, such as smtp.example.com.',
})
const port = Type.Integer({
  minimum: 1,
  maximum: 65_535,
  description: '465 for TLS at once, otherwise STARTTLS. In production 25, 465, 587 or 2525.',
})
const user = Type.String({ minLength: 1, maxLength: 254 })
const fromEmail = Type.String({
  minLength: 3,
  maxLength: 254,
  description: 'Address of the sender. The sender is named like the business.',
})

const example = { host: 'smtp.example.com', port: 587, user: 'salon@example.com' }

export const SetMailServer = StrictObject(
  {
    ...{ host, port, user },
    password: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Stored encrypted and never shown.',
    }),
    from_email: fromEmail,
  },
  {
    title: 'SetMailServer',
    examples: [{ ...example, password: 'correct horse', from_email: 'salon@example.com' }],
  },
)

export const MailServer = Type.Object(
  {
    ...{ host, port, user },
    from_email: fromEmail,
    status: Type.Enum(['working', 'failed'], {
      description: '`failed` if the last email could not be handed over.',
    }),
    last_error: OrNull(Type.String()),
    failed_at: Nullable(ShownInstant, { description: 'Of the last failure. Null while it works.' }),
    set_at: ShownInstant,
  },
  {
    title: 'MailServer',
    examples: [
      {
        ...{ ...example, from_email: 'salon@example.com', status: 'working' },
        ...{ last_error: null, failed_at: null, set_at: exampleTimes.createdAt },
      },
    ],
  },
)
