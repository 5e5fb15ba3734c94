import { isEmail } from '../base/contact-formats.ts'
import { type FieldError, Problem, validationProblem } from '../base/errors.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import type { UsersTable } from '../database/tables.ts'
import { operator, type PersonActor } from './actor.ts'
import type { Queries } from '../database/database.ts'
import type { Context } from './context.ts'
import {
  deleteEmailChangeOf,
  expireInvitations,
  findEmailChange,
  putEmailChange,
  takeEmailChange,
} from './invitation-queries.ts'
import { authorOf, type Invitee } from './invitation.ts'
import { limitedTries, type Limited, type LogInOrigin } from './log-in.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { passwordFault, type PasswordFault } from './password-rules.ts'
import { linkMinutes, linkTokens } from './person-link.ts'
import type { PersonMails } from './person-mails.ts'
import {
  deleteLinksOf,
  deleteRecoveryCodes,
  endLogInsOf,
  findLogInsOf,
  findUser,
  findUserByEmail,
  insertRecoveryCodes,
  isLogInOpen,
  lockUser,
  updateUser,
} from './person-queries.ts'
import {
  endSecondStepOf,
  isPersonName,
  knownPerson,
  nameRule,
  personEmail,
  recordOfPerson,
} from './person.ts'
import type { RateLimiter } from './rate-limits.ts'
import { tokenDigest } from './token.ts'
import {
  base32,
  plainCode,
  recoveryCode,
  recoveryDigest,
  totpAddress,
  totpSecretBytes,
  totpStep,
} from './totp.ts'

/* The operations of people on their own account: password, second step, log-ins. */

const maxShownLogIns = 100
const recoveryCodes = 10
const recoveryBytes = 10

/** A log-in as its person sees it. */
export interface ShownLogIn {
  device: string
  address: string | null
  createdAt: Instant
  lastSeenAt: Instant
  isPresent: boolean
}

/** The account as its person sees it. */
export interface ShownAccount extends Me {
  /** The open log-ins, the latest first. */
  logIns: ShownLogIn[]
}

/** Returns the account of a person with its log-ins. */
export async function showAccount(context: Context, person: PersonActor): Promise<ShownAccount> {
  const { reads } = context.db
  const now = context.clock.now()
  const rows = await findLogInsOf(reads, person.userId, { now, max: maxShownLogIns })
  const logIns = rows.map(({ id, device, address, created_at, last_seen_at }) => ({
    device,
    address,
    createdAt: created_at,
    lastSeenAt: last_seen_at,
    isPresent: id === person.logInId,
  }))
  return { ...(await showMe(context, person)), logIns }
}

/** A person's own account. */
interface Me {
  personId: string
  name: string
  email: string
  isProved: boolean
  /** A new address whose emailed link was not opened yet, or null. */
  newEmail: string | null
  hasSecondStep: boolean
}

/** Returns a person's own account. Throws not_found. */
export async function showMe(context: Context, { userId }: PersonActor): Promise<Me> {
  const user = await findUser(context.db.reads, userId)
  if (!user) throw new Problem('not_found', 'This account no longer exists.')
  const change = await findEmailChange(context.db.reads, userId, context.clock.now())
  return {
    personId: user.id,
    name: user.name,
    email: user.email,
    isProved: user.email_proved_at !== null,
    newEmail: change?.email ?? null,
    hasSecondStep: user.totp_since !== null,
  }
}

/** Changes a person's own name. Throws validation_failed. */
export function changeOwnName(context: Context, person: PersonActor, name: string): Promise<void> {
  const { userId } = person
  if (!isPersonName(name))
    throw validationProblem([{ pointer: '/name', code: 'invalid_format', detail: nameRule }])
  return context.db.transaction(async (tx) => {
    const user = await lockUser(tx.db, userId)
    if (!user || user.name === name.trim()) return
    await updateUser(tx.db, userId, { name: name.trim() })
    await recordOfPerson(context, tx, { by: person, action: 'user.updated', userId })
  })
}

/** An unproved new address expires after this time. */
const emailChangeSeconds = linkMinutes * 60

/**
 * Emails a link to a new address of a person, or to the present one until it is proved. The link replaces an earlier
 * one. The address changes when the person uses the link while logged in. Therefore neither a stolen mailbox nor a
 * stolen log-in is enough. A stranger who opens the email proves nothing. The answer never reveals if another account
 * has the address.
 */
export async function requestEmail(
  context: Context,
  person: PersonActor,
  { email: typed, mails }: { email: string; mails: PersonMails },
): Promise<void> {
  const email = personEmail(typed)
  if (!isEmail(email)) {
    const detail = 'must be an email address such as ada@example.com'
    throw validationProblem([{ pointer: '/email', code: 'invalid_format', detail }])
  }
  const id = context.ids.next()
  const tokens = await linkTokens(context, 'new address')
  await context.db.transaction(async (tx) => {
    await lockUser(tx.db, person.userId)
    await putEmailChange(tx.db, {
      ...{ id, user_id: person.userId, email, digest: tokenDigest(tokens(id)) },
      created_at: tx.now,
      expires_at: plusSeconds(tx.now, emailChangeSeconds),
    })
    await mails.address(tx, { id })
  })
}

/**
 * Proves an address by the token of an emailed link and makes it the address of the logged-in person. Returns `ended` for
 * another person's link, too, and `taken` if another account has the address.
 */
export function confirmEmail(
  context: Context,
  person: Invitee,
  token: string,
): Promise<'proved' | 'ended' | 'taken'> {
  const { userId } = person
  return context.db.transaction(async (tx) => {
    const user = await lockUser(tx.db, userId)
    if (!user || user.disabled_at || !(await isLogInOpen(tx.db, person.logInId))) return 'ended'
    const taken = await takeEmailChange(tx.db, { userId, digest: tokenDigest(token), now: tx.now })
    if (!taken) return 'ended'
    const { email } = taken
    const other = await findUserByEmail(tx.db, email)
    // if two run at once, the unique index refuses the later one, which can be tried again
    if (other && other.id !== userId) return 'taken'
    const by = authorOf(person)
    if (email !== user.email) {
      await deleteLinksOf(tx.db, userId) // they belonged to the previous address
      await expireInvitations(tx.db, user.email, tx.now)
      await recordOfPerson(context, tx, { by, action: 'user.address_changed', userId })
    }
    await updateUser(tx.db, userId, { email, email_proved_at: tx.now })
    await recordOfPerson(context, tx, { by, action: 'user.address_proved', userId })
    return 'proved'
  })
}

/**
 * Changes a person's name or address, for the operator. A new address is unproved. Throws not_found and
 * validation_failed.
 */
export function changeAccount(
  context: Context,
  email: string,
  { name, newEmail }: { name?: string | undefined; newEmail?: string | undefined },
): Promise<UsersTable> {
  return context.db.transaction(async (tx) => {
    const user = await knownPerson(tx, email)
    const address = newEmail === undefined ? user.email : personEmail(newEmail)
    const faults: FieldError[] = []
    if (!isEmail(address))
      faults.push({ pointer: '/email', code: 'invalid_format', detail: 'must be an email address' })
    if (name !== undefined && !isPersonName(name))
      faults.push({ pointer: '/name', code: 'invalid_format', detail: nameRule })
    const other = await findUserByEmail(tx.db, address)
    if (other && other.id !== user.id)
      faults.push({ pointer: '/email', code: 'repeated', detail: 'belongs to another account' })
    if (faults.length > 0) throw validationProblem(faults)
    const isMoved = address !== user.email
    if (isMoved) {
      await deleteLinksOf(tx.db, user.id)
      await deleteEmailChangeOf(tx.db, user.id)
      await expireInvitations(tx.db, user.email, tx.now)
    }
    const columns = {
      name: name?.trim() ?? user.name,
      email: address,
      email_proved_at: isMoved ? null : user.email_proved_at,
    }
    await updateUser(tx.db, user.id, columns)
    const action = isMoved ? 'user.address_changed' : 'user.updated'
    await recordOfPerson(context, tx, { by: operator, action, userId: user.id })
    return { ...user, ...columns }
  })
}

/** Ends all log-ins of a person except the present one. */
export async function endOtherLogIns(context: Context, person: PersonActor): Promise<void> {
  const { userId, logInId } = person
  await context.db.transaction(async (tx) => {
    if ((await endLogInsOf(tx.db, userId, { now: tx.now, but: logInId })) === 0) return
    await recordOfPerson(context, tx, { by: person, action: 'user.log_ins_ended', userId })
  })
}

/** The person who asks, and the password that proves it. */
interface Asked {
  person: PersonActor
  password: string
  origin: LogInOrigin
}

type Outcome<T extends object> = T | { outcome: 'wrong' } | Limited

/**
 * Replaces the password and ends all other log-ins and links of the person. The present password is checked as at a
 * log-in. Throws unavailable.
 */
export async function changePassword(
  context: Context,
  limiter: RateLimiter,
  { next, ...asked }: Asked & { next: string },
): Promise<Outcome<{ outcome: 'set' } | { outcome: 'fault'; fault: PasswordFault }>> {
  const { person } = asked
  const refused = await refusal(context, limiter, asked)
  if (refused) return refused
  const fault = passwordFault(next, { email: person.email })
  if (fault !== undefined) return { outcome: 'fault', fault }
  const hash = await hashPassword(next, context.ids)
  await context.db.transaction(async (tx) => {
    await updateUser(tx.db, person.userId, { password_hash: hash, password_set_at: tx.now })
    await endLogInsOf(tx.db, person.userId, { now: tx.now, but: person.logInId })
    await deleteLinksOf(tx.db, person.userId)
    const { userId } = person
    await recordOfPerson(context, tx, { by: person, action: 'user.password_changed', userId })
  })
  return { outcome: 'set' }
}

/** Checks the present password as at a log-in. Returns undefined if it is right. Throws unavailable. */
export async function refusal(
  context: Context,
  limiter: RateLimiter,
  { person, password, origin }: Asked,
): Promise<Limited | { outcome: 'wrong' } | undefined> {
  const limited = await limitedTries(context, limiter, { email: person.email, origin })
  if (limited) return limited
  const user = await findUser(context.db.reads, person.userId)
  return (await verifyPassword(password, user?.password_hash ?? null)) ? undefined : { outcome: 'wrong' }
}

/** A new secret, which takes effect once one of its codes is confirmed. */
interface NewSecondStep {
  secret: string
  /** The URL for an authenticator on the same device. */
  address: string
}

/**
 * Creates the secret of an authenticator. Requires the present password, so that a stolen log-in cannot lock its person
 * out. Returns `present` if an authenticator is in use. Throws unavailable.
 */
export async function beginSecondStep(
  context: Context,
  limiter: RateLimiter,
  asked: Asked,
): Promise<Outcome<({ outcome: 'begun' } & NewSecondStep) | { outcome: 'present' }>> {
  const refused = await refusal(context, limiter, asked)
  if (refused) return refused
  const { userId, email } = asked.person
  const secret = base32(context.ids.bytes(totpSecretBytes))
  return context.db.transaction(async (tx) => {
    const user = await lockUser(tx.db, userId)
    if (!user || user.totp_since) return { outcome: 'present' as const }
    await updateUser(tx.db, user.id, { totp_secret: secret, totp_step: 0 })
    return { outcome: 'begun' as const, secret, address: totpAddress(secret, email) }
  })
}

/** Enables codes and returns the recovery codes, which are shown once. Returns undefined for a wrong code. */
export async function confirmSecondStep(
  context: Context,
  limiter: RateLimiter,
  { person, code, origin }: { person: PersonActor; code: string; origin: LogInOrigin },
): Promise<Outcome<{ outcome: 'set'; codes: string[] }>> {
  const { userId, email } = person
  const limited = await limitedTries(context, limiter, { email, origin })
  if (limited) return limited
  const codes = newRecoveryCodes(context)
  return context.db.transaction(async (tx) => {
    const user = await lockUser(tx.db, userId)
    if (!user?.totp_secret || user.totp_since) return { outcome: 'wrong' as const }
    const nowMs = context.clock.nowMs()
    const step = totpStep(user.totp_secret, plainCode(code), { nowMs, lastStep: user.totp_step })
    if (step === undefined) return { outcome: 'wrong' as const }
    await updateUser(tx.db, userId, { totp_since: tx.now, totp_step: step })
    await replaceRecoveryCodes(tx.db, userId, codes)
    await endLogInsOf(tx.db, userId, { now: tx.now, but: person.logInId }) // they began without a code
    await recordOfPerson(context, tx, { by: person, action: 'user.second_step_added', userId })
    return { outcome: 'set' as const, codes }
  })
}

function newRecoveryCodes({ ids }: Context): string[] {
  return Array.from({ length: recoveryCodes }, () => recoveryCode(ids.bytes(recoveryBytes)))
}

async function replaceRecoveryCodes(db: Queries, userId: string, codes: string[]): Promise<void> {
  await deleteRecoveryCodes(db, userId)
  await insertRecoveryCodes(
    db,
    codes.map((one) => ({ user_id: userId, digest: recoveryDigest(one), used_at: null })),
  )
}

/** Replaces the recovery codes, which are shown once. The authenticator stays. Throws unavailable. */
export async function renewRecoveryCodes(
  context: Context,
  limiter: RateLimiter,
  asked: Asked,
): Promise<Outcome<{ outcome: 'set'; codes: string[] }>> {
  const refused = await refusal(context, limiter, asked)
  if (refused) return refused
  const { person } = asked
  const { userId } = person
  const codes = newRecoveryCodes(context)
  return context.db.transaction(async (tx) => {
    const user = await lockUser(tx.db, userId)
    if (!user?.totp_since) return { outcome: 'wrong' as const } // disabled in the meantime
    await replaceRecoveryCodes(tx.db, userId, codes)
    await recordOfPerson(context, tx, { by: person, action: 'user.recovery_codes_renewed', userId })
    return { outcome: 'set' as const, codes }
  })
}

/** Disables codes. Throws unavailable. */
export async function endSecondStep(
  context: Context,
  limiter: RateLimiter,
  asked: Asked,
): Promise<Outcome<{ outcome: 'ended' }>> {
  const refused = await refusal(context, limiter, asked)
  if (refused) return refused
  const { person: by } = asked
  await context.db.transaction((tx) => endSecondStepOf(context, tx, { by, userId: by.userId }))
  return { outcome: 'ended' }
}
