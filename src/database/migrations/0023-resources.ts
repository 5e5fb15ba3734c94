import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Rooms and equipment of a location, the steps, needs and terms of services, and blocks of rooms. JSON columns of
 * services hold needs and terms. Link tables keep them within the business, the locations and the staff of the
 * service. Their keys are checked at commit, because servers of the previous release replace the rows of a service.
 */
export async function resources(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const statement of [...tables(engine), ...columns(engine), ...blocks[engine](engine)])
    await sql.raw(statement).execute(db)
}

function tables(engine: Engine): string[] {
  const { id, instant, json, sortedText, table } = columnTypes(engine)
  const atCommit = 'deferrable initially deferred'
  return [
    table(
      'resources',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       location_id ${id} not null,
       name ${sortedText} not null,
       quantity integer not null check (quantity between 1 and 500),
       weekly_hours_json ${json},
       date_overrides_json ${json} not null,
       ${instant('created_at')} not null,
       ${instant('deactivated_at')},
       unique (business_id, id),
       unique (business_id, location_id, id),
       foreign key (business_id, location_id) references locations (business_id, id)`,
    ),
    `create index resources_by_name on resources (business_id, name, id)`,
    table(
      'service_resources',
      `business_id ${id} not null,
       service_id ${id} not null,
       location_id ${id} not null,
       resource_id ${id} not null,
       primary key (service_id, resource_id),
       foreign key (business_id, service_id) references services (business_id, id),
       foreign key (business_id, location_id, resource_id) references resources (business_id, location_id, id),
       foreign key (service_id, location_id) references service_locations (service_id, location_id) ${atCommit}`,
    ),
    table(
      'service_terms',
      `business_id ${id} not null,
       service_id ${id} not null,
       staff_id ${id} not null,
       primary key (service_id, staff_id),
       foreign key (business_id, service_id) references services (business_id, id),
       foreign key (business_id, staff_id) references staff (business_id, id),
       foreign key (service_id, staff_id) references service_staff (service_id, staff_id) ${atCommit}`,
    ),
  ]
}

function columns(engine: Engine): string[] {
  const { json } = columnTypes(engine)
  return [
    `alter table services add column steps_json ${json}`,
    `alter table services add column needs_json ${json}`,
    `alter table services add column terms_json ${json}`,
    `alter table businesses add column max_gap_minutes integer not null default 0 check (max_gap_minutes between 0 and 120)`,
    `alter table businesses add column max_resources integer check (max_resources > 0)`,
  ]
}

const oneTarget = `(location_id is not null) + (staff_id is not null) + (resource_id is not null) = 1`

/** A block of a room has neither a location nor a staff member, which the first schema required. */
const blocks: Record<Engine, (engine: Engine) => string[]> = {
  postgres: () => [
    `alter table blocks
       add column resource_id uuid,
       drop constraint blocks_check1,
       add constraint blocks_of_one check (num_nonnulls(location_id, staff_id, resource_id) = 1) not valid,
       add constraint blocks_resource foreign key (business_id, resource_id) references resources (business_id, id) not valid`,
    blocksByResource,
  ],
  // SQLite cannot remove a constraint, and copies even many blocks in a moment
  sqlite: (engine) => {
    const { id, instant, table } = columnTypes(engine)
    const kept =
      'id, business_id, location_id, staff_id, starts_at, ends_at, reason, created_at, busy_calendar_id'
    return [
      table(
        'blocks_of_one',
        `id ${id} primary key,
         business_id ${id} not null references businesses (id),
         location_id ${id},
         staff_id ${id},
         ${instant('starts_at')} not null,
         ${instant('ends_at')} not null,
         reason text,
         ${instant('created_at')} not null,
         busy_calendar_id ${id} references busy_calendars (id),
         resource_id ${id},
         check (ends_at > starts_at),
         check (${oneTarget}),
         foreign key (business_id, location_id) references locations (business_id, id),
         foreign key (business_id, staff_id) references staff (business_id, id),
         foreign key (business_id, resource_id) references resources (business_id, id)`,
      ),
      `insert into blocks_of_one (${kept}) select ${kept} from blocks`,
      `drop table blocks`,
      `alter table blocks_of_one rename to blocks`,
      `create index blocks_by_start on blocks (business_id, starts_at, id)`,
      `create index blocks_by_location on blocks (location_id, ends_at) where location_id is not null`,
      `create index blocks_by_staff on blocks (staff_id, ends_at) where staff_id is not null`,
      `create index blocks_of_busy_calendar on blocks (busy_calendar_id) where busy_calendar_id is not null`,
      blocksByResource,
    ]
  },
}

const blocksByResource = `create index blocks_by_resource on blocks (resource_id, ends_at) where resource_id is not null`
