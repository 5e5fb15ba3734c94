import { hash, timingSafeEqual } from 'node:crypto'
import { Problem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { daySeconds, plusSeconds, secondsUntil } from '../base/instants.ts'
import type { CleanupJob } from '../database/context.ts'
import type { Transaction } from '../database/database.ts'
import type { ProgramScope } from '../database/tables.ts'
import { effectivePlan, type PersonActor, personActor } from './actor.ts'
import { type Author, recordAudit } from './audit.ts'
import type { Context } from './context.ts'
import {
  deleteGrants,
  deleteOldGrants,
  deleteOldTokens,
  deleteToken,
  findGranted,
  findGrantOfCode,
  findGrants,
  findLiveGrant,
  findToken,
  insertGrant,
  insertTokens,
  takeCode,
  takeRefreshToken,
  updateGrant,
  useProgram,
} from './program-queries.ts'
import { coversProgramScope } from './program-rules.ts'
import { isPersonToken, newToken, tokenDigest } from './token.ts'

/*
 * A grant lets a program act for a person in one business, within the rights of that person. Its code works once, and
 * each refresh token is replaced by the next. Reuse of either ends the grant, because somebody else has it.
 */

/** A code must be exchanged within this time. */
const codeSeconds = 60
/** Life of an access token. */
export const accessSeconds = 3_600
/** A grant ends if its program does not renew its tokens for this long. */
const refreshSeconds = 60 * daySeconds
/** Reuse of a replaced refresh token is noticed for this long. */
const replacedSeconds = 7 * daySeconds
/** Requests write the time of the last use at most this often. */
const usedSeconds = 300
/** Grants that a list shows. */
const maxListed = 200

/** The decision of a person. */
export interface Consent {
  programId: string
  placeId: string
  businessId: string
  scope: ProgramScope
  redirectUri: string
  challenge: string
}

/** Allows a program to act for a person. Returns the code, or undefined if the program no longer exists. */
export function allowProgram(
  context: Context,
  person: PersonActor,
  { programId, placeId, businessId, scope, redirectUri, challenge }: Consent,
): Promise<string | undefined> {
  const code = newToken('code', context.ids)
  return context.db.transaction(async (tx) => {
    if (!(await useProgram(tx.db, programId, tx.now))) return undefined
    const id = context.ids.next()
    const grant = {
      ...{ id, program_id: programId, user_id: person.userId, place_id: placeId, business_id: businessId },
      ...{ scope, created_at: tx.now, last_used_at: null, expires_at: plusSeconds(tx.now, codeSeconds) },
    }
    await insertGrant(tx.db, grant, { digest: tokenDigest(code), redirect_uri: redirectUri, challenge })
    await recordAudit(context, tx, { by: person, action: 'program.allowed', subjectId: id, businessId })
    return code
  })
}

/** New tokens of a program. */
export interface ProgramTokens {
  access: string
  refresh: string
  scope: ProgramScope
}

/**
 * Exchanges a code for tokens. OAuth 2.1 (10.1) no longer sends `redirectUri` here. Returns undefined if the code is
 * unknown, expired or used, or not of this request. Any attempt uses the code up, and a failed one ends its grant.
 * Tokens replace those of the same program, person and business.
 */
export function exchangeCode(
  context: Context,
  {
    code,
    programId,
    redirectUri,
    verifier,
  }: { code: string; programId: string; redirectUri: string | undefined; verifier: string },
): Promise<ProgramTokens | undefined> {
  if (!isPersonToken(code, 'code')) return Promise.resolve(undefined)
  return context.db.transaction(async (tx) => {
    const digest = tokenDigest(code)
    const taken = await takeCode(tx.db, digest, tx.now)
    const grantId = taken?.grant_id ?? (await findGrantOfCode(tx.db, digest))
    if (grantId === undefined) return undefined
    const grant = await findLiveGrant(tx.db, grantId)
    const isRight =
      taken !== undefined &&
      taken.expires_at > tx.now &&
      (redirectUri === undefined || taken.redirect_uri === redirectUri) &&
      answersChallenge(verifier, taken.challenge) &&
      grant?.program_id === programId
    if (!grant || !isRight) {
      await endGrants(context, tx, { by: 'system', id: grantId })
      return undefined
    }
    const { user_id: userId, business_id: businessId, scope } = grant
    await endGrants(context, tx, { by: 'system', programId, userId, businessId, except: grantId })
    return issueTokens(context, tx, { grant, scope })
  })
}

const verifierPattern = /^[\w.~-]{43,128}$/

/** True if a challenge was made from a verifier (RFC 7636, S256). */
function answersChallenge(verifier: string, challenge: string): boolean {
  if (!verifierPattern.test(verifier)) return false
  const made = hash('sha256', verifier, 'base64url')
  return made.length === challenge.length && timingSafeEqual(Buffer.from(made), Buffer.from(challenge))
}

/**
 * Exchanges a refresh token for new tokens. Returns undefined if it is unknown, expired or replaced, or of another
 * program. Reuse of a replaced one ends the grant. `scope` limits the access token; insufficient rights are
 * `invalid_scope`.
 */
export function refreshTokens(
  context: Context,
  { token, programId, scope }: { token: string; programId: string; scope: ProgramScope | undefined },
): Promise<ProgramTokens | 'invalid_scope' | undefined> {
  if (!isPersonToken(token, 'refresh')) return Promise.resolve(undefined)
  return context.db.transaction(async (tx) => {
    const digest = tokenDigest(token)
    const found = await findToken(tx.db, digest)
    if (found?.kind !== 'refresh') return undefined
    const { grant_id: grantId, scope: granted } = found
    const isOwn = found.program_id === programId
    if (isOwn && scope && !coversProgramScope(granted, scope)) return 'invalid_scope' as const
    const keptUntil = plusSeconds(tx.now, replacedSeconds)
    const taken = await takeRefreshToken(tx.db, digest, { now: tx.now, keptUntil })
    const grant = await findLiveGrant(tx.db, grantId)
    if (!taken || !isOwn || !grant) {
      await endGrants(context, tx, { by: 'system', id: grantId })
      return undefined
    }
    await useProgram(tx.db, programId, tx.now)
    return issueTokens(context, tx, { grant, scope: scope ?? granted })
  })
}

async function issueTokens(
  context: Context,
  tx: Transaction,
  { grant, scope }: { grant: NonNullable<Awaited<ReturnType<typeof findLiveGrant>>>; scope: ProgramScope },
): Promise<ProgramTokens> {
  const access = newToken('access', context.ids)
  const refresh = newToken('refresh', context.ids)
  const expires_at = plusSeconds(tx.now, refreshSeconds)
  const common = { grant_id: grant.id, business_id: grant.business_id, replaced_at: null }
  await insertTokens(tx.db, [
    {
      ...{ ...common, digest: tokenDigest(access), kind: 'access', scope },
      expires_at: plusSeconds(tx.now, accessSeconds),
    },
    { ...common, digest: tokenDigest(refresh), kind: 'refresh', scope: grant.scope, expires_at },
  ])
  await updateGrant(tx.db, grant.id, { expires_at })
  return { access, refresh, scope }
}

/** Revokes a token of a program (RFC 7009). A refresh token ends its grant. Does nothing for any other token. */
export async function revokeToken(
  context: Context,
  { token, programId }: { token: string; programId: string },
): Promise<void> {
  if (!isPersonToken(token, 'access') && !isPersonToken(token, 'refresh')) return
  await context.db.transaction(async (tx) => {
    const digest = tokenDigest(token)
    const found = await findToken(tx.db, digest)
    if (found?.program_id !== programId) return
    if (found.kind === 'access') await deleteToken(tx.db, digest)
    else await endGrants(context, tx, { by: 'system', id: found.grant_id })
  })
}

/**
 * Finds the person for whom a program acts. Returns undefined if the token has expired, the grant was revoked, or the
 * person may no longer enter the business. The database is read each time, so this applies on every server at once.
 */
export async function findProgramActor(context: Context, token: string): Promise<PersonActor | undefined> {
  const now = context.clock.now()
  const found = await findGranted(context.db.reads, tokenDigest(token), now)
  if (!found) return undefined
  if (found.last_used_at === null || secondsUntil(found.last_used_at, now) > usedSeconds)
    await context.db.transaction((tx) => updateGrant(tx.db, found.id, { last_used_at: tx.now }))
  const plan = effectivePlan(found.business_plan, found.hub_plan)
  const place = { keyId: found.id, scope: { businessId: found.business_id }, plan }
  return { ...personActor(found, place), grant: { id: found.id, program: found.program, scope: found.scope } }
}

/** A grant for display. */
export type ShownGrant = Awaited<ReturnType<typeof findGrants>>[number]

/** Lists the grants of a person, or those of all people in a business, the newest first. */
export function listGrants(
  context: Context,
  of: { userId: string } | { businessId: string },
): Promise<ShownGrant[]> {
  return findGrants(context.db.reads, of, { now: context.clock.now(), max: maxListed })
}

/** Revokes a grant of a person, or in a business. Takes effect on every server at once. Throws not_found. */
export async function revokeGrant(
  context: Context,
  by: PersonActor,
  { id, ...of }: { id: string } & ({ userId: string } | { businessId: string }),
): Promise<void> {
  const ended = isUuid(id)
    ? await context.db.transaction((tx) => endGrants(context, tx, { by, id: id.toLowerCase(), ...of }))
    : 0
  if (ended === 0) throw new Problem('not_found', 'There is no program with this id.')
}

/** Ends grants with their tokens, and returns their number. */
export async function endGrants(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { by, ...filter }: { by: Author } & Parameters<typeof deleteGrants>[1],
): Promise<number> {
  const ended = await deleteGrants(tx.db, filter)
  for (const { id, business_id: businessId } of ended)
    await recordAudit(context, tx, { by, action: 'program.revoked', subjectId: id, businessId })
  return ended.length
}

/** Deletes grants whose program has not renewed its tokens, and codes that were never exchanged. */
export const oldGrants: CleanupJob<Context> = {
  name: 'expired grants of programs',
  deleteBatch: ({ db }, max) => db.transaction((tx) => deleteOldGrants(tx.db, tx.now, max)),
}

/** Deletes expired tokens. */
export const oldProgramTokens: CleanupJob<Context> = {
  name: 'expired tokens of programs',
  deleteBatch: ({ db }, max) => db.transaction((tx) => deleteOldTokens(tx.db, tx.now, max)),
}
