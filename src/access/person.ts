import { isEmail, isLine, nameFault } from '../base/contact-formats.ts'
import { Problem, type FieldError, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, plusSeconds } from '../base/instants.ts'
import type { CleanupJob } from '../database/context.ts'
import type { Transaction } from '../database/database.ts'
import type { PersonRole, UsersTable } from '../database/tables.ts'
import type { TenantScope } from '../database/tenant-scope.ts'
import {
  cursorOf,
  idPart,
  instantPart,
  type Page,
  type PageQuery,
  readPage,
  textPart,
} from '../base/paging.ts'
import { operator, type PersonActor } from './actor.ts'
import { type Author, recordAudit, recordAudits } from './audit.ts'
import type { AuditAction } from './audit-types.ts'
import type { Context } from './context.ts'
import { findInvitations } from './invitation-queries.ts'
import { deletePasskeysOf } from './passkey-queries.ts'
import { type LinkTokens, linkTokens, makeLink, type PasswordLink } from './person-link.ts'
import type { PersonMails } from './person-mails.ts'
import {
  deleteLinksOf,
  deleteOldLogIns,
  endLogInsOf,
  findActivePlaces,
  findPeople,
  findPlace,
  findUserWhoMayLogIn,
  findUserByEmail,
  hasOtherOwner,
  hasStaff,
  insertPlace,
  lockOwners,
  lockUser,
  type PersonRow,
  removeSecondStep,
  startNotifying,
  updatePlace,
  updateUser,
} from './person-queries.ts'
import { endGrants } from './program-grant.ts'
import type { UserChange } from './user-schemas.ts'

/** The business or hub in which a person may act. */
export type PlaceScope = { businessId: string } | { hubId: string }

/** A person's intended role in a place. */
interface PersonAtPlace {
  email: string
  name?: string | undefined
  role: PersonRole
  place: PlaceScope
  staffId?: string | undefined
}

/**
 * Log-ins are kept this long after their end. Attempts of strangers do not slow down the person in networks with such a
 * log-in.
 */
const logInRetentionSeconds = 30 * 86_400
const maxNameLength = 100
/** The rule for names. */
export const nameRule = `must be one line of 1 to ${maxNameLength} characters, without a web address (:// or www.) or characters that change the direction of text`
const maxListed = 1_000
/** Returns the spelling under which a person's address is stored and found. */
export function personEmail(text: string): string {
  return text.normalize('NFC').trim().toLowerCase()
}

/** Returns an address typed to log in. Invalid input becomes empty, so it belongs to nobody. */
export function typedEmail(text: string): string {
  const email = personEmail(text)
  return isEmail(email) ? email : ''
}

/** Accepts one line of 1 to 100 characters without a web address, because emails carry names to strangers. */
export function isPersonName(name: string): boolean {
  return name.trim() !== '' && name.length <= maxNameLength && isLine(name) && nameFault(name) === undefined
}

/**
 * Changes a person's role in a business or hub, disables them there, or corrects their name. Without any enabled place,
 * they lose their passkeys. Throws not_found. Throws validation_failed for the last owner who can log in, and for a name if the person also works elsewhere. Throws it
 * also if an owner of the business enables a person whom the hub has locked out.
 */
export function changePerson(
  context: Context,
  by: PersonActor,
  { id, change }: { id: string; change: UserChange },
): Promise<PersonRow> {
  return context.db.transaction(async (tx) => {
    const found = await placeIn(tx, by, id)
    await lockOwners(tx.db, found)
    const present = (await findPlace(tx.db, by.scope, found.id)) ?? found // its state under the lock
    const columns = {
      role: change.role ?? present.role,
      staff_id: change.staff_id === undefined ? present.staff_id : change.staff_id,
      ...accessColumns(tx, by, { present, disabled: change.disabled }),
    }
    const { name = present.name } = change
    await assertPlace(tx, { ...present, name }, columns)
    await updatePlace(tx.db, present.id, columns)
    if (name !== present.name) await correctName(tx, by, { person: present, name })
    const person = { ...present, ...columns, name }
    for (const action of actionsOf(present, person)) await recordChange(context, tx, { by, action, person })
    const { user_id: userId } = person
    if (change.disabled) await endGrants(context, tx, { by, placeId: person.id })
    if (change.disabled && (await findActivePlaces(tx.db, userId)).length === 0)
      await endPasskeysOf(context, tx, { by, userId })
    return person
  })
}

/** Returns the columns that disable a person and say by whom. Throws validation_failed. */
function accessColumns(
  { now }: Transaction,
  { scope }: PersonActor,
  { present, disabled }: { present: PersonRow; disabled: boolean | undefined },
): Pick<PersonRow, 'disabled_at' | 'hub_disabled_at'> {
  const { disabled_at, hub_disabled_at } = present
  if (disabled === undefined) return { disabled_at, hub_disabled_at }
  const isOfHub = 'hubId' in scope && present.business_id !== null
  if (disabled)
    return { disabled_at: disabled_at ?? now, hub_disabled_at: hub_disabled_at ?? (isOfHub ? now : null) }
  if (hub_disabled_at !== null && !isOfHub) {
    const detail = 'was set by an owner of the hub; only they can enable this person again'
    throw validationProblem([{ pointer: '/disabled', code: 'not_allowed', detail }])
  }
  return { disabled_at: null, hub_disabled_at: null }
}

async function correctName(
  tx: Transaction,
  { scope }: PersonActor,
  { person, name }: { person: PersonRow; name: string },
): Promise<void> {
  const user = await lockUser(tx.db, person.user_id)
  const detail = 'belongs to a person who also works elsewhere; they can change it in their account'
  if (!user || !(await isWhollyWithin(tx, user, scope)))
    throw validationProblem([{ pointer: '/name', code: 'not_allowed', detail }])
  await updateUser(tx.db, user.id, { name })
}

async function placeIn(tx: Transaction, { scope }: PersonActor, id: string): Promise<PersonRow> {
  const found = isUuid(id) ? await findPlace(tx.db, scope, id.toLowerCase()) : undefined
  if (!found) throw new Problem('not_found', 'There is no person with this id.')
  return found
}

type PlaceColumns = Pick<PersonRow, 'role' | 'staff_id' | 'disabled_at'>

function actionsOf(
  before: PlaceColumns & { name: string },
  after: PlaceColumns & { name: string },
): PersonAction[] {
  const isUpdated =
    before.role !== after.role || before.staff_id !== after.staff_id || before.name !== after.name
  const isMoved = (before.disabled_at === null) !== (after.disabled_at === null)
  return [
    ...(isUpdated ? ['user.updated' as const] : []),
    ...(isMoved ? [after.disabled_at === null ? ('user.enabled' as const) : ('user.disabled' as const)] : []),
  ]
}

async function assertPlace(tx: Transaction, present: PersonRow, wanted: PlaceColumns): Promise<void> {
  const place =
    present.business_id === null ? { hubId: present.hub_id ?? '' } : { businessId: present.business_id }
  const { email, name } = present
  const faults = personFaults({
    email,
    name,
    role: wanted.role,
    place,
    staffId: wanted.staff_id ?? undefined,
  })
  if (faults.length > 0) throw validationProblem(faults)
  await assertStaff(tx, place, wanted.staff_id)
  const wasOwner = present.role === 'owner' && present.disabled_at === null
  const staysOwner = wanted.role === 'owner' && wanted.disabled_at === null
  if (!wasOwner || staysOwner || (await hasOtherOwner(tx.db, present))) return
  const pointer = wanted.role === 'owner' ? '/disabled' : '/role'
  const detail = 'would leave no owner; make another person an owner first'
  throw validationProblem([{ pointer, code: 'not_allowed', detail }])
}

/** Presents a person in a place, with times in the zone of the business. */
export function presentPerson(person: PersonRow) {
  const time = (instant: PersonRow['created_at']) => formatInstant(instant, person.timezone ?? 'UTC')
  const disabledAt = person.person_disabled_at ?? person.disabled_at
  return {
    id: person.id,
    person_id: person.user_id,
    email: person.email,
    email_proved: person.email_proved_at !== null,
    name: person.name,
    role: person.role,
    business_id: person.business_id,
    hub_id: person.hub_id,
    staff_id: person.staff_id,
    has_password: person.password_set_at !== null,
    has_second_step: person.totp_since !== null,
    created_at: time(person.created_at),
    last_log_in_at: person.last_log_in_at && time(person.last_log_in_at),
    disabled_at: disabledAt && time(disabledAt),
  }
}

/** The actions on people in the audit log. */
type PersonAction = Extract<AuditAction, `user.${string}`>

interface PersonChange {
  by: Author
  action: PersonAction
  person: PersonRow
}

/** Records a change of a person in one of their places. */
export function recordChange(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { by, action, person }: PersonChange,
) {
  return recordAudit(context, tx, { by, action, ...subjectOf(person) })
}

function subjectOf({ user_id, business_id, hub_id }: PersonRow) {
  return { subjectId: user_id, businessId: business_id, hubId: hub_id }
}

/** Records a change of the person as such in each of their places, for the owners there. */
export async function recordOfPerson(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { by, action, userId }: { by: Author; action: PersonAction; userId: string },
): Promise<void> {
  const places = await findPeople(tx.db, { scope: operator.scope, userId, max: maxListed })
  const changes = places.map((person) => ({ by, action, ...subjectOf(person) }))
  await recordAudits(context, tx, changes)
}

/** Returns the faults of a person in a place. */
export function personFaults({ email, name, role, place, staffId }: PersonAtPlace): FieldError[] {
  const faults: FieldError[] = []
  const fault = (pointer: string, code: string, detail: string) => faults.push({ pointer, code, detail })
  if (!isEmail(email)) fault('/email', 'invalid_format', 'must be an email address such as ada@example.com')
  if (name !== undefined && !isPersonName(name)) fault('/name', 'invalid_format', nameRule)
  if (role === 'staff' && staffId === undefined)
    fault('/staff_id', 'required', 'must name the staff member of a person with the role staff')
  if (staffId !== undefined && 'hubId' in place)
    fault('/staff_id', 'not_allowed', 'must be absent for people of a hub')
  if (role === 'staff' && 'hubId' in place)
    fault('/role', 'not_allowed', 'must not be staff for people of a hub')
  return faults
}

/** Throws validation_failed unless the business of a place has the staff member. */
export async function assertStaff(tx: Transaction, place: PlaceScope, staffId: string | null): Promise<void> {
  if (staffId === null || 'hubId' in place) return
  if (await hasStaff(tx.db, place.businessId, staffId)) return
  const detail = 'must be a staff member of the business'
  throw validationProblem([{ pointer: '/staff_id', code: 'unknown_reference', detail }])
}

interface NewPlace {
  userId: string
  place: PlaceScope
  role: PersonRole
  staffId: string | null
}

/**
 * Makes a person a member of a place. Their links end, because people of another place may have them. For a known
 * person, the caller must hold the person's lock. Throws validation_failed if they are already a member.
 */
export async function givePlace(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { userId, place, role, staffId }: NewPlace,
): Promise<PersonRow> {
  const isGiven = await insertPlace(tx.db, {
    id: context.ids.next(),
    user_id: userId,
    business_id: 'businessId' in place ? place.businessId : null,
    hub_id: 'hubId' in place ? place.hubId : null,
    role,
    staff_id: staffId,
    created_at: tx.now,
    disabled_at: null,
    hub_disabled_at: null,
  })
  if (!isGiven) throw isThereAlready()
  if (role === 'owner' && 'businessId' in place) await startNotifying(tx.db, { ...place, userId })
  await deleteLinksOf(tx.db, userId)
  const person = await personAt(tx, userId, place)
  if (!person) throw new Error('a person who was just added is missing')
  return person
}

/** Returns a person in one of their places. */
export async function personAt(
  tx: Transaction,
  userId: string,
  place: PlaceScope,
): Promise<PersonRow | undefined> {
  const people = await findPeople(tx.db, { scope: place, userId, max: maxListed })
  return people.find(({ business_id, hub_id }) =>
    'businessId' in place ? business_id === place.businessId : hub_id === place.hubId,
  )
}

/** Creates the refusal to add a person twice. */
export function isThereAlready(): Problem {
  return validationProblem([{ pointer: '/email', code: 'repeated', detail: 'is already a person there' }])
}

/** Creates a person without a password. */
export function newUser(
  tx: Transaction,
  { id, email, name }: { id: string; email: string; name: string | undefined },
): UsersTable {
  return {
    id,
    email,
    email_proved_at: null,
    name: name?.trim() ?? email.split('@', 1)[0] ?? email,
    password_hash: null,
    password_set_at: null,
    totp_secret: null,
    totp_since: null,
    totp_step: 0,
    created_at: tx.now,
    disabled_at: null,
  }
}

/** Lists the people of a scope by email, once for each place, at most a thousand. */
export function listPeople(context: Context, scope: TenantScope): Promise<PersonRow[]> {
  return findPeople(context.db.reads, { scope, max: maxListed })
}

/** Returns a page of the people of a scope, by email. Throws validation_failed for an invalid cursor. */
export async function listPeoplePage(
  context: Pick<Context, 'db'>,
  scope: TenantScope,
  query: PageQuery,
): Promise<Page<PersonRow>> {
  return readPage(query, {
    cursor: personCursor,
    find: ({ after, rows }) => findPeople(context.db.reads, { scope, after, max: rows }),
    position: ({ email, created_at, id }) => [email, created_at, id],
  })
}

const personCursor = cursorOf('people', textPart, instantPart, idPart)

/** Returns a person in a place of a scope. Throws not_found. */
export async function showPerson(
  context: Pick<Context, 'db'>,
  scope: TenantScope,
  id: string,
): Promise<PersonRow> {
  const found = isUuid(id) ? await findPlace(context.db.reads, scope, id.toLowerCase()) : undefined
  if (!found) throw new Problem('not_found', 'There is no person with this id.')
  return found
}

/**
 * Disables a person, ends their log-ins on every server and removes their passkeys, or enables them again. For the operator. Throws not_found.
 */
export function setPersonDisabled(context: Context, email: string, disabled: boolean): Promise<UsersTable> {
  return context.db.transaction(async (tx) => {
    const user = await knownPerson(tx, email)
    if ((user.disabled_at !== null) === disabled) return user
    const disabled_at = disabled ? tx.now : null
    await updateUser(tx.db, user.id, { disabled_at })
    if (disabled) await endLogInsOf(tx.db, user.id, { now: tx.now })
    if (disabled) await endPasskeysOf(context, tx, { by: operator, userId: user.id })
    if (disabled) await endGrants(context, tx, { by: operator, userId: user.id })
    const action = disabled ? 'user.disabled' : 'user.enabled'
    await recordOfPerson(context, tx, { by: operator, action, userId: user.id })
    return { ...user, disabled_at }
  })
}

/** Creates a link for a person to set a new password. For the operator. Throws not_found. */
export async function issueLink(
  context: Context,
  email: string,
  { endsSecondStep = false } = {},
): Promise<{ user: UsersTable; link: PasswordLink }> {
  const tokens = await linkTokens(context, 'operator link')
  return context.db.transaction(async (tx) => {
    const user = await knownPerson(tx, email)
    if (user.disabled_at) {
      const detail = `${user.email} is disabled; enable them first: holdfast user enable ${user.email}`
      throw validationProblem([{ pointer: '/email', code: 'not_allowed', detail }])
    }
    if (endsSecondStep) await endSecondStepOf(context, tx, { by: operator, userId: user.id })
    await recordOfPerson(context, tx, { by: operator, action: 'user.link_made', userId: user.id })
    return { user, link: await makeLink(context, tx, { userId: user.id, proves: true, tokens }) }
  })
}

/**
 * Creates a new link for a person on behalf of an owner. Older links end. Without `mails` the owner gets it to deliver.
 * If the person also works elsewhere, the account does not belong to the owner. Then the link is never given to the
 * owner and ends no other. Throws not_found and validation_failed.
 */
export async function issueLinkBy(
  context: Context,
  owner: PersonActor,
  { id, mails }: { id: string; mails?: PersonMails | undefined },
): Promise<{ person: PersonRow; link: PasswordLink }> {
  const tokens = await linkTokens(context)
  return context.db.transaction(async (tx) => {
    const person = await placeIn(tx, owner, id)
    const user = await lockUser(tx.db, person.user_id)
    if (!user || (person.disabled_at ?? user.disabled_at)) {
      const detail = 'belongs to a disabled person; enable them first'
      throw validationProblem([{ pointer: '/id', code: 'not_allowed', detail }])
    }
    const userId = user.id
    const isOwn = await isWhollyWithin(tx, user, owner.scope)
    if (!mails && !isOwn) {
      const detail =
        'belongs to a person who also works elsewhere; the operator can make the link: holdfast user link'
      throw validationProblem([{ pointer: '/id', code: 'not_allowed', detail }])
    }
    if (isOwn) await deleteLinksOf(tx.db, userId)
    const link = await makeLink(context, tx, { userId, proves: mails !== undefined, tokens })
    const action = mails ? 'user.link_mailed' : 'user.link_made'
    await recordOfPerson(context, tx, { by: owner, action, userId })
    await mails?.link(tx, link)
    return { person, link }
  })
}

/** True if a person works, and is invited, only within a scope. Callers that rely on it must hold the person's lock. */
async function isWhollyWithin(
  tx: Transaction,
  { id: userId, email }: UsersTable,
  scope: TenantScope,
): Promise<boolean> {
  const countIn = async (within: TenantScope) => {
    const places = await findPeople(tx.db, { scope: within, userId, max: maxListed })
    const open = { scope: within, email, expiresAfter: tx.now, max: maxListed }
    return places.length + (await findInvitations(tx.db, open)).length
  }
  return (await countIn(scope)) === (await countIn(operator.scope))
}

const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * Replaces all links of the person with an address by a new one, at a request that anyone can send. For an unknown
 * address or a person who may not log in, runs the same statements and makes no link.
 */
export async function replaceLinks(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { email, tokens }: { email: string; tokens: LinkTokens },
): Promise<PasswordLink | undefined> {
  const user = await findUserWhoMayLogIn(tx.db, typedEmail(email), tx.now)
  const userId = user?.id ?? nobody
  await deleteLinksOf(tx.db, userId)
  const link = await makeLink(context, tx, { userId: user?.id ?? null, proves: true, tokens })
  await recordOfPerson(context, tx, { by: 'system', action: 'user.link_mailed', userId })
  return user && link
}

/** Removes the authenticator of a person and its recovery codes. */
export async function endSecondStepOf(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { by, userId }: { by: Author; userId: string },
): Promise<void> {
  const user = await lockUser(tx.db, userId)
  await removeSecondStep(tx.db, userId)
  if (user?.totp_since) await recordOfPerson(context, tx, { by, action: 'user.second_step_removed', userId })
}

/** Removes one passkey of a person, or all of them. */
export async function endPasskeysOf(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { by, userId, id }: { by: Author; userId: string; id?: string },
): Promise<void> {
  if ((await deletePasskeysOf(tx.db, userId, id)) === 0) return
  await recordOfPerson(context, tx, { by, action: 'user.passkey_removed', userId })
}

/** Returns the person of an address. Throws not_found. */
export async function knownPerson(tx: Transaction, email: string): Promise<UsersTable> {
  const user = await findUserByEmail(tx.db, personEmail(email))
  if (!user) throw new Problem('not_found', `There is no person ${email}; "holdfast user list" shows them.`)
  return user
}

/** Deletes log-ins a month after their end. */
export const oldLogIns: CleanupJob = {
  name: 'old log-ins of people',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldLogIns(tx.db, plusSeconds(tx.now, -logInRetentionSeconds), max)),
}
