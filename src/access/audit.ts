import type { Static } from 'typebox'
import { daySeconds, formatInstant, plusSeconds } from '../base/instants.ts'
import { redact } from '../base/log.ts'
import {
  type Page,
  type PageQuery,
  type PageRows,
  timeCursorOf,
  readPage,
  presentPage,
} from '../base/paging.ts'
import type { NewAuditEntry } from '../database/audit-entries.ts'
import type { CleanupJob } from '../database/context.ts'
import type { Transaction } from '../database/database.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import type { AuditActorType } from '../database/tables.ts'
import type { TenantScope } from '../database/tenant-scope.ts'
import type { Actor, PersonActor } from './actor.ts'
import { type AuditFilter, type AuditRow, deleteOldAudit, findAudit, insertAudit } from './audit-queries.ts'
import type { AuditQuery } from './audit-schemas.ts'
import type { AuditAction } from './audit-types.ts'
import type { Context } from './context.ts'

/*
 * The audit log: who changed what. An entry is written in the transaction of its change, so one does not stand without the
 * other. It names things by id: nothing of a client is in it.
 */

/** Who changes something; `system` is the server itself, such as when a payment arrives. */
export type Author = Actor | LinkAuthor | PersonAuthor | 'system'

/** A person, also one who has not logged in yet: such as by a link for a password. */
type PersonAuthor = Pick<PersonActor, 'type' | 'userId' | 'name' | 'via'>

/** Who has a link of a booking that is no bearer token. */
interface LinkAuthor {
  type: 'manage'
  keyId: string
  via?: Actor['via']
}

/** The client of a booking, by a link in a mail. */
export function manageLinkOf(bookingId: string): LinkAuthor {
  return { type: 'manage', keyId: bookingId }
}

/** A change and what it changed, of a business or of a whole hub. */
interface AuditedChange {
  action: AuditAction
  /** Its type is the first word of the action. */
  subjectId: string
  businessId?: string | null
  hubId?: string | null
}

/** The entry of a change, for those who write it with another statement. Others call `recordAudit`. */
export function auditEntry(
  { ids }: Pick<Context, 'ids'>,
  tx: Transaction,
  { by, action, subjectId, businessId = null, hubId = null }: AuditedChange & { by: Author },
): NewAuditEntry {
  const [subjectType = ''] = action.split('.')
  return {
    id: ids.next(),
    business_id: businessId,
    hub_id: businessId === null ? hubId : null,
    at: tx.now,
    ...authorColumns(by),
    action,
    subject_type: subjectType,
    subject_id: subjectId,
  }
}

type AuthorColumns = Pick<NewAuditEntry, 'actor_type' | 'actor_id' | 'actor_name' | 'address' | 'request_id'>

const actorTypes: Record<Actor['type'], AuditActorType> = {
  business: 'key',
  hub: 'key',
  publishable: 'key',
  session: 'session',
  manage: 'manage_link',
  operator: 'command_line',
  person: 'person',
}

/** Clients are told from each other by neither name nor address. */
function authorColumns(by: Author): AuthorColumns {
  const nobody = { actor_id: null, actor_name: null, address: null, request_id: null }
  if (by === 'system') return { ...nobody, actor_type: 'system' }
  const actor_type = actorTypes[by.type]
  if (actor_type === 'command_line') return { ...nobody, actor_type }
  return {
    ...nobody,
    actor_type,
    actor_id: by.type === 'person' ? by.userId : by.keyId,
    actor_name: by.type === 'person' ? by.name : null,
    address: actor_type === 'key' || actor_type === 'person' ? (by.via?.address ?? null) : null,
    request_id: by.via ? redact(by.via.requestId) : null, // the client may have chosen it
  }
}

const writeAudit = sharedStatement({
  writes: true,
  run: async (db, members: readonly NewAuditEntry[]): Promise<undefined[]> => {
    await insertAudit(db, members)
    return members.map(() => undefined)
  },
})

/** Records a change in its transaction. */
export async function recordAudit(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  change: AuditedChange & { by: Author },
): Promise<void> {
  await writeAudit(tx, auditEntry(context, tx, change))
}

/** The same for several changes, in one statement. */
export async function recordAudits(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  changes: readonly (AuditedChange & { by: Author })[],
): Promise<void> {
  await insertAudit(
    tx.db,
    changes.map((change) => auditEntry(context, tx, change)),
  )
}

/** Lists changes in the caller's scope, the newest first. */
export async function listAudit(context: Context, actor: Actor, query: Static<typeof AuditQuery>) {
  const { business_id: businessId, from, to, actor: actorId, subject: subjectId } = query
  const filter = { businessId, from, to, actorId, subjectId }
  return presentPage(await findPage(context, { scope: actor.scope, filter, query }), presentEntry)
}

/** A page of what was done to one thing of a business, the newest first. */
export async function auditOf(
  context: Context,
  { businessId, subjectId }: { businessId: string; subjectId: string },
  query: PageQuery,
): Promise<Page<AuditRow>> {
  const filter = { businessId, subjectId, actorId: undefined, from: undefined, to: undefined }
  return findPage(context, { scope: { businessId }, filter, query })
}

const auditCursor = timeCursorOf('audit')

interface AuditPage {
  scope: TenantScope
  filter: Omit<AuditFilter, keyof PageRows<unknown>>
  query: PageQuery
}

function findPage({ db }: Context, { scope, filter, query }: AuditPage): Promise<Page<AuditRow>> {
  return readPage(query, {
    cursor: auditCursor,
    find: (page) => findAudit(db.reads, scope, { ...filter, ...page }),
    position: ({ at, id }) => [at, id],
  })
}

/** Who acted, as people are told. */
export function presentAuthor({ actor_type, actor_id, actor_name, label }: AuditRow) {
  return { type: actor_type, id: actor_id, name: actor_name ?? label }
}

function presentEntry(entry: AuditRow) {
  return {
    id: entry.id,
    at: formatInstant(entry.at, entry.timezone ?? 'UTC'),
    actor: presentAuthor(entry),
    action: entry.action,
    subject: { type: entry.subject_type, id: entry.subject_id },
    business_id: entry.business_id,
    address: entry.address,
    request_id: entry.request_id,
  }
}

const retentionSeconds = 400 * daySeconds

/** Changes that nobody needs to know of any more. */
export const oldAudit: CleanupJob = {
  name: 'old entries of the audit log',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldAudit(tx.db, plusSeconds(tx.now, -retentionSeconds), max)),
}
