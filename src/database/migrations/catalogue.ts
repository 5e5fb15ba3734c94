import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

const plans = `('growth', 'pro', 'enterprise')`

/**
 * Tables of callers and of the catalogue. Foreign keys between them include the `business_id`, so no service has the
 * staff of another business. Sessions are too many for foreign keys (docs/decisions/0020-no-keys-to-what-stays.md).
 */
export function catalogueTables(engine: Engine): string[] {
  return [...callerTables(engine), ...offerTables(engine)]
}

function callerTables(engine: Engine): string[] {
  const { id, instant, json, sortedText, table } = columnTypes(engine)
  return [
    table(
      'hubs',
      `id ${id} primary key,
       name text not null,
       plan text not null check (plan in ${plans}),
       ${instant('created_at')} not null`,
    ),
    table(
      'businesses',
      `id ${id} primary key,
       hub_id ${id} references hubs (id),
       name ${sortedText} not null,
       plan text not null check (plan in ${plans}),
       timezone text not null,
       brand_name text,
       brand_color text,
       brand_logo_url text,
       limit_per_minute integer check (limit_per_minute > 0),
       limit_per_hour integer check (limit_per_hour > 0),
       max_bookings_per_client integer default 5 check (max_bookings_per_client between 1 and 100),
       trusted_networks_json ${json},
       locale text not null default 'en',
       reply_to_email text,
       notify_emails_json ${json},
       reminder_hours_json ${json} not null default '[24]',
       quiet_hours_json ${json},
       catalogue_version integer not null,
       ${instant('created_at')} not null`,
    ),
    `create index businesses_by_hub on businesses (hub_id) where hub_id is not null`,
    table(
      'api_keys',
      `id ${id} primary key,
       type text not null check (type in ('hub', 'business', 'publishable')),
       hub_id ${id} references hubs (id),
       business_id ${id} references businesses (id),
       digest text not null unique,
       last_four text not null,
       label text check (length(label) between 1 and 100),
       allowed_origins_json ${json},
       ${instant('created_at')} not null,
       ${instant('revoked_at')},
       check ((type = 'hub') = (hub_id is not null)),
       check ((type = 'hub') = (business_id is null))`,
    ),
    `create index api_keys_by_business on api_keys (business_id, created_at, id) where business_id is not null`,
    table(
      'sessions',
      `id ${id} primary key,
       business_id ${id} not null,
       api_key_id ${id} not null,
       owner_id ${id} not null,
       digest text not null unique,
       last_four text not null,
       ${instant('created_at')} not null,
       ${instant('expires_at')} not null,
       ${instant('ended_at')}`,
    ),
    `create index sessions_by_expiry on sessions (expires_at)`,
  ]
}

function offerTables(engine: Engine): string[] {
  const { id, instant, json, sortedText, table } = columnTypes(engine)
  const pair = (left: string, right: string, plural: string) => `
       business_id ${id} not null,
       ${left}_id ${id} not null,
       ${right}_id ${id} not null,
       primary key (${left}_id, ${right}_id),
       foreign key (business_id, ${left}_id) references ${left === 'staff' ? 'staff' : 'services'} (business_id, id),
       foreign key (business_id, ${right}_id) references ${plural} (business_id, id)`
  return [
    table(
      'locations',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       name ${sortedText} not null,
       timezone text not null,
       address text,
       online_url text,
       weekly_hours_json ${json},
       date_overrides_json ${json} not null,
       ${instant('created_at')} not null,
       ${instant('deactivated_at')},
       unique (business_id, id)`,
    ),
    `create index locations_by_name on locations (business_id, name, id)`,
    table(
      'staff',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       name ${sortedText} not null,
       email text,
       weekly_hours_json ${json},
       date_overrides_json ${json} not null,
       ${instant('created_at')} not null,
       ${instant('deactivated_at')},
       unique (business_id, id)`,
    ),
    `create index staff_by_name on staff (business_id, name, id)`,
    table(
      'services',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       name ${sortedText} not null,
       description text,
       duration_minutes integer not null check (duration_minutes between 1 and 1440),
       buffer_before_minutes integer not null check (buffer_before_minutes between 0 and 720),
       buffer_after_minutes integer not null check (buffer_after_minutes between 0 and 720),
       slot_interval_minutes integer not null check (slot_interval_minutes between 5 and 1440),
       min_notice_minutes integer not null check (min_notice_minutes >= 0),
       max_advance_days integer check (max_advance_days >= 0),
       cancel_until_minutes integer check (cancel_until_minutes between 0 and 43200),
       reschedule_until_minutes integer check (reschedule_until_minutes between 0 and 43200),
       max_reschedules integer not null check (max_reschedules between 0 and 100),
       capacity integer not null check (capacity between 1 and 500),
       price_amount integer check (price_amount >= 0),
       price_currency text,
       deposit_amount integer check (deposit_amount >= 0),
       deposit_currency text,
       custom_fields_json ${json} not null,
       timetable_json ${json},
       ${instant('created_at')} not null,
       ${instant('deactivated_at')},
       unique (business_id, id),
       check ((price_amount is null) = (price_currency is null)),
       check ((deposit_amount is null) = (deposit_currency is null))`,
    ),
    `create index services_by_name on services (business_id, name, id)`,
    table('staff_locations', pair('staff', 'location', 'locations')),
    table('service_locations', pair('service', 'location', 'locations')),
    table('service_staff', pair('service', 'staff', 'staff')),
    table(
      'blocks',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       location_id ${id},
       staff_id ${id},
       ${instant('starts_at')} not null,
       ${instant('ends_at')} not null,
       reason text,
       ${instant('created_at')} not null,
       check (ends_at > starts_at),
       check ((location_id is null) <> (staff_id is null)),
       foreign key (business_id, location_id) references locations (business_id, id),
       foreign key (business_id, staff_id) references staff (business_id, id)`,
    ),
    `create index blocks_by_start on blocks (business_id, starts_at, id)`,
    // past blocks, however many, do not slow down availability
    `create index blocks_by_location on blocks (location_id, ends_at) where location_id is not null`,
    `create index blocks_by_staff on blocks (staff_id, ends_at) where staff_id is not null`,
  ]
}
