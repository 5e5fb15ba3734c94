import { Option } from 'commander'
import { operator, personRoles } from '../access/actor.ts'
import { firstOwnerUrl, offerFirstOwner } from '../access/first-owner.ts'
import { linkMinutes, linkUrl, type PasswordLink } from '../access/person-link.ts'
import { changeAccount } from '../access/account.ts'
import { placeNameOf } from '../access/invitation.ts'
import { addPerson } from '../access/new-person.ts'
import { issueLink, listPeople, type PlaceScope, setPersonDisabled } from '../access/person.ts'
import { OperatorError, UsageError } from '../base/errors.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Context } from '../bookings/context.ts'
import { showBusiness, showHub } from '../catalogue/business.ts'
import { staffKind } from '../catalogue/catalogue-kinds.ts'
import type { PersonRole } from '../database/tables.ts'
import type { TenantScope } from '../database/tenant-scope.ts'
import {
  type CliCommand,
  print,
  printTable,
  warn,
  withDatabase,
  withExistingDatabase,
} from './command-line.ts'
import { itemNamed } from './item.ts'

interface PlaceOptions {
  business?: string
  hub?: string
}

interface CreateOptions extends PlaceOptions {
  role: PersonRole
  name?: string
  staff?: string
  json?: boolean
}

export function registerUserCommands(program: CliCommand): void {
  const group = program.group(
    'user',
    'manage the people who log in to the console',
    'create ada@example.com --role owner --business "Salon Spree"',
  )
  registerFirst(group)
  registerCreate(group)
  registerList(group)
  registerDisable(group)
  registerEnable(group)
  registerLink(group)
  registerChange(group)
}

function registerFirst(group: CliCommand): void {
  group
    .command('first')
    .description('print a link for the first owner, as long as nobody can log in')
    .withJson()
    .examples('user first')
    .action(async ({ json }: { json?: boolean }) => {
      const made = await withDatabase(async (context) => {
        const owner = await offerFirstOwner(context, true)
        if (!owner)
          throw new OperatorError(
            'Somebody can already log in. To set a new password: holdfast user link EMAIL.',
          )
        if (!('link' in owner))
          throw new OperatorError(
            'There are several businesses. Choose one: holdfast user create EMAIL --role owner --business "NAME".',
          )
        const { expiresAt: expires_at } = owner.link
        return { link: { url: firstOwnerUrl(publicUrl(context.config), owner.link), expires_at } }
      })
      print(made, json, () => linkLines(made.link))
    })
}

function registerCreate(group: CliCommand): void {
  group
    .command('create <email>')
    .description(
      'add a person to a business or hub; prints a link to set a password if the email address is new or unconfirmed',
    )
    .addOption(
      new Option('--role <role>', 'what the person may do').choices(personRoles).makeOptionMandatory(),
    )
    .option('--business <name or id>', 'the business')
    .option('--hub <name or id>', 'the hub, with all its businesses')
    .option('--staff <name or id>', 'the staff member this person is; required with --role staff')
    .option('--name <name>', 'name of the person (default: the part before the @)')
    .withJson()
    .examples(
      'user create ada@example.com --role owner --business "Salon Spree"',
      'user create anna@example.com --role staff --staff "Anna Weber" --business "Salon Spree"',
    )
    .action(async (email: string, { role, name, staff, json, ...of }: CreateOptions) => {
      const added = await withDatabase(async (context) => {
        const place = await placeOf(context, of)
        const staffId = await staffOf(context, place, staff)
        const { person, invitation, link } = await addPerson(context, operator, {
          ...{ email, name, role, place, staffId },
        })
        const shown = { role, link: link ? shownLink(context, link) : null }
        if (invitation) {
          const { id, email, expires_at } = invitation
          const invited = { id, expires_at, of: placeNameOf(invitation) }
          return { id: null, email, ...shown, invitation: invited }
        }
        return { id: person.user_id, email: person.email, ...shown, invitation: null }
      })
      const { link, invitation } = added
      if (invitation)
        warn(
          `${added.email} already has an account, which somebody else may have set up. To join ${invitation.of}, its owner must set a new password with the link below and then accept the invitation`,
        )
      else if (!link) warn(`${added.email} already has an account; its password stays the same`)
      print(added, json, () => [
        invitation
          ? `invitation ${invitation.id}  ${added.email}  (${role}), until ${invitation.expires_at}`
          : `person ${added.id}  ${added.email}  (${role})`,
        ...(link ? linkLines(link) : []),
      ])
    })
}

async function placeOf(context: Context, { business, hub }: PlaceOptions): Promise<PlaceScope> {
  if ((business === undefined) === (hub === undefined))
    throw new UsageError('Give either --business or --hub.')
  if (hub !== undefined) return { hubId: (await showHub(context, hub)).id }
  return { businessId: (await showBusiness(context, business ?? '')).id }
}

async function staffOf(
  context: Context,
  place: PlaceScope,
  staff: string | undefined,
): Promise<string | undefined> {
  if (staff === undefined) return undefined
  if ('hubId' in place) throw new UsageError('--staff is for people of a business: give --business.')
  return (await itemNamed(context, staffKind, staff, place.businessId)).id
}

function shownLink(context: Context, { token, expiresAt }: PasswordLink) {
  return { url: linkUrl(context, token), expires_at: expiresAt }
}

function linkLines({ url }: { url: string }): string[] {
  return [
    url,
    `The link works once, within ${linkMinutes} minutes. Anyone with it can log in: share it securely.`,
  ]
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list people, once for each business or hub')
    .option('--business <name or id>', 'only this business')
    .option('--hub <name or id>', 'only this hub and its businesses')
    .withJson()
    .examples('user list --business "Salon Spree"')
    .action(async ({ business, hub, json }: PlaceOptions & { json?: boolean }) => {
      const people = await withExistingDatabase(async (context) => {
        const isAll = business === undefined && hub === undefined
        const scope: TenantScope = isAll
          ? { everything: true }
          : await placeOf(context, {
              ...(business !== undefined && { business }),
              ...(hub !== undefined && { hub }),
            })
        return listPeople(context, scope)
      })
      const shown = people.map((person) => ({
        id: person.user_id,
        email: person.email,
        name: person.name,
        role: person.role,
        business_id: person.business_id,
        hub_id: person.hub_id,
        staff_id: person.staff_id,
        created_at: person.created_at,
        disabled_at: person.person_disabled_at ?? person.disabled_at,
        email_proved: person.email_proved_at !== null,
        password_set: person.password_set_at !== null,
        totp: person.totp_since !== null,
        of: person.business_name ?? person.hub_name ?? '',
      }))
      printTable(shown, json, {
        title: 'People:',
        columns: {
          EMAIL: ({ email }) => email,
          NAME: ({ name }) => name,
          ROLE: ({ role }) => role,
          OF: ({ of, hub_id }) => (hub_id === null ? of : `${of} (a whole hub)`),
          STATE: ({ disabled_at, password_set }) =>
            disabled_at === null
              ? password_set
                ? 'active'
                : 'has no password yet'
              : `disabled ${disabled_at}`,
        },
      })
    })
}

function registerDisable(group: CliCommand): void {
  group
    .command('disable <email>')
    .description('log a person out everywhere and keep them from logging in')
    .withJson()
    .examples('user disable ada@example.com')
    .action(async (email: string, { json }: { json?: boolean }) => {
      const user = await withExistingDatabase((context) => setPersonDisabled(context, email, true))
      const { id, disabled_at } = user
      print({ id, email: user.email, disabled_at }, json, () => [
        `${user.email} has been disabled since ${disabled_at ?? ''}`,
      ])
    })
}

function registerEnable(group: CliCommand): void {
  group
    .command('enable <email>')
    .description('let a disabled person log in again with their previous password')
    .withJson()
    .examples('user enable ada@example.com')
    .action(async (email: string, { json }: { json?: boolean }) => {
      const user = await withExistingDatabase((context) => setPersonDisabled(context, email, false))
      print({ id: user.id, email: user.email, disabled_at: null }, json, () => [`${user.email} can log in`])
    })
}

function registerLink(group: CliCommand): void {
  group
    .command('link <email>')
    .description('print a link to set a new password, which logs the person out everywhere')
    .option('--end-second-step', 'also stop asking for an authenticator code, if the device was lost')
    .withJson()
    .examples('user link ada@example.com')
    .action(async (email: string, { json, endSecondStep }: { json?: boolean; endSecondStep?: boolean }) => {
      const made = await withExistingDatabase(async (context) => {
        const { user, link } = await issueLink(context, email, { endsSecondStep: endSecondStep ?? false })
        return { email: user.email, link: shownLink(context, link) }
      })
      print(made, json, () => linkLines(made.link))
    })
}

interface ChangeOptions {
  name?: string
  email?: string
  json?: boolean
}

function registerChange(group: CliCommand): void {
  group
    .command('change <email>')
    .description("change a person's name or email address")
    .option('--name <name>', 'new name')
    .option('--email <new email>', 'new email address for logging in')
    .withJson()
    .examples('user change ada@example.com --name "Ada King" --email ada.king@example.com')
    .action(async (email: string, { name, email: newEmail, json }: ChangeOptions) => {
      if (name === undefined && newEmail === undefined) throw new UsageError('Give --name or --email.')
      const user = await withExistingDatabase((context) => changeAccount(context, email, { name, newEmail }))
      const shown = {
        ...{ id: user.id, email: user.email, name: user.name },
        email_proved: user.email_proved_at !== null,
      }
      print(shown, json, () => [`person ${user.id}  ${user.email}  ${user.name}`])
    })
}
