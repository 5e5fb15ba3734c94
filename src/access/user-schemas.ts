import { type Static, Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { Id, Line, Nullable, OrNull, Page, ShownId, ShownInstant, StrictObject } from '../base/wire.ts'
import { personRoles } from './actor.ts'

const examplePerson = '01a1fa5c-2c3d-7a4b-9c50-7b6c5d4e3f20'

const Role = Type.Unsafe<(typeof personRoles)[number]>({
  type: 'string',
  enum: [...personRoles],
  description: '`owner`, `manager` or `staff`. Staff see and change their own appointments only.',
})

const members = {
  id: Type.String({ format: 'uuid', description: 'Of this person at this business or hub.' }),
  person_id: Type.String({ format: 'uuid', description: 'Of the person, as the audit log names them.' }),
  email: Type.String(),
  name: Type.String(),
  role: Role,
  business_id: Nullable(ShownId, { description: 'Null for people of a hub.' }),
  hub_id: Nullable(ShownId, { description: 'Null for people of a business.' }),
  staff_id: Nullable(ShownId, { description: 'Whose calendar is their own.' }),
  has_password: Type.Boolean({ description: 'False until they have used their first link.' }),
  has_second_step: Type.Boolean({ description: 'Whether a log-in needs a code of an authenticator.' }),
  created_at: ShownInstant,
  last_log_in_at: Nullable(ShownInstant, {
    description: 'Null for none, or one of more than six weeks ago.',
  }),
  disabled_at: Nullable(ShownInstant, { description: 'Since when they cannot act here; null: they can.' }),
}

const example = {
  id: '01a1fa5c-1b2d-7c3e-8f40-6a5b4c3d2e11',
  person_id: examplePerson,
  email: 'anna@example.com',
  name: 'Anna Weber',
  role: 'staff' as const,
  business_id: exampleIds.business,
  hub_id: null,
  staff_id: exampleIds.staff,
  has_password: true,
  has_second_step: false,
  created_at: exampleTimes.createdAt,
  last_log_in_at: exampleTimes.createdAt,
  disabled_at: null,
}

export const User = Type.Object(members, {
  title: 'User',
  description: 'A person who logs in, at one business or hub.',
  examples: [example],
})

const Link = Type.Object({
  url: Type.String({ description: 'Where the person sets a password. It works once; shown here only.' }),
  expires_at: ShownInstant,
})

export const CreatedUser = Type.Object(
  {
    ...members,
    link: Nullable(Link, { description: 'Null for a person who was known before.' }),
  },
  {
    title: 'CreatedUser',
    description: 'A person who was added, and the link by which they set a password.',
    examples: [
      {
        ...example,
        has_password: false,
        last_log_in_at: null,
        link: {
          url: 'https://book.example.com/console/link#cal_lnk_ThisIsAnExampleAndOpensNothing00000000',
          expires_at: exampleTimes.expiresAt,
        },
      },
    ],
  },
)

export const UserPage = Page(User, { title: 'UserPage', description: 'People, by e-mail.' })

export const CreateUser = StrictObject(
  {
    email: Type.String({ format: 'email', maxLength: 254 }),
    name: Type.Optional(
      Type.Unsafe<string>({ ...Line(1, 100), description: 'Absent: what stands before the `@`.' }),
    ),
    role: Role,
    business_id: Type.Optional(
      Type.String({ ...Id, description: 'For people of a hub: the business. Absent: the whole hub.' }),
    ),
    staff_id: Type.Optional(
      Type.String({ ...Id, description: 'The staff member that the person is; required for `staff`.' }),
    ),
  },
  {
    title: 'CreateUser',
    description: 'A person to add.',
    examples: [{ email: 'anna@example.com', name: 'Anna Weber', role: 'staff', staff_id: exampleIds.staff }],
  },
)

export const ChangeUser = StrictObject(
  {
    role: Type.Optional(Role),
    staff_id: Type.Optional(OrNull(Type.String({ ...Id, description: 'Whose calendar is their own.' }))),
    disabled: Type.Optional(Type.Boolean({ description: 'True: they cannot act here any more, at once.' })),
  },
  { title: 'ChangeUser', description: 'What changes.', examples: [{ disabled: true }] },
)

export type UserCreation = Static<typeof CreateUser>
export type UserChange = Static<typeof ChangeUser>
