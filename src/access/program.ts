import { daySeconds, plusSeconds } from '../base/instants.ts'
import type { CleanupJob } from '../database/context.ts'
import type { ProgramsTable } from '../database/tables.ts'
import type { Context } from './context.ts'
import { isUuid } from '../base/ids.ts'
import { deleteOldPrograms, findProgram, insertProgram } from './program-queries.ts'
import { maxRedirectUris, redirectHost } from './program-rules.ts'

/*
 * Programs that register themselves (RFC 7591). Anybody may register one: it can do nothing until a person allows it.
 */

/** A registration that nobody has allowed is deleted after this time. */
const unusedSeconds = daySeconds
/** A program without grants is deleted this long after its last use. Until then it can ask again. */
const keptSeconds = 90 * daySeconds
const maxNameLength = 100

/** A program as people and its own requests see it. */
export interface Program {
  id: string
  name: string
  redirectUris: string[]
}

/** Registers a program under the name that it chose, without characters that could disguise it. */
export async function registerProgram(
  context: Context,
  { name, redirectUris }: { name: string; redirectUris: string[] },
): Promise<Program & { createdAt: ProgramsTable['created_at'] }> {
  const program = {
    id: context.ids.next(),
    name: plainName(name) || redirectHost(redirectUris[0] ?? 'https://unknown').slice(0, maxNameLength),
    redirect_uris_json: JSON.stringify(redirectUris.slice(0, maxRedirectUris)),
    used_at: null,
  }
  const created_at = await context.db.transaction(async (tx) => {
    await insertProgram(tx.db, { ...program, created_at: tx.now })
    return tx.now
  })
  return { ...presentProgram(program), createdAt: created_at }
}

/** Returns a name without control characters and those that change the direction of text. */
function plainName(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/\s+/g, ' ')
  return Array.from(plain.trim()).slice(0, maxNameLength).join('').trim()
}

/** Returns undefined for an unknown program. */
export async function programOf(context: Context, id: string): Promise<Program | undefined> {
  const program = isUuid(id) ? await findProgram(context.db.reads, id.toLowerCase()) : undefined
  return program && presentProgram(program)
}

function presentProgram({
  id,
  name,
  redirect_uris_json,
}: Pick<ProgramsTable, 'id' | 'name' | 'redirect_uris_json'>): Program {
  return { id, name, redirectUris: JSON.parse(redirect_uris_json) as string[] } // checked before it was stored
}

/** Deletes registrations that nobody uses. */
export const oldPrograms: CleanupJob<Context> = {
  name: 'old registrations of programs',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => {
      const unusedBefore = plusSeconds(tx.now, -unusedSeconds)
      return deleteOldPrograms(tx.db, { unusedBefore, usedBefore: plusSeconds(tx.now, -keptSeconds) }, max)
    }),
}
