import { DatabaseSync, type StatementSync } from 'node:sqlite'
import pg from 'pg'

/*
 * Loaded before the program. Hides conflicting claims from the first read of each transaction. All contenders then go
 * for the same seat, and the schema decides. Otherwise hardly any race would reach the schema. Transactions run one
 * after the other on SQLite, and those of one server nearly so on PostgreSQL. A loser reads again, and then sees the
 * claims.
 */
const ofClaims = /('claim' as kind[^]*?\bcross join [^]*? (?:on|where) )/g

function blinded(text: string): string {
  return text.replace(ofClaims, '$1 1 = 0 and ')
}

/** Connections whose transaction has not read yet. */
const unseeing = new WeakSet<object>()

const { exec, prepare } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (text) {
  if (/^(begin|savepoint)\b/.test(text)) unseeing.add(this)
  exec.call(this, text)
}
DatabaseSync.prototype.prepare = function (text, ...rest) {
  const statement = prepare.call(this, text, ...rest)
  if (blinded(text) === text) return statement
  const blind = prepare.call(this, blinded(text), ...rest)
  const all: StatementSync['all'] = statement.all.bind(statement)
  // both of its forms
  statement.all = (...values: never[]) => (unseeing.delete(this) ? blind.all(...values) : all(...values))
  return statement
}

type Query = (
  this: pg.Client,
  config: string | { text: string; name?: string },
  ...rest: unknown[]
) => unknown

const prototype = pg.Client.prototype as unknown as { query: Query } // only the used ones of its many forms
const { query } = prototype
prototype.query = function (config, ...rest) {
  if (typeof config === 'string') return query.call(this, config, ...rest)
  if (config.text === 'begin') unseeing.add(this)
  const text = blinded(config.text)
  if (text === config.text || !unseeing.delete(this)) return query.call(this, config, ...rest)
  // a separate prepared statement
  return query.call(this, { ...config, text, ...(config.name && { name: `${config.name}-blind` }) }, ...rest)
}
