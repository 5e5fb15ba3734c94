import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * The two rules by which a slot cannot be sold twice, over half-open times:
 *  1. one seat of one resource is claimed once at any time, also where a claim takes several;
 *  2. overlapping claims of one resource belong to one occurrence.
 * A claim that breaks a rule is skipped by `insert … on conflict do nothing`, so that the insert
 * gives no row back; on both engines.
 */
export const overlapRuleNames = {
  postgres: ['claims_of_one_seat_do_not_overlap', 'claims_that_overlap_are_one_occurrence'],
  sqlite: ['claims_do_not_overlap', 'claims_do_not_overlap_later'],
}

/** The statements that make them. */
export function overlapRules(engine: Engine): string[] {
  return engine === 'postgres' ? exclusionConstraints : overlapTriggers
}

const allSeats = 'coalesce(seats, int4multirange(int4range(seat, seat + 1)))'

const exclusionConstraints = [
  `create extension if not exists btree_gist`,
  `alter table claims
     add constraint claims_of_one_seat_do_not_overlap
       exclude using gist (resource_id with =, (${allSeats}) with &&, tstzrange(taken_from, taken_until, '[)') with &&)
       where (ended_at is null),
     add constraint claims_that_overlap_are_one_occurrence
       exclude using gist (resource_id with =, occurrence_id with <>, tstzrange(taken_from, taken_until, '[)') with &&)
       where (ended_at is null)`,
]

/** Holds, and the time of the bookings that they become. Of an ended one, the time is free. */
export function claimTable(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    table(
      'claims',
      `id ${id} primary key,
       business_id ${id} not null,
       service_id ${id} not null,
       location_id ${id} not null,
       staff_id ${id},
       chosen_staff_id ${id},
       ${instant('starts_at')} not null,
       ${instant('ends_at')} not null,
       resource_id ${id} not null,
       seat integer not null check (seat >= 0),
       party_size integer not null default 1 check (party_size >= 1),
       seats ${engine === 'postgres' ? 'int4multirange' : 'text'},
       occurrence_id ${id} not null,
       ${instant('taken_from')} not null,
       ${instant('taken_until')} not null,
       lasts_long integer not null generated always as (${lastsLong(engine)}) stored,
       owner_id ${id} not null,
       owner_sequence integer,
       client_network text,
       client_wider_network text,
       ${instant('created_at')} not null,
       ${instant('expires_at')} not null,
       ${instant('booked_at')},
       ${instant('ended_at')},
       check (ends_at > starts_at),
       check (taken_until > taken_from),
       check (${atMost72Hours(engine)}),
       check ((party_size = 1) = (seats is null))`,
    ),
    `create index claims_by_resource on claims (resource_id, lasts_long, taken_from)`,
    // two holds of one session at the same moment have not seen each other
    `create unique index claims_of_session on claims (owner_id, owner_sequence) where owner_sequence is not null`,
    `create index claims_by_network on claims (client_network, expires_at) where client_network is not null`,
    `create index claims_by_wider_network on claims (client_wider_network, expires_at)
      where client_wider_network is not null`,
    `create index claims_by_expiry on claims (expires_at) where booked_at is null or ended_at is not null`,
  ]
}

/** The condition that a claim lasts at most 72 hours, which bounds the search for those that overlap. */
function atMost72Hours(engine: Engine): string {
  return engine === 'postgres'
    ? `taken_until - taken_from <= interval '72 hours'`
    : `taken_until <= strftime('%Y-%m-%dT%H:%M:%fZ', taken_from, '+72 hours')`
}

/**
 * Whether a claim lasts longer than three hours. What overlaps a time starts at most three hours before it, or is one of the
 * few that last long: so a full week costs a search no more than an empty one.
 */
function lastsLong(engine: Engine): string {
  return engine === 'postgres'
    ? `(taken_until - taken_from > interval '3 hours')::integer`
    : // null beyond the year 9999, which its dates cannot tell
      `coalesce(taken_until > strftime('%Y-%m-%dT%H:%M:%fZ', taken_from, '+3 hours'), 1)`
}

/** Looks into sets only where there is one. */
const sharesSeat = `
  ((claims.seats is not null or new.seats is not null) and exists (
    select 1 from json_each(coalesce(claims.seats, json_array(claims.seat))) as mine
             join json_each(coalesce(new.seats, json_array(new.seat))) as wanted on mine.value = wanted.value))`

/** No claim lasts longer than 72 hours, so those that can overlap start within 72 hours before. */
const inTheWay = (others = '') => {
  const since = (lasts_long: number, hours: number) => `
  exists (
  select 1 from claims
   where resource_id = new.resource_id
     and lasts_long = ${lasts_long}
     and taken_from < new.taken_until
     and taken_from >= strftime('%Y-%m-%dT%H:%M:%fZ', new.taken_from, '-${hours} hours')
     and taken_until > new.taken_from
     and ended_at is null
     and (seat = new.seat or occurrence_id <> new.occurrence_id or ${sharesSeat}) ${others})`
  return `(${since(0, 3)} or ${since(1, 72)})`
}

const overlapTriggers = [
  `create trigger claims_do_not_overlap before insert on claims when new.ended_at is null and ${inTheWay()}
   begin select raise(ignore); end`,
  // "on conflict do nothing" has no say over updates, so this one is an error; it ignores the row's own claim
  `create trigger claims_do_not_overlap_later
   before update of resource_id, seat, seats, occurrence_id, taken_from, taken_until, ended_at on claims
   when new.ended_at is null and ${inTheWay('and id <> old.id')}
   begin select raise(abort, 'claims_do_not_overlap'); end`,
]
