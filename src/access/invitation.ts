import { Problem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { daySeconds, formatInstant, plusSeconds } from '../base/instants.ts'
import type { CleanupJob } from '../database/context.ts'
import type { Transaction } from '../database/database.ts'
import type { PersonRole, UserInvitationsTable, UsersTable } from '../database/tables.ts'
import { type Page, type PageQuery, readPage, timeCursorOf } from '../base/paging.ts'
import { operator, type PersonActor } from './actor.ts'
import { type Author, recordAudit } from './audit.ts'
import type { Context } from './context.ts'
import {
  deleteOldEmailChanges,
  deleteOldInvitations,
  findInvitations,
  type InvitationRow,
  mayInvite,
  putInvitation,
  renewInvitation,
  takeInvitation,
} from './invitation-queries.ts'
import type { PersonMails } from './person-mails.ts'
import { findUserByEmail, isLogInOpen, lockUser, type PersonRow, updateLogIn } from './person-queries.ts'
import { givePlace, isThereAlready, personAt, type PlaceScope } from './person.ts'

/*
 * Invitations let an account join a second business or hub. They go to an address, and its proven owner accepts after
 * logging in. Nobody else sees them. A password set up by another person proves nothing.
 */

/** An invitation can be accepted for this long. */
const invitationSeconds = 14 * daySeconds
/** Owners see an expired invitation for this long. */
const expiredRetentionSeconds = 30 * daySeconds
/** Limit for one address. */
const maxOpen = 100

interface NewInvitation {
  by: PersonActor | typeof operator
  /** Locked until the transaction ends. */
  user: UsersTable
  place: PlaceScope
  role: PersonRole
  staffId: string | null
}

/**
 * Invites the owner of an existing account, in a transaction. A second invitation to the same place replaces the first.
 * Throws validation_failed if they are already a member.
 */
export async function invite(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { by, user, place, role, staffId }: NewInvitation,
): Promise<InvitationRow> {
  if (await personAt(tx, user.id, place)) throw isThereAlready()
  const id = await putInvitation(tx.db, {
    id: context.ids.next(),
    email: user.email,
    business_id: 'businessId' in place ? place.businessId : null,
    hub_id: 'hubId' in place ? place.hubId : null,
    role,
    staff_id: staffId,
    invited_by: by.type === 'person' ? by.userId : null,
    created_at: tx.now,
    expires_at: plusSeconds(tx.now, invitationSeconds),
  })
  const [invitation] = await findInvitations(tx.db, { scope: operator.scope, id, max: 1 })
  if (!invitation) throw new Error('an invitation that was just stored is missing')
  await record(context, tx, { by, action: 'invitation.created', invitation })
  return invitation
}

interface InvitationChange {
  by: Author
  action: `invitation.${'created' | 'renewed' | 'deleted' | 'accepted' | 'declined'}`
  invitation: Pick<UserInvitationsTable, 'id' | 'business_id' | 'hub_id'>
}

function record(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { by, action, invitation: { id, business_id, hub_id } }: InvitationChange,
): Promise<void> {
  return recordAudit(context, tx, { by, action, subjectId: id, businessId: business_id, hubId: hub_id })
}

/** Presents an invitation, with times in the zone of the business. */
export function presentInvitation(
  { clock }: Pick<Context, 'clock'>,
  invitation: InvitationRow,
): {
  id: string
  email: string
  role: PersonRole
  business_id: string | null
  hub_id: string | null
  place_name: string
  staff_id: string | null
  status: 'open' | 'expired'
  created_at: string
  expires_at: string
} {
  const time = (instant: InvitationRow['created_at']) => formatInstant(instant, invitation.timezone ?? 'UTC')
  return {
    id: invitation.id,
    email: invitation.email,
    role: invitation.role,
    business_id: invitation.business_id,
    hub_id: invitation.hub_id,
    place_name: placeNameOf(invitation),
    staff_id: invitation.staff_id,
    status: invitation.expires_at > clock.now() ? 'open' : 'expired',
    created_at: time(invitation.created_at),
    expires_at: time(invitation.expires_at),
  }
}

/** Returns the name of the business or hub of an invitation. */
export function placeNameOf({
  business_name,
  hub_name,
}: Pick<InvitationRow, 'business_name' | 'hub_name'>): string {
  return business_name ?? hub_name ?? ''
}

/**
 * Returns a page of the invitations of a scope, including expired ones, the newest first. Throws validation_failed for
 * an invalid cursor.
 */
export async function listInvitations(
  context: Pick<Context, 'db'>,
  { scope }: PersonActor,
  query: PageQuery,
): Promise<Page<InvitationRow>> {
  return readPage(query, {
    cursor: invitationCursor,
    find: ({ after, rows }) => findInvitations(context.db.reads, { scope, after, max: rows }),
    position: ({ created_at, id }) => [created_at, id],
  })
}

const invitationCursor = timeCursorOf('invitations')

/** Returns an invitation in the scope of an owner. Throws not_found. */
export async function showInvitation(
  { db }: Pick<Context, 'db'>,
  { scope }: PersonActor,
  id: string,
): Promise<InvitationRow> {
  return findIn(db.reads, { scope, id })
}

async function findIn(
  db: Transaction['reads'],
  { scope, id, email }: { scope: PersonActor['scope'] | typeof operator.scope; id: string; email?: string },
): Promise<InvitationRow> {
  const [found] = isUuid(id)
    ? await findInvitations(db, {
        scope,
        id: id.toLowerCase(),
        ...(email !== undefined && { email }),
        max: 1,
      })
    : []
  if (!found) throw noInvitation()
  return found
}

function noInvitation(): Problem {
  return new Problem('not_found', 'There is no invitation with this id.')
}

/** Withdraws an invitation. Throws not_found, including after it was accepted. */
export function revokeInvitation(context: Context, owner: PersonActor, id: string): Promise<void> {
  return context.db.transaction(async (tx) => {
    const invitation = await findIn(tx.db, { scope: owner.scope, id })
    if (!(await takeInvitation(tx.db, { id: invitation.id }))) throw noInvitation()
    await record(context, tx, { by: owner, action: 'invitation.deleted', invitation })
  })
}

/** Extends an invitation in the name of this owner and emails it again. Throws not_found. */
export function resendInvitation(
  context: Context,
  owner: PersonActor,
  { id, mails }: { id: string; mails: PersonMails | undefined },
): Promise<InvitationRow> {
  return context.db.transaction(async (tx) => {
    const invitation = await findIn(tx.db, { scope: owner.scope, id })
    if (!(await findUserByEmail(tx.db, invitation.email)))
      throw new Problem('not_found', 'This address no longer belongs to anyone. Add the person again.')
    const columns = { invited_by: owner.userId, expires_at: plusSeconds(tx.now, invitationSeconds) }
    if (!(await renewInvitation(tx.db, invitation.id, columns))) throw noInvitation()
    await record(context, tx, { by: owner, action: 'invitation.renewed', invitation })
    await mails?.invitation(tx, invitation)
    return { ...invitation, ...columns }
  })
}

/** A logged-in person, who may not have access to any business. */
export interface Invitee {
  userId: string
  logInId: string
  name: string
  via?: PersonActor['via']
}

/** Lists the open invitations to an address, for its proven owner. */
export async function listOwnInvitations(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  email: string,
): Promise<InvitationRow[]> {
  const open = { scope: operator.scope, email, expiresAfter: clock.now(), max: maxOpen }
  return findInvitations(db.reads, open)
}

/**
 * Accepts an invitation and switches the log-in to the new place. Throws not_found, including for an unproved address,
 * an expired invitation, or an inviter who may no longer invite.
 */
export function acceptInvitation(context: Context, invitee: Invitee, id: string): Promise<PersonRow> {
  return context.db.transaction(async (tx) => {
    const invitation = await takeOwn(tx, invitee, id)
    const { business_id, hub_id, invited_by } = invitation
    if (invitation.expires_at <= tx.now) throw noInvitation()
    if (invited_by !== null && !(await mayInvite(tx.db, invited_by, invitation))) throw noInvitation()
    const place = business_id === null ? { hubId: hub_id ?? '' } : { businessId: business_id }
    const { userId, logInId } = invitee
    const person =
      (await personAt(tx, userId, place)) ?? // the operator was faster
      (await givePlace(context, tx, { ...invitation, userId, place, staffId: invitation.staff_id }))
    await updateLogIn(tx.db, logInId, { place_id: person.id })
    const by = authorOf(invitee)
    await record(context, tx, { by, action: 'invitation.accepted', invitation })
    return person
  })
}

/** Declines an invitation as the invited person. Throws not_found. */
export function declineInvitation(context: Context, invitee: Invitee, id: string): Promise<void> {
  return context.db.transaction(async (tx) => {
    const invitation = await takeOwn(tx, invitee, id)
    await record(context, tx, { by: authorOf(invitee), action: 'invitation.declined', invitation })
  })
}

/** Returns the author of a logged-in person's actions, for the audit log. */
export function authorOf({ userId, name, via }: Invitee): Author {
  return { type: 'person', userId, name, ...(via && { via }) }
}

/** Locks the person first, in the same order as a link that changes the owner of the account. */
async function takeOwn(
  tx: Transaction,
  { userId, logInId }: Invitee,
  id: string,
): Promise<UserInvitationsTable> {
  const user = await lockUser(tx.db, userId)
  const isProved = user !== undefined && user.email_proved_at !== null && user.disabled_at === null
  if (!isProved || !isUuid(id) || !(await isLogInOpen(tx.db, logInId))) throw noInvitation()
  const taken = await takeInvitation(tx.db, { id: id.toLowerCase(), email: user.email })
  if (!taken) throw noInvitation()
  return taken
}

/** Deletes invitations that expired a month ago. */
export const oldInvitations: CleanupJob = {
  name: 'old invitations of people',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldInvitations(tx.db, plusSeconds(tx.now, -expiredRetentionSeconds), max)),
}

/** Deletes new addresses whose link has expired. */
export const oldEmailChanges: CleanupJob = {
  name: 'new addresses that nobody has proved',
  deleteBatch: ({ db }, max) => db.transaction((tx) => deleteOldEmailChanges(tx.db, tx.now, max)),
}
