import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import {
  Id,
  listParameters,
  Nullable,
  Page,
  ShownId,
  ShownInstant,
  StrictObject,
  QueryInstant,
} from '../base/wire.ts'

/** The author of a change. */
export const AuditActor = Type.Object({
  type: Type.String({
    description:
      '`key`, `session` (of the widget), `manage_link`, `person`, `command_line`, or `system` (the server itself).',
  }),
  id: Nullable(ShownId, { description: 'Null for the command line and the system.' }),
  name: Nullable(Type.String(), { description: 'The label of a key or the name of a person.' }),
})

const AuditEntry = Type.Object(
  {
    id: ShownId,
    at: ShownInstant,
    actor: AuditActor,
    action: Type.String({ description: 'The kind of change, such as `booking.cancelled`.' }),
    subject: Type.Object({ type: Type.String(), id: ShownId }),
    business_id: Nullable(ShownId, { description: 'Null for changes of a whole hub.' }),
    address: Nullable(Type.String(), {
      description: 'The network address of a request by a key or a person.',
    }),
    request_id: Nullable(Type.String()),
  },
  {
    title: 'AuditEntry',
    description: 'A change, its author and its time.',
    examples: [
      {
        id: '01a1fa68-2f8d-7e21-9c40-5b7d1e3f8a60',
        at: exampleTimes.createdAt,
        actor: { type: 'key', id: '01a1fa5c-1b2d-7c3e-8f40-6a5b4c3d2e10', name: 'Front desk' },
        action: 'booking.cancelled',
        subject: { type: 'booking', id: exampleIds.booking },
        business_id: exampleIds.business,
        address: '203.0.113.7',
        request_id: exampleIds.request,
      },
    ],
  },
)

export const AuditPage = Page(AuditEntry, { title: 'AuditPage', description: 'Changes, the newest first.' })

export const AuditQuery = StrictObject({
  ...listParameters,
  from: Type.Optional(QueryInstant()),
  to: Type.Optional(QueryInstant({ description: 'Exclusive.' })),
  actor: Type.Optional(Type.String({ ...Id, description: 'Only changes by this key or person.' })),
  subject: Type.Optional(Type.String({ ...Id, description: 'Only changes of this subject.' })),
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})
