import { DatabaseSync, type StatementSync } from 'node:sqlite'
import pg from 'pg'

/*
 * Loaded before the program, it keeps the first look of each transaction at the claims in the way from seeing any: so all
 * contenders go for the same seat, and the schema decides. Without this hardly a race gets as far as the schema, as
 * transactions come one after the other on SQLite, and those of one server nearly so on PostgreSQL. Who loses looks again,
 * and sees.
 */
const ofClaims = /('claim' as kind[^]*?\bcross join [^]*? (?:on|where) )/g

function blinded(text: string): string {
  return text.replace(ofClaims, '$1 1 = 0 and ')
}

/** Connections whose transaction has not looked yet. */
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
  statement.all = (...values: never[]) => (unseeing.delete(this) ? blind.all(...values) : all(...values)) // both of its forms
  return statement
}

type Query = (
  this: pg.Client,
  config: string | { text: string; name?: string },
  ...rest: unknown[]
) => unknown

const prototype = pg.Client.prototype as unknown as { query: Query } // of its many forms, those that are used
const { query } = prototype
prototype.query = function (config, ...rest) {
  if (typeof config === 'string') return query.call(this, config, ...rest)
  if (config.text === 'begin') unseeing.add(this)
  const text = blinded(config.text)
  if (text === config.text || !unseeing.delete(this)) return query.call(this, config, ...rest)
  // a prepared statement of its own
  return query.call(this, { ...config, text, ...(config.name && { name: `${config.name}-blind` }) }, ...rest)
}
