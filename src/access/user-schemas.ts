import { type Static, Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import {
  Id,
  listParameters,
  Nullable,
  OrNull,
  Page,
  UnlinkedName,
  ShownId,
  ShownInstant,
  StrictObject,
} from '../base/wire.ts'
import { personRoles } from './actor.ts'

const examplePerson = '01a1fa5c-2c3d-7a4b-9c50-7b6c5d4e3f20'

const Role = Type.Unsafe<(typeof personRoles)[number]>({
  type: 'string',
  enum: [...personRoles],
  description:
    '`owner`, `manager`, `front_desk` or `staff`. The front desk runs appointments and clients, without catalogue, numbers and settings. Staff can see and change only their own appointments.',
})

const members = {
  id: Type.String({ format: 'uuid', description: 'ID of the person in this business or hub.' }),
  person_id: Type.String({ format: 'uuid', description: 'ID of the person in the audit log.' }),
  email: Type.String(),
  email_proved: Type.Boolean({
    description: 'True once a link in an email has proved that they own the address.',
  }),
  name: Type.String(),
  role: Role,
  business_id: Nullable(ShownId, { description: 'Null for people of a hub.' }),
  hub_id: Nullable(ShownId, { description: 'Null for people of a business.' }),
  staff_id: Nullable(ShownId, { description: 'The staff member whose calendar belongs to them.' }),
  has_password: Type.Boolean({ description: 'False until they have used their first link.' }),
  has_second_step: Type.Boolean({ description: 'True if log-ins need a code of an authenticator.' }),
  created_at: ShownInstant,
  last_log_in_at: Nullable(ShownInstant, {
    description: 'Null without a log-in in the last six weeks.',
  }),
  disabled_at: Nullable(ShownInstant, {
    description: 'When their access to this business or hub was disabled. Null: enabled.',
  }),
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
  description: 'A person who can log in, in one business or hub.',
  examples: [example],
})

const Link = Type.Object({
  url: Type.String({
    description: 'The page where the person sets a password. It works once and is shown only here.',
  }),
  expires_at: ShownInstant,
})

export const CreatedUser = Type.Object(
  {
    ...members,
    link: Nullable(Link, {
      description: 'The link to set a password. You deliver it, so it does not prove their address.',
    }),
  },
  {
    title: 'CreatedUser',
    description: 'The added person, and their link to set a password.',
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

export const UserPage = Page(User, { title: 'UserPage', description: 'People, by email.' })

export const CreateUser = StrictObject(
  {
    email: Type.String({ format: 'email', maxLength: 254 }),
    name: Type.Optional(
      Type.Unsafe<string>({
        ...UnlinkedName(100),
        description: 'Default: the part of the address before the `@`.',
      }),
    ),
    role: Role,
    business_id: Type.Optional(
      Type.String({ ...Id, description: 'For hubs: the business. Default: the whole hub.' }),
    ),
    staff_id: Type.Optional(
      Type.String({
        ...Id,
        description: 'The staff member whose calendar belongs to the person. Required for `staff`.',
      }),
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
        ...UnlinkedName(100),
        description: 'People who also work elsewhere can only change it themselves.',
      }),
    ),
    role: Type.Optional(Role),
    staff_id: Type.Optional(
      OrNull(Type.String({ ...Id, description: 'The staff member whose calendar belongs to them.' })),
    ),
    disabled: Type.Optional(
      Type.Boolean({ description: 'True ends their access to this business or hub at once.' }),
    ),
  },
  { title: 'ChangeUser', description: 'The fields to change.', examples: [{ disabled: true }] },
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
    place_name: Type.String({ description: 'Name of the business or hub.' }),
    staff_id: Nullable(ShownId, { description: 'The staff member whose calendar will belong to them.' }),
    status: Type.Unsafe<'open' | 'expired'>({ type: 'string', enum: ['open', 'expired'] }),
    created_at: ShownInstant,
    expires_at: ShownInstant,
  },
  {
    title: 'Invitation',
    description: 'For an address that already has an account. Its owner accepts after logging in.',
    examples: [exampleInvitation],
  },
)

export const InvitationPage = Page(Invitation, {
  title: 'InvitationPage',
  description: 'Invitations, the newest first.',
})

export const Me = Type.Object(
  {
    person_id: ShownId,
    name: Type.String(),
    email: Type.String(),
    email_proved: Type.Boolean({ description: 'True once a link in an email has proved the address.' }),
    new_email: Nullable(Type.String(), {
      description: 'The new address, until a link in an email has proved it.',
    }),
    has_second_step: Type.Boolean({ description: 'True if log-ins need a code of an authenticator.' }),
  },
  {
    title: 'Me',
    description: 'The account of the caller.',
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
    name: Type.Optional(Type.Unsafe<string>(UnlinkedName(100))),
    email: Type.Optional(
      Type.String({
        ...{ format: 'email', maxLength: 254 },
        description:
          'Receives a link by email and takes effect once the link is used. Send the present address to prove it.',
      }),
    ),
    password: Type.Optional(
      Type.String({ maxLength: 1_024, description: 'The present password. Required with `email`.' }),
    ),
  },
  { title: 'ChangeMe', description: 'The fields to change.', examples: [{ name: 'Anna Weber-Fischer' }] },
)

export type UserCreation = Static<typeof CreateUser>
export type UserChange = Static<typeof ChangeUser>
