import { sql, type RawBuilder } from 'kysely'
import type { Engine } from '../database/database.ts'
import { secondsTextToMs } from '../instants.ts'
import type { Claimed } from './occupancy-rules.ts'

/*
 * The claims of a resource in one value: a busy month has thousands, and rows of their own would be most of the cost of a
 * look. Each engine packs them as it can do fastest.
 */

/** What packs the claims of a group into one text, null without any. Of the only seat the occurrence is left out. */
export function packedClaims(engine: Engine, seats: number): RawBuilder<string | null> {
  const unlessOnlySeat = (nothing: RawBuilder<unknown>, occurrence: RawBuilder<unknown>) =>
    seats === 1 ? sql`case when seat = 0 then ${nothing} else ${occurrence} end` : occurrence
  if (engine === 'postgres') {
    // bytes: written as text, times take most of what the whole statement takes
    return sql`encode(string_agg(timestamptz_send(starts_at) || timestamptz_send(ends_at)
                                 || int4send(case when expires_at is null then seat else -1 - seat end)
                                 || ${unlessOnlySeat(sql`''::bytea`, sql`uuid_send(occurrence_id)`)}, ''::bytea), 'base64')`
  }
  return sql`string_agg(case when expires_at is null then 'b' else 'h' end || starts_at || ends_at || seat || ' '
                        || ${unlessOnlySeat(sql`''`, sql`occurrence_id`)}, ';')`
}

/** Takes apart what `packedClaims` has packed. */
export function unpackClaims(engine: Engine, seats: number, packed: string): Claimed[] {
  return engine === 'postgres' ? fromBytes(Buffer.from(packed, 'base64'), seats) : fromText(packed)
}

/** Of each: whether it is held (`h`) or booked, two instants of 24 characters, its seat, and its occurrence. */
function fromText(text: string): Claimed[] {
  const claims: Claimed[] = []
  for (let at = 0; at < text.length;) {
    const space = text.indexOf(' ', at + 49)
    const semicolon = text.indexOf(';', space)
    const end = semicolon < 0 ? text.length : semicolon
    claims.push({
      held: text.startsWith('h', at),
      from: secondsTextToMs(text, at + 1),
      to: secondsTextToMs(text, at + 25),
      seat: Number(text.slice(at + 49, space)),
      occurrenceId: text.slice(space + 1, end),
    })
    at = end + 1
  }
  return claims
}

/** From which PostgreSQL counts microseconds. */
const startOf2000Ms = Date.UTC(2000, 0)

/** Of each: two instants of eight bytes, its seat in four, or -1 less its seat where it is held, and its occurrence in 16. */
function fromBytes(bytes: Buffer, seats: number): Claimed[] {
  const ms = (at: number) =>
    startOf2000Ms + Math.round((bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4)) / 1000)
  const claims: Claimed[] = []
  for (let at = 0; at < bytes.length;) {
    const [from, to] = [ms(at), ms(at + 8)]
    const written = bytes.readInt32BE(at + 16)
    const held = written < 0
    const seat = held ? -1 - written : written
    at += 20
    let occurrenceId = ''
    if (seats > 1 || seat > 0) {
      occurrenceId = uuidText(bytes.toString('hex', at, at + 16))
      at += 16
    }
    claims.push({ held, from, to, seat, occurrenceId })
  }
  return claims
}

function uuidText(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
