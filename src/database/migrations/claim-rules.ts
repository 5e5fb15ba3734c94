import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * The two rules that prevent selling a slot twice, over half-open times:
 *  1. Claims of one resource that share a seat do not overlap, including claims of several seats.
 *  2. Overlapping claims of one resource belong to one occurrence.
 * On both engines, `insert … on conflict do nothing` skips a claim that breaks a rule and returns no row.
 */
export const overlapRuleNames = {
  postgres: ['claims_of_one_seat_do_not_overlap', 'claims_that_overlap_are_one_occurrence'],
  sqlite: ['claims_do_not_overlap', 'claims_do_not_overlap_later'],
}

/** Returns the statements that create the rules. */
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

/** Holds, and the times of the bookings that they become. An ended claim has freed its time. */
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
    // two simultaneous holds of one session have not seen each other
    `create unique index claims_of_session on claims (owner_id, owner_sequence) where owner_sequence is not null`,
    `create index claims_by_network on claims (client_network, expires_at) where client_network is not null`,
    `create index claims_by_wider_network on claims (client_wider_network, expires_at)
      where client_wider_network is not null`,
    `create index claims_by_expiry on claims (expires_at) where booked_at is null or ended_at is not null`,
  ]
}

/** A claim lasts at most 72 hours, which bounds the search for overlapping claims. */
function atMost72Hours(engine: Engine): string {
  return engine === 'postgres'
    ? `taken_until - taken_from <= interval '72 hours'`
    : `taken_until <= strftime('%Y-%m-%dT%H:%M:%fZ', taken_from, '+72 hours')`
}

/**
 * Marks claims that last longer than three hours. Claims that overlap a time start at most three hours before it, or
 * are among the few long ones. Therefore a full week costs a search no more than an empty one.
 */
function lastsLong(engine: Engine): string {
  return engine === 'postgres'
    ? `(taken_until - taken_from > interval '3 hours')::integer`
    : // null beyond the year 9999, which SQLite's dates cannot represent
      `coalesce(taken_until > strftime('%Y-%m-%dT%H:%M:%fZ', taken_from, '+3 hours'), 1)`
}

/** Compares sets only if a claim has one. */
const sharesSeat = `
  ((claims.seats is not null or new.seats is not null) and exists (
    select 1 from json_each(coalesce(claims.seats, json_array(claims.seat))) as mine
             join json_each(coalesce(new.seats, json_array(new.seat))) as wanted on mine.value = wanted.value))`

/** No claim lasts longer than 72 hours, so overlapping ones start within the 72 hours before. */
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
  // "on conflict do nothing" does not cover updates, so this trigger raises an error; it ignores the row's own claim
  `create trigger claims_do_not_overlap_later
   before update of resource_id, seat, seats, occurrence_id, taken_from, taken_until, ended_at on claims
   when new.ended_at is null and ${inTheWay('and id <> old.id')}
   begin select raise(abort, 'claims_do_not_overlap'); end`,
]
