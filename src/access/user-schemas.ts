import { type Static, Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import {
  Id,
  listParameters,
  Nullable,
  OrNull,
  Page,
  PersonName,
  ShownId,
  ShownInstant,
  StrictObject,
} from '../base/wire.ts'
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
  email_proved: Type.Boolean({
    description: 'Whether they have shown that the mailbox is theirs, by a link in a mail.',
  }),
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
  email_proved: true,
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
    link: Nullable(Link, {
      description: 'By which they choose a password. It proves nothing of their address: it was handed over.',
    }),
  },
  {
    title: 'CreatedUser',
    description: 'A person who was added, and the link by which they set a password.',
    examples: [
      {
        ...example,
        has_password: false,
        email_proved: false,
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
      Type.Unsafe<string>({ ...PersonName(100), description: 'Absent: what stands before the `@`.' }),
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
    name: Type.Optional(
      Type.Unsafe<string>({
        ...PersonName(100),
        description: 'Not of somebody who also works elsewhere: they change it themselves.',
      }),
    ),
    role: Type.Optional(Role),
    staff_id: Type.Optional(OrNull(Type.String({ ...Id, description: 'Whose calendar is their own.' }))),
    disabled: Type.Optional(Type.Boolean({ description: 'True: they cannot act here any more, at once.' })),
  },
  { title: 'ChangeUser', description: 'What changes.', examples: [{ disabled: true }] },
)

export const UsersQuery = StrictObject(listParameters)
export const InvitationsQuery = StrictObject(listParameters)

const exampleInvitation = {
  id: '01a1fa5c-4d5e-7f60-8a71-9b8c7d6e5f43',
  email: 'anna@example.com',
  role: 'manager' as const,
  business_id: exampleIds.business,
  hub_id: null,
  place_name: 'Salon Spree',
  staff_id: null,
  status: 'open' as const,
  created_at: exampleTimes.createdAt,
  expires_at: exampleTimes.expiresAt,
}

export const Invitation = Type.Object(
  {
    id: ShownId,
    email: Type.String(),
    role: Role,
    business_id: Nullable(ShownId, { description: 'Null for a whole hub.' }),
    hub_id: Nullable(ShownId, { description: 'Null for a business.' }),
    place_name: Type.String({ description: 'Of the business or hub.' }),
    staff_id: Nullable(ShownId, { description: 'Whose calendar will be their own.' }),
    status: Type.Unsafe<'open' | 'expired'>({ type: 'string', enum: ['open', 'expired'] }),
    created_at: ShownInstant,
    expires_at: ShownInstant,
  },
  {
    title: 'Invitation',
    description:
      'For an address that has an account already. Whoever has the mailbox accepts it after logging in.',
    examples: [exampleInvitation],
  },
)

export const InvitationPage = Page(Invitation, { title: 'InvitationPage', description: 'The newest first.' })

export const Me = Type.Object(
  {
    person_id: ShownId,
    name: Type.String(),
    email: Type.String(),
    email_proved: Type.Boolean({ description: 'Whether a link in a mail has shown that it is theirs.' }),
    new_email: Nullable(Type.String(), { description: 'What a mailed link has still to prove.' }),
    has_second_step: Type.Boolean({ description: 'Whether a log-in needs a code of an authenticator.' }),
  },
  {
    title: 'Me',
    description: 'The account of the person who asks.',
    examples: [
      {
        person_id: examplePerson,
        name: 'Anna Weber',
        email: 'anna@example.com',
        email_proved: true,
        new_email: null,
        has_second_step: false,
      },
    ],
  },
)

export const ChangeMe = StrictObject(
  {
    name: Type.Optional(Type.Unsafe<string>(PersonName(100))),
    email: Type.Optional(
      Type.String({
        ...{ format: 'email', maxLength: 254 },
        description:
          'Gets a link by mail, and counts once it was used. The present one proves itself so, too.',
      }),
    ),
    password: Type.Optional(
      Type.String({ maxLength: 1_024, description: 'The present one; required with `email`.' }),
    ),
  },
  { title: 'ChangeMe', description: 'What changes.', examples: [{ name: 'Anna Weber-Fischer' }] },
)

export type UserCreation = Static<typeof CreateUser>
export type UserChange = Static<typeof ChangeUser>
