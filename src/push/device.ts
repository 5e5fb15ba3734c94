import type { PersonActor } from '../access/actor.ts'
import { recordOfPerson } from '../access/person.ts'
import { validationProblem } from '../base/errors.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import {
  quietHoursErrors,
  quietHoursIn,
  quietTimeErrors,
  type QuietHours,
} from '../catalogue/mail-settings-rules.ts'
import type { CleanupJob } from '../database/context.ts'
import { RetryTransaction } from '../database/database.ts'
import { checkDestination } from '../webhooks/addresses.ts'
import type { Context } from './context.ts'
import { pushKeys } from './push-keys.ts'
import {
  deleteDevice,
  deleteEndpoint,
  deleteOldDevices,
  deleteOldPushes,
  findDevices,
  findSettings,
  insertDevice,
  insertTests,
  putSettings,
  useDevice,
} from './push-queries.ts'
import { type ChosenKind, pushKinds, unusedDeviceSeconds, usualKinds } from './push-rules.ts'

/* The devices of a person, and what they want to be notified of. */

/** A browser's subscription at its push service, with its keys in base64url (RFC 8291). */
interface Subscription {
  endpoint: string
  p256dh: string
  auth: string
}

const publicKeyBytes = 65
const authBytes = 16

/** Adds a device of a person, or replaces their longest unused one. Throws validation_failed. */
export async function addDevice(
  context: Context,
  person: PersonActor,
  { device, locale, ...subscription }: Subscription & { device: string; locale: string },
): Promise<void> {
  const { endpoint, p256dh, auth } = subscription
  await checkDestination(context, endpoint, { example: 'https://push.example.com/…' })
  const isKey = (text: string, bytes: number) => Buffer.from(text, 'base64url').length === bytes
  if (!isKey(p256dh, publicKeyBytes) || !isKey(auth, authBytes))
    throw validationProblem([
      { pointer: '/p256dh', code: 'invalid_format', detail: 'must be a key of a browser' },
    ])
  const { userId, logInId } = person
  await context.db.transaction(async (tx) => {
    await deleteEndpoint(tx.db, endpoint) // another person may have used the browser before
    const isInserted = await insertDevice(tx.db, {
      ...{ id: context.ids.next(), user_id: userId, log_in_id: logInId, ...subscription },
      ...{ device, locale, created_at: tx.now, last_used_at: tx.now },
    })
    if (!isInserted) throw new RetryTransaction('another request has taken the ordinal of a device')
    await recordOfPerson(context, tx, { by: person, action: 'user.device_added', userId })
  })
}

/**
 * Notes that a person has opened the console on a device. Returns false for one that is not theirs. A device of another
 * person is removed, because this person uses the browser now.
 */
export async function noteDevice(
  context: Context,
  { userId, logInId }: PersonActor,
  { endpoint, locale }: { endpoint: string; locale: string },
): Promise<boolean> {
  return context.db.transaction(async (tx) => {
    const used = { user_id: userId, endpoint, log_in_id: logInId, locale, last_used_at: tx.now }
    if (await useDevice(tx.db, used)) return true
    await deleteEndpoint(tx.db, endpoint)
    return false
  })
}

/** Removes a device of a person. Does nothing if it is gone. */
export async function removeDevice(context: Context, person: PersonActor, id: string): Promise<void> {
  const { userId } = person
  await context.db.transaction(async (tx) => {
    if (!(await deleteDevice(tx.db, userId, id))) return
    await recordOfPerson(context, tx, { by: person, action: 'user.device_removed', userId })
  })
}

/** Removes a device that its push service no longer knows. */
export async function removeDeviceOf(
  { db }: Pick<Context, 'db'>,
  { user_id, id }: { user_id: string; id: string },
): Promise<void> {
  await db.transaction((tx) => deleteDevice(tx.db, user_id, id))
}

interface ShownDevice {
  id: string
  name: string
  createdAt: Instant
  lastUsedAt: Instant
  /** True for the browser of this log-in. */
  isPresent: boolean
}

/** The notifications of a person. */
export interface Notifications {
  /** The key by which push services know this server, for browsers. Null: the optional package is not installed. */
  publicKey: string | null
  devices: ShownDevice[]
  kinds: readonly ChosenKind[]
  quiet: QuietHours | null
}

/** Returns the notifications of a person. The first call makes the keys of the server. */
export async function showNotifications(
  context: Context,
  { userId, logInId }: PersonActor,
): Promise<Notifications> {
  const { reads } = context.db
  const publicKey = await pushKeys(context).then((keys) => keys.publicKey, nullIfMissing)
  const devices = await findDevices(reads, userId)
  const settings = await findSettings(reads, userId)
  const kinds = settings?.kinds.split(' ')
  return {
    publicKey,
    devices: devices.map(({ id, device, created_at, last_used_at, log_in_id }) => ({
      ...{ id, name: device, createdAt: created_at, lastUsedAt: last_used_at },
      isPresent: log_in_id === logInId,
    })),
    kinds: kinds ? pushKinds.filter((kind) => kinds.includes(kind)) : usualKinds,
    quiet: quietHoursIn(settings?.quiet_hours_json ?? null),
  }
}

function nullIfMissing(error: unknown): null {
  if ((error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') return null
  throw error
}

/** Changes what a person is notified of, and when. Throws validation_failed. */
export async function changeNotifications(
  { db }: Pick<Context, 'db'>,
  { userId }: PersonActor,
  { kinds, quiet }: Pick<Notifications, 'kinds' | 'quiet'>,
): Promise<void> {
  const times = quiet ? [...quietTimeErrors(quiet.from), ...quietTimeErrors(quiet.to)] : []
  const errors = times.length > 0 ? times : quietHoursErrors(quiet)
  if (errors.length > 0) throw validationProblem(errors)
  const quiet_hours_json = quiet && JSON.stringify({ from: quiet.from, to: quiet.to })
  await db.transaction((tx) =>
    putSettings(tx.db, { user_id: userId, kinds: kinds.join(' '), quiet_hours_json }),
  )
}

/** Sends a test to all devices of a person, at most one a minute. */
export async function testNotifications(context: Context, { userId }: PersonActor): Promise<void> {
  await context.db.transaction(async (tx) => {
    if ((await insertTests(tx.db, userId, tx.now)) > 0) tx.onCommit(() => context.duePushes.raise())
  })
}

/** Deletes devices that nobody uses any more, and those of people without access. */
export const oldDevices: CleanupJob = {
  name: 'unused devices',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldDevices(tx.db, plusSeconds(tx.now, -unusedDeviceSeconds), max)),
}

/** A notification is kept longer than it can be late, so that none is written twice. */
const keptSeconds = 86_400

export const oldPushes: CleanupJob = {
  name: 'old notifications',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldPushes(tx.db, plusSeconds(tx.now, -keptSeconds), max)),
}
