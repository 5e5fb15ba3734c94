import { ValueNode, type CompiledQuery, type Expression, type QueryResult } from 'kysely'
import type { Queries } from './database.ts'

/** What the statements of both engines take, beside null. */
type Value = string | number

/**
 * What stands in a query for what it is given each time it is executed: in the place of a text or number an expression,
 * which cannot be looked at or computed with. Null, undefined, true and false stand for themselves, and objects and
 * lists for themselves with such parts, as the text of the query may depend on them.
 */
export type Given<T> = T extends null | undefined | boolean
  ? T
  : [Exclude<T, null | undefined>] extends [Value]
    ? Expression<Exclude<T, null | undefined>>
    : { [Key in keyof T]: Given<T[Key]> }

/** What a query with these parts is given. */
type Values<G> =
  G extends Expression<infer T>
    ? T
    : G extends null | undefined | boolean
      ? G
      : { [Key in keyof G]: Values<G[Key]> }

/** A query that can be compiled: one of Kysely's builders, or its `sql`. */
interface Built<Row> {
  compile(db: Queries): CompiledQuery<Row>
}

/** So many texts are kept of one query for one database: lists of any length could make ever more. */
const mostTexts = 50

/** Stands for a value. Kysely hands it through to the parameters of the compiled query. */
class Placeholder implements Expression<never> {
  readonly place: number

  constructor(place: number) {
    this.place = place
  }

  get expressionType(): undefined {
    return undefined
  }

  toOperationNode() {
    return ValueNode.create(this)
  }
}

/**
 * A query whose text is built when it is first asked for, and from then on only gets its values: building it takes more of
 * the processor than most statements take of SQLite. There is a text for each shape of what is given: which parts are
 * null, undefined, true or false, the keys of objects, the lengths of lists. On anything else `build` may not depend.
 */
export function compiledOnce<G, Row>(
  build: (db: Queries, given: G) => Built<Row>,
): (db: Queries, given: Values<G>) => Promise<QueryResult<Row>> {
  const databases = new WeakMap<object, Map<string, CompiledQuery<Row>>>()
  return (db, given) => {
    const { adapter } = db.getExecutor() // the same in all transactions of a database, and another for each database
    let kept = databases.get(adapter)
    if (!kept) {
      kept = new Map()
      databases.set(adapter, kept)
    }
    const values: Value[] = []
    const shape = shapeOf(given, values)
    let query = kept.get(shape)
    if (!query) {
      query = build(db, placeholdersFor(given, { next: 0 }) as G).compile(db) // of the same shape as what is given
      if (kept.size < mostTexts) kept.set(shape, query)
    }
    const parameters = query.parameters.map((one) => (one instanceof Placeholder ? values[one.place] : one))
    return db.executeQuery({ ...query, parameters })
  }
}

/** Describes all but texts and numbers, which it adds to `values` in their order. */
function shapeOf(given: unknown, values: Value[]): string {
  if (typeof given === 'string' || typeof given === 'number') {
    values.push(given)
    return '?'
  }
  if (typeof given !== 'object' || given === null) return String(given)
  let shape = Array.isArray(given) ? '[' : '{'
  for (const [key, part] of Object.entries(given)) shape += `${key}:${shapeOf(part, values)},`
  return `${shape}}`
}

/** The same with placeholders for texts and numbers, in the same order. */
function placeholdersFor(given: unknown, place: { next: number }): unknown {
  if (typeof given === 'string' || typeof given === 'number') {
    place.next += 1
    return new Placeholder(place.next - 1)
  }
  if (typeof given !== 'object' || given === null) return given
  if (Array.isArray(given)) return given.map((part) => placeholdersFor(part, place))
  return Object.fromEntries(Object.entries(given).map(([key, part]) => [key, placeholdersFor(part, place)]))
}
