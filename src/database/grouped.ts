import { type Outcome, together } from '../base/together.ts'
import { type Database, DatabaseUnavailable } from './database.ts'

/**
 * Runs one statement for all waiting members and returns the result for one. `isGone` reports that its client has
 * disconnected.
 */
type Grouped<Member, Result> = (db: Database, member: Member, isGone?: () => boolean) => Promise<Result>

/**
 * Turns a statement over many members into one that is called by each (see `together`), with separate groups for each
 * database. `ownerOf` returns the business of a member, so that no business starves another. Throws DatabaseUnavailable
 * for all members at once.
 */
export function grouped<Member, Result>(
  run: (db: Database, members: readonly Member[]) => Promise<readonly Outcome<Result>[]>,
  ownerOf: (member: Member) => string,
): Grouped<Member, Result> {
  const groups = new WeakMap<object, (member: Member, isGone?: () => boolean) => Promise<Result>>()
  return (db, member, isGone) => {
    let ask = groups.get(db)
    if (!ask) {
      ask = together((members: readonly Member[]) => run(db, members), {
        ownerOf,
        maxGroups: 3,
        maxGroupsOfOwner: 2,
        isWorthTrying: (error) => !(error instanceof DatabaseUnavailable),
      })
      groups.set(db, ask)
    }
    return ask(member, isGone)
  }
}

/**
 * Finds one row for each member (see `grouped`). The key is a list of texts. Members with the same key share the
 * answer.
 */
export function groupedLookup<Key extends readonly string[], Row>(
  find: (db: Database, keys: string) => Promise<readonly Row[]>,
  { keyOf, ownerOf }: { keyOf: (row: Row) => Key; ownerOf: (key: Key) => string },
): Grouped<Key, Row | undefined> {
  const run = async (db: Database, members: readonly Key[]) => {
    const names = members.map((key) => JSON.stringify(key))
    const rows = await find(db, `[${[...new Set(names)].join()}]`)
    const found = new Map(rows.map((row) => [JSON.stringify(keyOf(row)), row]))
    return names.map((name) => found.get(name))
  }
  return grouped(run, ownerOf)
}
