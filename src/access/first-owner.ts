import type { Transaction } from '../database/database.ts'
import { operator } from './actor.ts'
import type { Context } from './context.ts'
import { firstOwnerLink, type PasswordLink } from './person-link.ts'
import { findRoots, hasUsers, insertUser, putFirstOwnerLink } from './person-queries.ts'
import { givePlace, newUser, type PlaceScope, recordOfPerson } from './person.ts'

/** What serving tells of the first owner: a link, that a command makes one, or nothing. */
export type FirstOwner =
  { link: Pick<PasswordLink, 'token' | 'expiresAt'> } | { businessId: string | undefined } | undefined

/**
 * Where there is a business and nobody who could log in: makes the link of the first owner if `mayLink`, which replaces the
 * one before it.
 */
export async function offerFirstOwner(context: Context, mayLink: boolean): Promise<FirstOwner> {
  const { reads } = context.db
  if (await hasUsers(reads)) return undefined
  const { businesses } = await findRoots(reads, 2)
  if (businesses.length === 0) return undefined
  const places = await firstPlaces(context, reads)
  if (!mayLink || places.length === 0)
    return { businessId: businesses.length === 1 ? businesses[0]?.id : undefined }
  const link = await context.db.transaction(async (tx) => {
    const { token, row } = firstOwnerLink(context, tx)
    await putFirstOwnerLink(tx.db, row)
    return { token, expiresAt: row.expires_at }
  })
  return { link }
}

/** The first owner gets the only business; in development everything, such as the demo world. */
async function firstPlaces(
  { config }: Pick<Context, 'config'>,
  db: Transaction['db'],
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

/** Makes the first owner within the transaction that used up their link. Null if there are people by now. */
export async function makeFirstOwner(
  context: Context,
  tx: Transaction,
  { email, name }: { email: string; name: string },
): Promise<string | null> {
  if (await hasUsers(tx.db)) return null
  const id = context.ids.next()
  const isNew = await insertUser(tx.db, newUser(tx, { id, email, name }))
  if (!isNew) return null
  for (const place of await firstPlaces(context, tx.db))
    await givePlace(context, tx, { userId: id, place, role: 'owner', staffId: null })
  await recordOfPerson(context, tx, { by: operator, action: 'user.created', userId: id })
  return id
}
