import { hash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Config } from '../base/config.ts'
import { type Instant, instantFromMs } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import type { CleanupJob } from '../database/context.ts'
import type { PasskeysTable } from '../database/tables.ts'
import type { PersonActor } from './actor.ts'
import type { Context } from './context.ts'
import { beginLogIn, type Limited, type LogInOrigin } from './log-in.ts'
import {
  deleteOldChallenges,
  findPasskey,
  findPasskeysOf,
  hasPasskeys,
  insertPasskey,
  renamePasskeyOf,
  takeChallenge,
  usePasskey,
} from './passkey-queries.ts'
import { isLogInOpen, lockUser } from './person-queries.ts'
import { endPasskeysOf, isPersonName, recordOfPerson } from './person.ts'
import { quotasOfLogIn } from './rate-limit-rules.ts'
import type { RateLimiter } from './rate-limits.ts'
import { newToken } from './token.ts'

/*
 * Passkeys (WebAuthn) log in without a password. The authenticator verifies its person, so a passkey counts as both
 * steps. A challenge proves itself by a digest, so that requests of strangers store nothing.
 */

export const maxPasskeys = 20
const challengeSeconds = 600
const expiryBytes = 6
const nonceBytes = 16
const digestBytes = 32
/** At most 1,023 bytes in base64url. */
const credentialPattern = /^[\w-]{1,1364}$/
/** EdDSA, ES256 and RS256. The default would include algorithms that Node still calls experimental. */
const algorithms = [-8, -7, -257]

/** The host to which passkeys are bound, and the origin of the pages where they work. */
export interface PasskeySite {
  host: string
  origin: string
}

/**
 * Returns the site of PUBLIC_URL. Passkeys need a host name, so the loopback address becomes `localhost`, and another IP
 * address has none. Nor does any with OIDC_ONLY.
 */
export function passkeySite(
  config: Pick<Config, 'publicUrl' | 'host' | 'port' | 'oidcOnly'>,
): PasskeySite | undefined {
  if (config.oidcOnly) return undefined
  const { protocol, hostname, port, origin } = new URL(publicUrl(config))
  const ip = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(ip) === 0) return { host: hostname, origin }
  if (!ip.startsWith('127.') && ip !== '::1') return undefined
  return { host: 'localhost', origin: `${protocol}//localhost${port === '' ? '' : `:${port}`}` }
}

/** Returns the site of passkeys if anybody can log in with one there. */
export async function passkeySiteInUse(context: Context): Promise<PasskeySite | undefined> {
  const site = passkeySite(context.config)
  return site && (await hasPasskeys(context.db.reads, site.host)) ? site : undefined
}

/** Returns a challenge for one purpose: an action, and who may use it. It is valid for ten minutes. */
async function newChallenge(context: Context, purpose: string): Promise<Buffer> {
  const expiry = Buffer.alloc(expiryBytes)
  expiry.writeUIntBE(context.clock.nowMs() + challengeSeconds * 1_000, 0, expiryBytes)
  const body = Buffer.concat([expiry, context.ids.bytes(nonceBytes)])
  return Buffer.concat([body, await proofOf(context, body, purpose)])
}

async function proofOf({ secret }: Context, body: Buffer, purpose: string): Promise<Buffer> {
  const digest = await secret.digester('passkey challenge')
  return Buffer.from(digest(`${purpose}\n${body.toString('hex')}`), 'base64url')
}

/** Returns the expiry of a challenge. Undefined for an expired one and for one that this server has not made. */
async function expiryOf(context: Context, challenge: string, purpose: string): Promise<Instant | undefined> {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== expiryBytes + nonceBytes + digestBytes) return undefined
  const body = bytes.subarray(0, -digestBytes)
  if (!timingSafeEqual(bytes.subarray(-digestBytes), await proofOf(context, body, purpose))) return undefined
  const expiresMs = body.readUIntBE(0, expiryBytes)
  return expiresMs > context.clock.nowMs() ? instantFromMs(expiresMs) : undefined
}

/** An answer of an authenticator, as the JSON of a browser, and the challenge to use up with its effect. */
interface Answer<Response> {
  response: Response
  challenge: string
  digest: string
  expiresAt: Instant
}

/** Reads an answer. Undefined for malformed JSON, and for a challenge with an invalid purpose or age. */
async function readAnswer<Response extends AuthenticationResponseJSON | RegistrationResponseJSON>(
  context: Context,
  purpose: string,
  text: string,
): Promise<Answer<Response> | undefined> {
  let response: Response, challenge: string
  try {
    response = JSON.parse(text) as Response // the library checks each part
    if (!credentialPattern.test(response.id)) return undefined
    const client = Buffer.from(response.response.clientDataJSON, 'base64url').toString()
    challenge = String((JSON.parse(client) as { challenge: unknown }).challenge)
  } catch {
    return undefined
  }
  const expiresAt = await expiryOf(context, challenge, purpose)
  return expiresAt && { response, challenge, digest: hash('sha256', challenge, 'hex'), expiresAt }
}

/** Runs a check of the library, which throws for every fault of an answer. Undefined for one. */
async function unlessRefused<T>(context: Context, check: () => Promise<T>): Promise<T | undefined> {
  try {
    return await check()
  } catch (error) {
    context.log.info({ err: error }, 'a passkey was refused')
    return undefined
  }
}

/** Loaded late, because a server without passkeys never needs it. */
const webAuthn = () => import('@simplewebauthn/server')

/** Returns the bytes by which an authenticator knows a person. */
function handleOf(userId: string): Buffer<ArrayBuffer> {
  return Buffer.from(userId.replaceAll('-', ''), 'hex')
}

/** Returns the options with which a browser creates a passkey of a person. */
export async function newPasskeyOptions(
  context: Context,
  { host }: PasskeySite,
  person: PersonActor,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await webAuthn()
  const present = await findPasskeysOf(context.db.reads, person.userId)
  return generateRegistrationOptions({
    ...{ rpName: 'Holdfast', rpID: host, userID: handleOf(person.userId) },
    ...{ userName: person.email, userDisplayName: person.name },
    challenge: new Uint8Array(await newChallenge(context, purposeOfNew(person))),
    timeout: challengeSeconds * 1_000,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: present
      .filter((one) => one.host === host)
      .map(({ credential_id }) => ({ id: credential_id })),
  })
}

function purposeOfNew({ logInId }: PersonActor): string {
  return `new\n${logInId}`
}

/**
 * Adds the passkey that a browser has created for the present log-in. `response` is its JSON. Returns `full` beyond
 * twenty passkeys.
 */
export async function addPasskey(
  context: Context,
  { host, origin }: PasskeySite,
  { person, name, response }: { person: PersonActor; name: string; response: string },
): Promise<'added' | 'refused' | 'full' | 'name'> {
  if (!isPersonName(name)) return 'name'
  const answer = await readAnswer<RegistrationResponseJSON>(context, purposeOfNew(person), response)
  if (!answer) return 'refused'
  const { verifyRegistrationResponse } = await webAuthn()
  const result = await unlessRefused(context, () =>
    verifyRegistrationResponse({
      ...{ response: answer.response, expectedChallenge: answer.challenge },
      ...{ expectedOrigin: origin, expectedRPID: host },
      ...{ requireUserVerification: true, supportedAlgorithmIDs: algorithms },
    }),
  )
  const credential = result?.registrationInfo?.credential
  if (!result?.verified || !credential) return 'refused'
  const { userId, logInId } = person
  return context.db.transaction(async (tx) => {
    const user = await lockUser(tx.db, userId)
    if (!user || user.disabled_at || !(await isLogInOpen(tx.db, logInId))) return 'refused'
    if (!(await takeChallenge(tx.db, answer.digest, answer.expiresAt))) return 'refused'
    const taken = new Set((await findPasskeysOf(tx.db, userId)).map(({ ordinal }) => ordinal))
    const ordinal = Array.from({ length: maxPasskeys }, (_, index) => index).find((one) => !taken.has(one))
    if (ordinal === undefined) return 'full'
    const isInserted = await insertPasskey(tx.db, {
      ...{ id: context.ids.next(), user_id: userId, ordinal, host, name: name.trim() },
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      ...{ created_at: tx.now, last_used_at: null },
    })
    if (!isInserted) return 'refused'
    await recordOfPerson(context, tx, { by: person, action: 'user.passkey_added', userId })
    return 'added'
  })
}

/** Returns the options with which a browser asks its person for a passkey. `browser` is a secret of its cookie. */
export async function logInOptions(
  context: Context,
  { host }: PasskeySite,
  browser: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await webAuthn()
  return generateAuthenticationOptions({
    rpID: host,
    challenge: new Uint8Array(await newChallenge(context, purposeOfLogIn(browser))),
    timeout: challengeSeconds * 1_000,
    userVerification: 'required',
  })
}

function purposeOfLogIn(browser: string): string {
  return `log in\n${browser}`
}

type PasskeyLogIn = { outcome: 'in'; token: string; email: string } | { outcome: 'refused' } | Limited

/**
 * Logs in the person of a passkey, without a second step. `response` is the JSON of the browser that asked for the
 * challenge. Attempts are limited by address.
 */
export async function logInByPasskey(
  context: Context,
  limiter: RateLimiter,
  {
    site,
    response,
    browser,
    origin,
  }: { site: PasskeySite; response: string; browser: string; origin: LogInOrigin },
): Promise<PasskeyLogIn> {
  const quotas = quotasOfLogIn(origin.client, undefined, context.config.rateLimitFactor)
  const { allowed, retryAfterSeconds } = await limiter.count(quotas)
  if (!allowed) return { outcome: 'limited', retryAfterSeconds }
  const answer = await readAnswer<AuthenticationResponseJSON>(context, purposeOfLogIn(browser), response)
  const found = answer && (await verifiedPasskey(context, site, answer))
  if (!found) return { outcome: 'refused' }
  const { passkey, counter } = found
  const token = newToken('login', context.ids)
  return context.db.transaction(async (tx): Promise<PasskeyLogIn> => {
    const user = await lockUser(tx.db, passkey.user_id)
    if (!user || user.disabled_at) return { outcome: 'refused' }
    if (!(await takeChallenge(tx.db, answer.digest, answer.expiresAt))) return { outcome: 'refused' }
    if (!(await usePasskey(tx.db, passkey.id, { counter, now: tx.now }))) return { outcome: 'refused' }
    const isIn = await beginLogIn(context, tx, { userId: user.id, token, origin, needsCode: false })
    return isIn ? { outcome: 'in', token, email: user.email } : { outcome: 'refused' }
  })
}

/** Verifies an answer with the stored passkey of its credential. Returns it with the new count of signatures. */
async function verifiedPasskey(
  context: Context,
  { host, origin }: PasskeySite,
  { response, challenge }: Answer<AuthenticationResponseJSON>,
): Promise<{ passkey: PasskeysTable; counter: number } | undefined> {
  const passkey = await findPasskey(context.db.reads, response.id)
  if (passkey?.host !== host) return undefined
  // the authenticator names the person whom it knows
  if (response.response.userHandle !== handleOf(passkey.user_id).toString('base64url')) return undefined
  const { verifyAuthenticationResponse } = await webAuthn()
  const result = await unlessRefused(context, () =>
    verifyAuthenticationResponse({
      ...{ response, expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: host },
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
        counter: passkey.counter,
      },
    }),
  )
  return result?.verified ? { passkey, counter: result.authenticationInfo.newCounter } : undefined
}

/** A passkey as its person sees it. */
export interface ShownPasskey {
  id: string
  name: string
  createdAt: Instant
  lastUsedAt: Instant | null
  /** The other host of a passkey that no longer works, because PUBLIC_URL has changed. Null for the present one. */
  otherHost: string | null
}

/** Lists the passkeys of a person, the newest first. */
export async function listPasskeys(context: Context, { userId }: PersonActor): Promise<ShownPasskey[]> {
  const site = passkeySite(context.config)
  const passkeys = await findPasskeysOf(context.db.reads, userId)
  return passkeys.map(({ id, name, created_at, last_used_at, host }) => ({
    ...{ id, name, createdAt: created_at, lastUsedAt: last_used_at },
    otherHost: host === site?.host ? null : host,
  }))
}

/** Renames a passkey of a person. Returns false for an invalid name. Does nothing if the passkey is gone. */
export async function renamePasskey(
  context: Context,
  person: PersonActor,
  { id, name }: { id: string; name: string },
): Promise<boolean> {
  if (!isPersonName(name)) return false
  const { userId } = person
  await context.db.transaction(async (tx) => {
    if (!(await renamePasskeyOf(tx.db, userId, { id, name: name.trim() }))) return
    await recordOfPerson(context, tx, { by: person, action: 'user.updated', userId })
  })
  return true
}

/** Removes a passkey of a person. Does nothing if it is gone. */
export function removePasskey(context: Context, person: PersonActor, id: string): Promise<void> {
  const { userId } = person
  return context.db.transaction((tx) => endPasskeysOf(context, tx, { by: person, userId, id }))
}

/** Deletes used challenges, which nobody can answer any more. */
export const oldChallenges: CleanupJob = {
  name: 'used challenges of passkeys',
  deleteBatch: ({ db }, max) => db.transaction((tx) => deleteOldChallenges(tx.db, tx.now, max)),
}
