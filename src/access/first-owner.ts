import type { Transaction } from '../database/database.ts'
import { operator } from './actor.ts'
import type { Context } from './context.ts'
import { firstOwnerLink, type PasswordLink } from './person-link.ts'
import { findRoots, hasUsers, insertUser, putFirstOwnerLink } from './person-queries.ts'
import { givePlace, newUser, type PlaceScope, recordOfPerson } from './person.ts'

/**
 * The notice about the first owner at startup. It has a link, says that a link is possible, or says that a person must
 * be added. Nothing if a person can log in.
 */
export type FirstOwner =
  { link: Pick<PasswordLink, 'token' | 'expiresAt'> } | { couldLink: boolean } | undefined

/**
 * If nobody could log in, creates the link of the first owner if `mayLink`, which replaces the previous one. Without
 * any hub or business, the user of the link begins with a new business.
 */
export async function offerFirstOwner(context: Context, mayLink: boolean): Promise<FirstOwner> {
  const { reads } = context.db
  if (await hasUsers(reads)) return undefined
  const couldLink = (await lacksPlaces(context)) || (await firstPlaces(context, reads)).length > 0
  if (!mayLink || !couldLink) return { couldLink }
  const link = await context.db.transaction(async (tx) => {
    const { token, row } = firstOwnerLink(context, tx)
    await putFirstOwnerLink(tx.db, row)
    return { token, expiresAt: row.expires_at }
  })
  return { link }
}

/** Returns the URL of the first owner's link. The token is in the fragment, which no server sees. */
export function firstOwnerUrl(base: string, { token }: Pick<PasswordLink, 'token'>): string {
  return `${base}/console/first#${token}`
}

/** True if there is neither hub nor business, so that the first owner begins with a new business. */
export async function lacksPlaces({ db }: Pick<Context, 'db'>): Promise<boolean> {
  const { hubs, businesses } = await findRoots(db.reads, 1)
  return hubs.length + businesses.length === 0
}

/** Gives the first owner the only business, or everything in development, such as the demo world. */
async function firstPlaces(
  { config }: Pick<Context, 'config'>,
  db: Transaction['reads'],
): Promise<PlaceScope[]> {
  const { hubs, businesses } = await findRoots(db, maxFirstPlaces)
  const [only, other] = businesses
  if (only && !other) return [{ businessId: only.id }]
  if (config.environment === 'production') return []
  return [
    ...hubs.map(({ id }) => ({ hubId: id })),
    ...businesses.filter(({ hub_id }) => hub_id === null).map(({ id }) => ({ businessId: id })),
  ]
}

const maxFirstPlaces = 50

/** The details of the first owner. */
export interface NewOwner {
  email: string
  name: string
  /** Creates the first business. Returns undefined if one exists by now. Absent if one existed before. */
  makeBusiness?: ((tx: Transaction) => Promise<string | undefined>) | undefined
}

/**
 * Creates the first owner and their business within the transaction that used up their link. Returns null if there are
 * people by now, or if the owner would get nothing.
 */
export async function makeFirstOwner(
  context: Context,
  tx: Transaction,
  { email, name, makeBusiness }: NewOwner,
): Promise<string | null> {
  if (await hasUsers(tx.db)) return null
  const businessId = await makeBusiness?.(tx)
  const places = businessId === undefined ? await firstPlaces(context, tx.db) : [{ businessId }]
  if (places.length === 0) return null
  const id = context.ids.next()
  const isNew = await insertUser(tx.db, newUser(tx, { id, email, name }))
  if (!isNew) return null
  for (const place of places)
    await givePlace(context, tx, { userId: id, place, role: 'owner', staffId: null })
  await recordOfPerson(context, tx, { by: operator, action: 'user.created', userId: id })
  return id
}
