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
 * The audit log records changes and their authors. Each entry is written in the transaction of its change, so neither
 * exists without the other. Entries refer to things by ID and contain no data of clients.
 */

/** The author of a change. `system` is the server itself, for example when a payment arrives. */
export type Author = Actor | LinkAuthor | PersonAuthor | 'system'

/** A person, including one who has not logged in yet, such as the user of a password link. */
type PersonAuthor = Pick<PersonActor, 'type' | 'userId' | 'name' | 'via' | 'grant'>

/** The holder of a link to a booking that is not a bearer token. */
interface LinkAuthor {
  type: 'manage'
  keyId: string
  via?: Actor['via']
}

/** Returns the author for a client who uses a link from an email. */
export function manageLinkOf(bookingId: string): LinkAuthor {
  return { type: 'manage', keyId: bookingId }
}

/** A change and its subject, in a business or a whole hub. */
interface AuditedChange {
  action: AuditAction
  /** Its type is the first word of the action. */
  subjectId: string
  businessId?: string | null
  hubId?: string | null
}

/** Returns the entry of a change, for callers that write it in another statement. Others call `recordAudit`. */
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

/** Clients get neither name nor address, so their entries look alike. */
function authorColumns(by: Author): AuthorColumns {
  const nobody = { actor_id: null, actor_name: null, address: null, request_id: null }
  if (by === 'system') return { ...nobody, actor_type: 'system' }
  const actor_type = actorTypes[by.type]
  if (actor_type === 'command_line') return { ...nobody, actor_type }
  return {
    ...nobody,
    actor_type,
    actor_id: by.type === 'person' ? by.userId : by.keyId,
    actor_name: by.type === 'person' ? personName(by) : null,
    address: actor_type === 'key' || actor_type === 'person' ? (by.via?.address ?? null) : null,
    request_id: by.via ? redact(by.via.requestId) : null, // the client may have chosen it
  }
}

/** Names the program that acts for a person, too. */
function personName({ name, grant }: PersonAuthor): string {
  return grant ? `${name} (${grant.program})` : name
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

/** Does the same for several changes in one statement. */
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

/** Returns a page of the changes of one thing in a business, the newest first. */
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

/** Presents the author of a change for display. */
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

/** Deletes changes past their retention. */
export const oldAudit: CleanupJob = {
  name: 'old entries of the audit log',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldAudit(tx.db, plusSeconds(tx.now, -retentionSeconds), max)),
}
