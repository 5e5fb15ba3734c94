import { DatabaseSync } from 'node:sqlite'

/*
 * Loaded before the program, it keeps the look at the claims in the way from seeing any: what is left is what the schema
 * decides. On SQLite transactions come one after the other, so that without this no race gets as far as the schema.
 */
const ofClaims = /(select 'claim' as kind[^]*?\bwhere )/
const prepare = DatabaseSync.prototype.prepare
DatabaseSync.prototype.prepare = function (text, ...rest) {
  return prepare.call(this, text.replace(ofClaims, '$1 1 = 0 and '), ...rest)
}
