import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MariaDb, mariaDbProgram, startMariaDb } from './mariadb.ts'

/*
 * Databases of Easy!Appointments as dumps. Usually the dump is written here, in the columns of its tables. With
 * HOLDFAST_TEST_EASYAPPOINTMENTS=/path/to/a/checkout its own code makes the schema and saves every row, on PHP and MariaDB.
 */

export type Value = string | number | null | Value[] | { [name: string]: Value }

/** A name for references (`@name`), the kind, and the values of the row. */
export type EasyRecord = readonly [name: string, kind: Kind, values: Record<string, Value>]

type Kind = keyof typeof tables | 'settings' | 'providers' | 'customers' | 'unavailabilities'

const user =
  'first_name last_name email mobile_number phone_number address city state zip_code notes timezone language'

/** The columns of each table that have an ID of their own. */
const tables = {
  service_categories: 'name description',
  services:
    'name duration price currency description slot_interval attendants_number is_private id_service_categories',
  users: `${user} custom_field_1 custom_field_2 custom_field_3 custom_field_4 custom_field_5 is_private id_roles`,
  working_plan_exceptions: 'start_date end_date start_time end_time breaks id_users_provider',
  appointments:
    'book_datetime start_datetime end_datetime location meeting_link notes status is_unavailability id_users_provider id_users_customer id_services',
  blocked_periods: 'name start_datetime end_datetime notes',
} as const

const roles = ['admin', 'provider', 'customer', 'secretary']

/** Returns the dump of a database with some records, and the ID of each named one. */
export async function easyAppointmentsDump(
  records: readonly EasyRecord[],
): Promise<{ dump: string; ids: Record<string, number> }> {
  const checkout = process.env['HOLDFAST_TEST_EASYAPPOINTMENTS']
  return checkout === undefined || checkout === '' ? writtenDump(records) : realDump(records, checkout)
}

/** Writes a dump as mariadb-dump does. */
export function writtenDump(records: readonly EasyRecord[]): { dump: string; ids: Record<string, number> } {
  const ids: Record<string, number> = {}
  const rows = new Map<string, Record<string, Value>[]>()
  const add = (table: string, row: Record<string, Value>) => {
    const list = rows.get(table) ?? []
    rows.set(table, [...list, row])
  }
  const counts = new Map<string, number>()
  for (const [name, kind, given] of records) {
    const { services, settings, ...values } = resolved(given, ids) as Record<string, Value>
    if (kind === 'settings') {
      for (const [setting, value] of Object.entries(resolved(given, ids) as object))
        add('settings', { name: setting, value: value as Value })
      continue
    }
    const isUser = kind === 'providers' || kind === 'customers'
    const table = isUser ? 'users' : kind === 'unavailabilities' ? 'appointments' : kind
    const id = (counts.get(table) ?? 0) + 1
    counts.set(table, id)
    ids[name] = id
    const role = roles.indexOf(kind.replace(/s$/, '')) + 1
    add(table, {
      ...{ id, ...(isUser && { timezone: 'UTC', language: 'english', is_private: 0, id_roles: role }) },
      ...(table === 'appointments' && { is_unavailability: Number(kind === 'unavailabilities') }),
      ...values,
    })
    for (const service of (services ?? []) as number[])
      add('services_providers', { id_users: id, id_services: service })
    if (kind === 'providers') add('user_settings', { id_users: id, ...(settings as object) })
  }
  const { working_plan_exceptions: _, ...others } = tables
  const columns = {
    roles: 'id name slug',
    settings: 'name value',
    services_providers: 'id_users id_services',
    user_settings: 'id_users username password working_plan working_plan_exceptions',
    ...Object.fromEntries(Object.entries(others).map(([table, list]) => [table, `id ${list}`])),
    working_plan_exceptions: `id ${tables.working_plan_exceptions}`,
  }
  rows.set(
    'roles',
    roles.map((slug, index) => ({ id: index + 1, name: slug, slug })),
  )
  const parts = Object.entries(columns).map(([table, list]) =>
    tableText(table, list.split(' '), rows.get(table) ?? []),
  )
  return { dump: ['-- a dump; with "quotes" and \'others\'', ...parts].join('\n'), ids }
}

function resolved(value: Value, ids: Record<string, number>): Value {
  if (typeof value === 'string') return value.startsWith('@') ? (ids[value.slice(1)] ?? 0) : value
  if (Array.isArray(value)) return value.map((one) => resolved(one, ids))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one, ids)]))
}

function tableText(table: string, columns: string[], rows: Record<string, Value>[]): string {
  const name = `\`ea_${table}\``
  return [
    `DROP TABLE IF EXISTS ${name};`,
    `/*!40101 SET @saved_cs_client = @@character_set_client */;`,
    `CREATE TABLE ${name} (`,
    ...columns.map(
      (column, index) =>
        `  \`${column}\` longtext DEFAULT NULL COMMENT 'a, (b)'${index + 1 < columns.length ? ',' : ''}`,
    ),
    `) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;`,
    ...(rows.length === 0
      ? []
      : [
          `INSERT INTO ${name} VALUES`,
          `${rows.map((row) => `(${columns.map((column) => literal(row[column] ?? null)).join(',')})`).join(',\n')};`,
        ]),
  ].join('\n')
}

function literal(value: Value): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
}

/** Saves the records with the models of a checkout. The rows that its installation makes are deleted first. */
async function realDump(records: readonly EasyRecord[], checkout: string) {
  const program = mariaDbProgram()
  if (program === undefined) throw new Error('HOLDFAST_TEST_EASYAPPOINTMENTS needs MariaDB')
  const database = await startMariaDb(program)
  try {
    const directory = join(mkdtempSync(join(tmpdir(), 'holdfast-ea-')), 'easyappointments')
    cpSync(checkout, directory, { recursive: true, filter: (path) => !path.endsWith('/.git') })
    prepare(directory, database)
    const php = (...args: string[]) => [
      '-d',
      `mysqli.default_socket=${database.socket}`,
      'index.php',
      ...args,
    ]
    execFileSync('php', php('console', 'install'), { cwd: directory })
    database.run('delete from ea_users; delete from ea_services', database.name)
    const output = execFileSync('php', php('fill', 'index'), {
      cwd: directory,
      input: JSON.stringify(records),
    })
    return { dump: database.dump(), ids: JSON.parse(output.toString()) as Record<string, number> }
  } finally {
    await database.stop()
  }
}

function prepare(directory: string, { name, user: login, password }: MariaDb): void {
  const sample = readFileSync(join(directory, 'config-sample.php'), 'utf8')
  const values = { DB_HOST: 'localhost', DB_NAME: name, DB_USERNAME: login, DB_PASSWORD: password }
  const quoted = (value: string) => `'${value.replaceAll(/[\\']/g, '\\$&')}'`
  const config = Object.entries(values).reduce(
    (text, [constant, value]) =>
      text.replace(new RegExp(`${constant} = '[^']*'`), () => `${constant} = ${quoted(value)}`),
    sample,
  )
  writeFileSync(join(directory, 'config.php'), config)
  if (!existsSync(join(directory, 'vendor/autoload.php'))) {
    // its models need none of its libraries
    mkdirSync(join(directory, 'vendor'), { recursive: true })
    writeFileSync(join(directory, 'vendor/autoload.php'), '<?php\n')
  }
  writeFileSync(join(directory, 'application/controllers/Fill.php'), fill)
}

/** Saves each record of standard input with its model, and prints the IDs. */
const fill = `<?php
class Fill extends EA_Controller
{
    public function index(): void
    {
        $ids = [];
        foreach (json_decode(stream_get_contents(STDIN), true) as [$name, $kind, $values]) {
            array_walk_recursive($values, function (&$value) use (&$ids) {
                if (is_string($value) && str_starts_with($value, '@')) $value = $ids[substr($value, 1)];
            });
            if ($kind === 'settings') {
                setting($values);
                continue;
            }
            $this->load->model($kind . '_model');
            $ids[$name] = $this->{$kind . '_model'}->save($values);
        }
        echo json_encode($ids);
    }
}
`
