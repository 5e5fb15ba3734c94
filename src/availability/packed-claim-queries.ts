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
  if (engine === 'postgres') {
    // bytes: written as text, times take most of what the whole statement takes
    return sql`encode(string_agg(timestamptz_send(starts_at) || timestamptz_send(ends_at) || int4send(seat)
                                 || boolsend(expires_at is not null) || uuid_send(occurrence_id), ''::bytea), 'base64')`
  }
  const occurrence = seats === 1 ? sql`case when seat = 0 then '' else occurrence_id end` : sql`occurrence_id`
  return sql`string_agg(case when expires_at is null then 'b' else 'h' end || starts_at || ends_at || seat || ' '
                        || ${occurrence}, ';')`
}

/** Takes apart what `packedClaims` has packed. */
export function unpackClaims(engine: Engine, seats: number, packed: string): Claimed[] {
  return engine === 'postgres' ? fromBytes(Buffer.from(packed, 'base64'), seats) : fromText(packed)
}

/** Of each: whether it is held (`h`) or booked, two instants of 24 characters, its seat, and its occurrence. */
function fromText(text: string): Claimed[] {
  return text.split(';').map((claim) => {
    const space = claim.indexOf(' ', 49)
    return {
      held: claim.startsWith('h'),
      from: secondsTextToMs(claim, 1),
      to: secondsTextToMs(claim, 25),
      seat: Number(claim.slice(49, space)),
      occurrenceId: claim.slice(space + 1),
    }
  })
}

const bytesOfOne = 37
/** From which PostgreSQL counts microseconds. */
const startOf2000Ms = Date.UTC(2000, 0)

function fromBytes(bytes: Buffer, seats: number): Claimed[] {
  const ms = (at: number) =>
    startOf2000Ms + Math.round((bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4)) / 1000)
  const claims: Claimed[] = []
  for (let at = 0; at < bytes.length; at += bytesOfOne) {
    const seat = bytes.readInt32BE(at + 16)
    claims.push({
      held: bytes[at + 20] === 1,
      from: ms(at),
      to: ms(at + 8),
      seat,
      // the only seat is taken whatever the occurrence
      occurrenceId:
        seats === 1 && seat === 0 ? '' : uuidText(bytes.toString('hex', at + 21, at + bytesOfOne)),
    })
  }
  return claims
}

function uuidText(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
