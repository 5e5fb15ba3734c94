import { validationProblem } from '../base/errors.ts'
import type { Transaction } from '../database/database.ts'
import type { PersonRole } from '../database/tables.ts'
import type { operator, PersonActor } from './actor.ts'
import type { Context } from './context.ts'
import { invite } from './invitation.ts'
import { deleteInvitation, type InvitationRow } from './invitation-queries.ts'
import { type LinkTokens, linkTokens, makeLink, type PasswordLink } from './person-link.ts'
import type { PersonMails } from './person-mails.ts'
import { insertUser, isBusinessIn, lockUserByEmail, type PersonRow } from './person-queries.ts'
import {
  assertStaff,
  givePlace,
  newUser,
  personEmail,
  personFaults,
  type PlaceScope,
  recordChange,
} from './person.ts'
import type { UserCreation } from './user-schemas.ts'

/** A person to add to a business or hub. */
export interface PersonRequest {
  email: string
  /** Defaults to the part of the address before the `@`. */
  name?: string | undefined
  role: PersonRole
  place: PlaceScope
  /** The staff member whose calendar belongs to the person. Required for staff. */
  staffId?: string | undefined
  /** Emails the link or the invitation. Absent if the link is delivered by hand. */
  mails?: (Pick<PersonMails, 'invitation'> & Partial<Pick<PersonMails, 'link'>>) | undefined
  /** Runs at the end of the transaction that adds the person. */
  lastly?: ((tx: Transaction, added: AddedPerson) => Promise<void>) | undefined
}

/** Either a person, or an invitation for the owner of an existing account. */
type AddedPerson =
  | {
      person: PersonRow
      invitation?: undefined
      /** Absent for a known person, who logs in as before. */
      link: PasswordLink | undefined
    }
  | {
      person?: undefined
      invitation: InvitationRow
      /** The operator's link for an account with an unproved address, whose password may come from anyone. */
      link: PasswordLink | undefined
    }

/**
 * Adds a person to a business or hub. A new address gets an account and a link for a first password. An address with an
 * account gets an invitation: only the owner of the mailbox may bring an account to another tenant. Only the operator
 * adds an account directly, if its address is proved. Throws validation_failed.
 */
export async function addPerson(
  context: Context,
  by: PersonActor | typeof operator,
  request: PersonRequest,
): Promise<AddedPerson> {
  const email = personEmail(request.email)
  const faults = personFaults({ ...request, email })
  if (faults.length > 0) throw validationProblem(faults)
  const tokens = await linkTokens(context, by.type === 'operator' ? 'operator link' : 'password link')
  return context.db.transaction(async (tx) => {
    await assertStaff(tx, request.place, request.staffId ?? null)
    const added = await admit(context, tx, { ...request, by, email, tokens })
    await request.lastly?.(tx, added)
    return added
  })
}

type Admission = PersonRequest & { by: PersonActor | typeof operator; tokens: LinkTokens }

async function admit(context: Context, tx: Transaction, request: Admission): Promise<AddedPerson> {
  const { by, email, name, place, role, staffId = null, tokens, mails } = request
  const id = context.ids.next()
  if (await insertUser(tx.db, newUser(tx, { id, email, name }))) {
    const person = await givePlace(context, tx, { userId: id, place, role, staffId })
    await deleteInvitation(tx.db, person) // from an account that has since changed its address
    await recordChange(context, tx, { by, action: 'user.created', person })
    const proves = mails?.link !== undefined || by.type === 'operator'
    const link = await makeLink(context, tx, { userId: id, proves, tokens })
    await mails?.link?.(tx, link)
    return { person, link }
  }
  const user = await lockUserByEmail(tx.db, email)
  if (!user) throw new Error('a person who was just found is missing')
  if (by.type === 'operator' && user.email_proved_at !== null) {
    const person = await givePlace(context, tx, { userId: user.id, place, role, staffId })
    await recordChange(context, tx, { by, action: 'user.created', person })
    return { person, link: undefined }
  }
  const invitation = await invite(context, tx, { by, user, place, role, staffId })
  await mails?.invitation(tx, invitation)
  const link =
    by.type === 'operator'
      ? await makeLink(context, tx, { userId: user.id, proves: true, tokens })
      : undefined
  return { invitation, link }
}

/**
 * Adds a person on behalf of an owner: to their business, or to their hub or one of its businesses. Throws like
 * `addPerson`.
 */
export async function addPersonBy(
  context: Context,
  owner: PersonActor,
  { business_id, staff_id, ...rest }: UserCreation,
  { mails, lastly }: Pick<PersonRequest, 'mails' | 'lastly'> = {},
): Promise<AddedPerson> {
  const scope = owner.scope
  const place = business_id === undefined ? scope : { businessId: business_id }
  if (business_id !== undefined && !(await isBusinessIn(context.db.reads, scope, business_id))) {
    const detail = 'is not the ID of a business in your scope'
    throw validationProblem([{ pointer: '/business_id', code: 'unknown_reference', detail }])
  }
  return addPerson(context, owner, { ...rest, place, staffId: staff_id, mails, lastly })
}
