import type { Engine } from '../database.ts'

/**
 * The two rules by which a slot cannot be sold twice, over half-open times:
 *  1. one seat of one resource is claimed once at any time;
 *  2. overlapping claims of one resource belong to one occurrence.
 * A claim that breaks a rule is skipped by `insert … on conflict do nothing`, so that the insert
 * gives no row back; on both engines.
 */
export function overlapRules(engine: Engine): string[] {
  return engine === 'postgres' ? exclusionConstraints : overlapTriggers
}

const exclusionConstraints = [
  `create extension if not exists btree_gist`,
  `alter table claims
     add constraint claims_of_one_seat_do_not_overlap
       exclude using gist (resource_id with =, seat with =, tstzrange(starts_at, ends_at, '[)') with &&),
     add constraint claims_that_overlap_are_one_occurrence
       exclude using gist (resource_id with =, occurrence_id with <>, tstzrange(starts_at, ends_at, '[)') with &&)`,
]

/** The condition that a claim lasts at most 72 hours, which bounds the search for those that overlap. */
export function atMost72Hours(engine: Engine): string {
  return engine === 'postgres'
    ? `ends_at - starts_at <= interval '72 hours'`
    : `ends_at <= strftime('%Y-%m-%dT%H:%M:%fZ', starts_at, '+72 hours')`
}

/** No claim lasts longer than 72 hours, so those that can overlap start within 72 hours before. */
const inTheWay = `
  select 1 from claims
   where resource_id = new.resource_id
     and starts_at < new.ends_at
     and starts_at > strftime('%Y-%m-%dT%H:%M:%fZ', new.starts_at, '-72 hours')
     and ends_at > new.starts_at
     and (seat = new.seat or occurrence_id <> new.occurrence_id)`

const overlapTriggers = [
  `create trigger claims_do_not_overlap before insert on claims when exists (${inTheWay})
   begin select raise(ignore); end`,
  // "on conflict do nothing" has no say over updates, so this one is an error; it ignores the row's own claim
  `create trigger claims_do_not_overlap_later
   before update of resource_id, seat, occurrence_id, starts_at, ends_at on claims
   when exists (${inTheWay} and id <> old.id)
   begin select raise(abort, 'claims_do_not_overlap'); end`,
]
