import type { Instant } from '../base/instants.ts'
import type { PersonActor } from './actor.ts'
import type { Queries } from '../database/database.ts'
import type { Context } from './context.ts'
import { limitedTries, type Limited, type LogInOrigin } from './log-in.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { passwordFault, type PasswordFault } from './password-rules.ts'
import {
  deleteLinksOf,
  deleteRecoveryCodes,
  endLogInsOf,
  findLogInsOf,
  findUser,
  insertRecoveryCodes,
  lockUser,
  updateUser,
} from './person-queries.ts'
import { endSecondStepOf, recordOfPerson } from './person.ts'
import type { RateLimiter } from './rate-limits.ts'
import {
  base32,
  plainCode,
  recoveryCode,
  recoveryDigest,
  totpAddress,
  totpSecretBytes,
  totpStep,
} from './totp.ts'

/* What people do with their own account: their password, the second step of logging in, their log-ins. */

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

/** The log-ins of a person that have not ended, the latest first, and whether a log-in needs a code. */
export async function showAccount(
  context: Context,
  person: PersonActor,
): Promise<{ logIns: ShownLogIn[]; hasSecondStep: boolean }> {
  const { reads } = context.db
  const now = context.clock.now()
  const rows = await findLogInsOf(reads, person.userId, { now, max: maxShownLogIns })
  const user = await findUser(reads, person.userId)
  const logIns = rows.map(({ id, device, address, created_at, last_seen_at }) => ({
    device,
    address,
    createdAt: created_at,
    lastSeenAt: last_seen_at,
    isPresent: id === person.logInId,
  }))
  return { logIns, hasSecondStep: Boolean(user?.totp_since) }
}

/** Ends all log-ins of a person but the present one. */
export async function endOtherLogIns(context: Context, person: PersonActor): Promise<void> {
  const { userId, logInId } = person
  await context.db.transaction(async (tx) => {
    if ((await endLogInsOf(tx.db, userId, { now: tx.now, but: logInId })) === 0) return
    await recordOfPerson(context, tx, { by: person, action: 'user.log_ins_ended', userId })
  })
}

/** Who asks, and by which password they show that it is them. */
interface Asked {
  person: PersonActor
  password: string
  origin: LogInOrigin
}

type Outcome<T extends object> = T | { outcome: 'wrong' } | Limited

/**
 * Replaces the password, and ends all other log-ins and links of the person. The present password is tried as at a log-in.
 * Throws unavailable.
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

async function refusal(
  context: Context,
  limiter: RateLimiter,
  { person, password, origin }: Asked,
): Promise<Limited | { outcome: 'wrong' } | undefined> {
  const { userId, email } = person
  const limited = await limitedTries(context, limiter, { email, userId, origin })
  if (limited) return limited
  const user = await findUser(context.db.reads, userId)
  return (await verifyPassword(password, user?.password_hash ?? null)) ? undefined : { outcome: 'wrong' }
}

/** A new secret, which works once a code of it was confirmed. */
interface NewSecondStep {
  secret: string
  /** For an authenticator on the same device. */
  address: string
}

/** Makes the secret of an authenticator. Undefined where one is in use. */
export function beginSecondStep(context: Context, person: PersonActor): Promise<NewSecondStep | undefined> {
  const secret = base32(context.ids.bytes(totpSecretBytes))
  return context.db.transaction(async (tx) => {
    const user = await lockUser(tx.db, person.userId)
    if (!user || user.totp_since) return undefined
    await updateUser(tx.db, user.id, { totp_secret: secret, totp_step: 0 })
    return { secret, address: totpAddress(secret, person.email) }
  })
}

/** Asks for codes from now on, and returns the recovery codes, which are shown once. Undefined for a wrong code. */
export async function confirmSecondStep(
  context: Context,
  limiter: RateLimiter,
  { person, code, origin }: { person: PersonActor; code: string; origin: LogInOrigin },
): Promise<Outcome<{ outcome: 'set'; codes: string[] }>> {
  const { userId, email } = person
  const limited = await limitedTries(context, limiter, { email, userId, origin })
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
    await endLogInsOf(tx.db, userId, { now: tx.now, but: person.logInId }) // they came without a code
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

/** Replaces the recovery codes, which are shown once; the authenticator stays. Throws unavailable. */
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
    if (!user?.totp_since) return { outcome: 'wrong' as const } // ended meanwhile
    await replaceRecoveryCodes(tx.db, userId, codes)
    await recordOfPerson(context, tx, { by: person, action: 'user.recovery_codes_renewed', userId })
    return { outcome: 'set' as const, codes }
  })
}

/** Asks for codes no more. Throws unavailable. */
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
