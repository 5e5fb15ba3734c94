import { isEmail, isLine } from '../base/contact-formats.ts'
import { Problem, type FieldError, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, plusSeconds } from '../base/instants.ts'
import type { CleanupJob } from '../database/context.ts'
import type { Transaction } from '../database/database.ts'
import type { PersonRole, UsersTable } from '../database/tables.ts'
import type { TenantScope } from '../database/tenant-scope.ts'
import { operator, type PersonActor } from './actor.ts'
import { type Author, recordAudit, recordAudits } from './audit.ts'
import type { AuditAction } from './audit-types.ts'
import type { Context } from './context.ts'
import { type LinkTokens, linkTokens, makeLink, type PasswordLink } from './person-link.ts'
import {
  deleteLinksOf,
  deleteOldLogIns,
  endLogInsOf,
  findPeople,
  findPlace,
  findUserWhoMayLogIn,
  findUserByEmail,
  hasOtherOwner,
  hasStaff,
  insertPlace,
  insertUser,
  isBusinessIn,
  lockOwners,
  lockUser,
  type PersonRow,
  removeSecondStep,
  updatePlace,
  updateUser,
} from './person-queries.ts'
import type { UserChange, UserCreation } from './user-schemas.ts'

/** Where a person may act. */
export type PlaceScope = { businessId: string } | { hubId: string }

/** A person to add to a business or hub. */
export interface PersonRequest {
  email: string
  /** Without one, what stands before the `@`. */
  name?: string | undefined
  role: PersonRole
  place: PlaceScope
  /** Whose calendar is the person's own; required for staff. */
  staffId?: string | undefined
  /** Ends the transaction in which the person is added. */
  lastly?: ((tx: Transaction, added: AddedPerson) => Promise<void>) | undefined
}

/** Writes a mail with a new link, in the transaction that makes the link. */
export type TellOfLink = (tx: Transaction, link: PasswordLink) => Promise<void>

/** What became of a person to add. */
interface AddedPerson {
  person: PersonRow
  /** Absent for a person who was known before: they log in as they do. */
  link: PasswordLink | undefined
}

/** Log-ins are kept this long after their end: from a network of one of them, strangers' tries do not slow the person down. */
const logInRetentionSeconds = 30 * 86_400
const maxNameLength = 100
const maxListed = 1_000
/** The spelling under which a person's address is stored and found. */
export function personEmail(text: string): string {
  return text.normalize('NFC').trim().toLowerCase()
}

/** An address as somebody types it who wants to get in; empty, so that it is nobody's, for what is no address. */
export function typedEmail(text: string): string {
  const email = personEmail(text)
  return isEmail(email) ? email : ''
}

/**
 * Adds a person to a business or hub, and makes the link for a first password where the address is new. Throws
 * validation_failed, also where somebody outside of the caller's scope has the address: whoever adds people to one business shall not
 * get a hold of people of another.
 */
export async function addPerson(
  context: Context,
  by: PersonActor | typeof operator,
  request: PersonRequest,
): Promise<AddedPerson> {
  const within = by.scope
  const email = personEmail(request.email)
  const faults = personFaults({ ...request, email })
  if (faults.length > 0) throw validationProblem(faults)
  const id = context.ids.next()
  const tokens = await linkTokens(context)
  return context.db.transaction(async (tx) => {
    const { place, staffId = null } = request
    await assertStaff(tx, place, staffId)
    const isNew = await insertUser(tx.db, newUser(tx, { id, email, name: request.name }))
    const user = isNew ? undefined : await findUserByEmail(tx.db, email)
    const userId = user?.id ?? id
    if (!isNew && !('everything' in within)) await assertWithin(tx, userId, within)
    await givePlace(context, tx, { userId, place, role: request.role, staffId })
    const people = await findPeople(tx.db, { scope: placeScope(place), userId, max: maxListed })
    const person = people.find((one) => isAt(one, place))
    if (!person) throw new Error('a person who was just added is missing')
    await recordChange(context, tx, { by, action: 'user.created', person })
    const link = isNew ? await makeLink(context, tx, { userId, tokens }) : undefined
    await request.lastly?.(tx, { person, link })
    return { person, link }
  })
}

/** One line of 1 to 100 characters. */
export function isPersonName(name: string): boolean {
  return name.trim() !== '' && name.length <= maxNameLength && isLine(name)
}

/** Adds a person as an owner does: to their business, or to their hub or a business of it. Throws as `addPerson`. */
export async function addPersonBy(
  context: Context,
  owner: PersonActor,
  { business_id, staff_id, ...rest }: UserCreation,
  lastly?: PersonRequest['lastly'],
): Promise<AddedPerson> {
  const scope = owner.scope
  const place = business_id === undefined ? scope : { businessId: business_id }
  if (business_id !== undefined && !(await isBusinessIn(context.db.reads, scope, business_id))) {
    const detail = 'is not the id of a business that you reach'
    throw validationProblem([{ pointer: '/business_id', code: 'unknown_reference', detail }])
  }
  return addPerson(context, owner, { ...rest, place, staffId: staff_id, lastly })
}

/**
 * Changes what a person is at a business or hub, or keeps them out there. Throws not_found, and validation_failed, also for
 * the last owner who can log in.
 */
export function changePerson(
  context: Context,
  by: PersonActor,
  { id, change }: { id: string; change: UserChange },
): Promise<PersonRow> {
  return context.db.transaction(async (tx) => {
    const found = isUuid(id) ? await findPlace(tx.db, by.scope, id.toLowerCase()) : undefined
    if (!found) throw noSuchPerson()
    await lockOwners(tx.db, found)
    const present = (await findPlace(tx.db, by.scope, found.id)) ?? found // as it is under the lock
    const disabled_at =
      change.disabled === undefined
        ? present.disabled_at
        : change.disabled
          ? (present.disabled_at ?? tx.now)
          : null
    const columns = {
      role: change.role ?? present.role,
      staff_id: change.staff_id === undefined ? present.staff_id : change.staff_id,
      disabled_at,
    }
    await assertPlace(tx, present, columns)
    await updatePlace(tx.db, present.id, columns)
    const person = { ...present, ...columns }
    for (const action of actionsOf(present, person)) await recordChange(context, tx, { by, action, person })
    return person
  })
}

type PlaceColumns = Pick<PersonRow, 'role' | 'staff_id' | 'disabled_at'>

function actionsOf(before: PlaceColumns, after: PlaceColumns): PersonAction[] {
  const isUpdated = before.role !== after.role || before.staff_id !== after.staff_id
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
  const detail = 'would leave nobody who owns this; make another person an owner first'
  throw validationProblem([{ pointer, code: 'not_allowed', detail }])
}

function noSuchPerson(): Problem {
  return new Problem('not_found', 'There is no person with this id.')
}

/** Presents a person at a place, with times in the zone of the business. */
export function presentPerson(person: PersonRow) {
  const time = (instant: PersonRow['created_at']) => formatInstant(instant, person.timezone ?? 'UTC')
  const disabledAt = person.person_disabled_at ?? person.disabled_at
  return {
    id: person.id,
    person_id: person.user_id,
    email: person.email,
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

/** What the audit log tells of people. */
type PersonAction = Extract<AuditAction, `user.${string}`>

interface PersonChange {
  by: Author
  action: PersonAction
  person: PersonRow
}

function recordChange(context: Pick<Context, 'ids'>, tx: Transaction, { by, action, person }: PersonChange) {
  return recordAudit(context, tx, { by, action, ...subjectOf(person) })
}

function subjectOf({ user_id, business_id, hub_id }: PersonRow) {
  return { subjectId: user_id, businessId: business_id, hubId: hub_id }
}

/** Records what was done to a person as such, at each of their places: the owners of each see it. */
export async function recordOfPerson(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { by, action, userId }: { by: Author; action: PersonAction; userId: string },
): Promise<void> {
  const places = await findPeople(tx.db, { scope: operator.scope, userId, max: maxListed })
  const changes = places.map((person) => ({ by, action, ...subjectOf(person) }))
  await recordAudits(context, tx, changes)
}

function personFaults({ email, name, role, place, staffId }: PersonRequest): FieldError[] {
  const faults: FieldError[] = []
  const fault = (pointer: string, code: string, detail: string) => faults.push({ pointer, code, detail })
  if (!isEmail(email)) fault('/email', 'invalid_format', 'must be an e-mail address such as ada@example.com')
  if (name !== undefined && !isPersonName(name))
    fault('/name', 'invalid_format', `must be one line of 1 to ${maxNameLength} characters`)
  if (role === 'staff' && staffId === undefined)
    fault('/staff_id', 'required', 'must name the staff member that a person of role staff is')
  if (staffId !== undefined && 'hubId' in place)
    fault('/staff_id', 'not_allowed', 'must be absent for people of a hub')
  if (role === 'staff' && 'hubId' in place)
    fault('/role', 'not_allowed', 'must be owner or manager for people of a hub')
  return faults
}

async function assertStaff(tx: Transaction, place: PlaceScope, staffId: string | null): Promise<void> {
  if (staffId === null || 'hubId' in place) return
  if (await hasStaff(tx.db, place.businessId, staffId)) return
  const detail = 'must be a staff member of the business'
  throw validationProblem([{ pointer: '/staff_id', code: 'unknown_reference', detail }])
}

async function assertWithin(tx: Transaction, userId: string, scope: TenantScope): Promise<void> {
  if ((await findPeople(tx.db, { scope, userId, max: 1 })).length > 0) return
  const detail = 'belongs to a person of another business; the operator can add them: holdfast user create'
  throw validationProblem([{ pointer: '/email', code: 'repeated', detail }])
}

interface NewPlace {
  userId: string
  place: PlaceScope
  role: PersonRole
  staffId: string | null
}

/** Gives a person a place. Throws validation_failed where they have it. */
export async function givePlace(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { userId, place, role, staffId }: NewPlace,
): Promise<void> {
  const isGiven = await insertPlace(tx.db, {
    id: context.ids.next(),
    user_id: userId,
    business_id: 'businessId' in place ? place.businessId : null,
    hub_id: 'hubId' in place ? place.hubId : null,
    role,
    staff_id: staffId,
    created_at: tx.now,
    disabled_at: null,
  })
  if (isGiven) return
  const detail = 'is a person there already'
  throw validationProblem([{ pointer: '/email', code: 'repeated', detail }])
}

/** A person without a password. */
export function newUser(
  tx: Transaction,
  { id, email, name }: { id: string; email: string; name: string | undefined },
): UsersTable {
  return {
    id,
    email,
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

function placeScope(place: PlaceScope): TenantScope {
  return place
}

function isAt({ business_id, hub_id }: PersonRow, place: PlaceScope): boolean {
  return 'businessId' in place ? business_id === place.businessId : hub_id === place.hubId
}

/** The people of a scope, each once for every place, by e-mail; at most a thousand. */
export function listPeople(context: Context, scope: TenantScope): Promise<PersonRow[]> {
  return findPeople(context.db.reads, { scope, max: maxListed })
}

/**
 * Keeps a person from logging in, and ends their log-ins on every server; or lets them in again. For the operator. Throws
 * not_found.
 */
export function setPersonDisabled(context: Context, email: string, disabled: boolean): Promise<UsersTable> {
  return context.db.transaction(async (tx) => {
    const user = await knownPerson(tx, email)
    if ((user.disabled_at !== null) === disabled) return user
    const disabled_at = disabled ? tx.now : null
    await updateUser(tx.db, user.id, { disabled_at })
    if (disabled) await endLogInsOf(tx.db, user.id, { now: tx.now })
    const action = disabled ? 'user.disabled' : 'user.enabled'
    await recordOfPerson(context, tx, { by: operator, action, userId: user.id })
    return { ...user, disabled_at }
  })
}

/** Makes a link by which a person sets a new password. For the operator. Throws not_found. */
export async function issueLink(
  context: Context,
  email: string,
  { endsSecondStep = false } = {},
): Promise<{ user: UsersTable; link: PasswordLink }> {
  const tokens = await linkTokens(context)
  return context.db.transaction(async (tx) => {
    const user = await knownPerson(tx, email)
    if (user.disabled_at) {
      const detail = `${user.email} is disabled; let them in again first: holdfast user enable ${user.email}`
      throw validationProblem([{ pointer: '/email', code: 'not_allowed', detail }])
    }
    if (endsSecondStep) await endSecondStepOf(context, tx, { by: operator, userId: user.id })
    await recordOfPerson(context, tx, { by: operator, action: 'user.link_made', userId: user.id })
    return { user, link: await makeLink(context, tx, { userId: user.id, tokens }) }
  })
}

/**
 * Makes a new link for a person, as an owner does; older ones end. Without `tell` the owner gets it to hand over, but for
 * somebody who also works elsewhere: their account is not the owner's. Throws not_found and validation_failed.
 */
export async function issueLinkBy(
  context: Context,
  owner: PersonActor,
  { id, tell }: { id: string; tell?: TellOfLink | undefined },
): Promise<{ person: PersonRow; link: PasswordLink }> {
  const tokens = await linkTokens(context)
  return context.db.transaction(async (tx) => {
    const person = isUuid(id) ? await findPlace(tx.db, owner.scope, id.toLowerCase()) : undefined
    if (!person) throw noSuchPerson()
    const { user_id: userId } = person
    if (person.disabled_at ?? person.person_disabled_at) {
      const detail = 'is of somebody who is disabled; let them in again first'
      throw validationProblem([{ pointer: '/id', code: 'not_allowed', detail }])
    }
    if (!tell) await assertWhollyWithin(tx, userId, owner.scope)
    await deleteLinksOf(tx.db, userId)
    const link = await makeLink(context, tx, { userId, tokens })
    const action = tell ? 'user.link_mailed' : 'user.link_made'
    await recordOfPerson(context, tx, { by: owner, action, userId })
    await tell?.(tx, link)
    return { person, link }
  })
}

async function assertWhollyWithin(tx: Transaction, userId: string, scope: TenantScope): Promise<void> {
  const countIn = async (within: TenantScope) =>
    (await findPeople(tx.db, { scope: within, userId, max: maxListed })).length
  if ((await countIn(scope)) === (await countIn(operator.scope))) return
  const detail = 'is of somebody who also works elsewhere; the operator makes the link: holdfast user link'
  throw validationProblem([{ pointer: '/id', code: 'not_allowed', detail }])
}

const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * Replaces all links of the person who has an address by a new one, at a wish that anybody may send. For an unknown address
 * and for people who may not log in, runs the same statements and makes no link.
 */
export async function replaceLinks(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { email, tokens }: { email: string; tokens: LinkTokens },
): Promise<PasswordLink | undefined> {
  const user = await findUserWhoMayLogIn(tx.db, typedEmail(email))
  const userId = user?.id ?? nobody
  await deleteLinksOf(tx.db, userId)
  const link = await makeLink(context, tx, { userId: user?.id ?? null, tokens })
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

async function knownPerson(tx: Transaction, email: string): Promise<UsersTable> {
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
