import { type CompiledQuery, type Expression, type QueryResult, ValueNode } from 'kysely'
import { executeAtOnce, type Reads } from './database.ts'

/** The parameter types of both engines, without null. */
type Value = string | number

/**
 * The parameters that a query is built with. An expression replaces each text or number, so that `build` cannot depend
 * on its value. Null, undefined, true and false stay, because the text of the query may depend on them. Objects and
 * lists keep their shape.
 */
export type Params<T> = T extends null | undefined | boolean
  ? T
  : [Exclude<T, null | undefined>] extends [Value]
    ? Expression<Exclude<T, null | undefined>>
    : { [Key in keyof T]: Params<T[Key]> }

/** The values that a query with these parameters takes. */
type Values<G> =
  G extends Expression<infer T>
    ? T
    : G extends null | undefined | boolean
      ? G
      : { [Key in keyof G]: Values<G[Key]> }

/** One of Kysely's builders, or its `sql`. */
interface Built<Row> {
  compile(db: Reads): CompiledQuery<Row>
}

/** Cached texts of one query for one database. Without a limit, lists of varying lengths would keep adding texts. */
const maxTexts = 50

/** Stands for a value. Kysely passes it on to the parameters of the compiled query. */
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
 * Builds a query's text at its first use and caches it. Building takes more CPU time than SQLite takes for most
 * statements. Each shape of the parameters has its own text: which are null, undefined, true or false, the keys of
 * objects, the lengths of lists. `build` may depend on nothing else.
 */
export function cachedQuery<G, Row, Db extends Reads = Reads>(
  build: (db: Db, given: G) => Built<Row>,
): (db: Db, given: Values<G>) => Promise<QueryResult<Row>> {
  const databases = new WeakMap<object, Map<string, CompiledQuery<Row>>>()
  return (db, given) => {
    const { adapter } = db.getExecutor() // one for each database, shared by all its transactions
    const texts = databases.get(adapter) ?? new Map<string, CompiledQuery<Row>>()
    databases.set(adapter, texts)
    const values: Value[] = []
    const shape = shapeOf(given, values)
    let query = texts.get(shape)
    if (!query) {
      query = build(db, placeholdersFor(given, { next: 0 }) as G).compile(db) // this value has the same shape
      if (texts.size < maxTexts) texts.set(shape, query)
    }
    const parameters = query.parameters.map((one) => (one instanceof Placeholder ? values[one.place] : one))
    return executeAtOnce(db, { ...query, parameters })
  }
}

/** Describes the shape, and appends texts and numbers to `values`. */
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

/** Replaces texts and numbers by placeholders, in the same order. */
function placeholdersFor(given: unknown, place: { next: number }): unknown {
  if (typeof given === 'string' || typeof given === 'number') {
    place.next += 1
    return new Placeholder(place.next - 1)
  }
  if (typeof given !== 'object' || given === null) return given
  if (Array.isArray(given)) return given.map((part) => placeholdersFor(part, place))
  return Object.fromEntries(Object.entries(given).map(([key, part]) => [key, placeholdersFor(part, place)]))
}
