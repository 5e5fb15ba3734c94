import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { endingWithUs } from './children.ts'

/*
 * The speed of PostgreSQL without the service: pgbench inserts rows like those of holds, each in a separate
 * transaction.
 */

/** Default connections of a server to PostgreSQL. */
const poolSize = 10
const resources = 40

/** Returns the version of pgbench, or undefined if it is not installed. */
export async function pgbenchVersion(): Promise<string | undefined> {
  try {
    return (await pgbench(['--version'], '')).trim()
  } catch {
    return undefined
  }
}

/**
 * Returns the inserts a second into a copy of `claims`, with its indexes and constraints. Uses as many connections as
 * the servers have. There must be a hold to copy.
 */
export async function insertsPerSecond(
  databaseUrl: string,
  { servers, seconds }: { servers: number; seconds: number },
): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('create table claims_of_pgbench (like claims including all)')
    const script = await scriptOf(client)
    const load = ['--client', String(poolSize * servers), '--time', String(Math.ceil(seconds))]
    const options = ['--no-vacuum', '--protocol', 'prepared', '--define', 'turn=0', '--file', '-']
    const said = await pgbench([...load, ...options, databaseUrl], script)
    return Number(/^tps = ([\d.]+)/m.exec(said)?.[1])
  } finally {
    await client.query('drop table if exists claims_of_pgbench')
    await client.end()
  }
}

/** Inserts the newest hold of the service repeatedly, with another owner, and as if for another slot. */
async function scriptOf(client: pg.Client): Promise<string> {
  const { rows: columns } = await client.query<{ name: string }>(
    `select quote_ident(column_name) as name from information_schema.columns
      where table_schema = 'public' and table_name = 'claims' and is_generated = 'NEVER' order by ordinal_position`,
  )
  const names = columns.map(({ name }) => name)
  const texts = names.map((name) => `${name}::text`).join(', ')
  const { rows } = await client.query<Record<string, string | null>>(
    `select ${texts} from claims order by created_at desc limit 1`,
  )
  const hold = rows[0]
  if (!hold) throw new Error('pgbench has no hold to copy')
  const ids = Array.from({ length: resources }, () => `'${randomUUID()}'`).join(', ')
  const from = `timestamptz '2100-01-01Z' + :slot::integer / ${resources} * interval '15 minutes'`
  const until = `${from} + interval '15 minutes'`
  const own: Record<string, string> = {
    ...Object.fromEntries(['id', 'owner_id', 'occurrence_id'].map((name) => [name, 'gen_random_uuid()'])),
    ...{ starts_at: from, taken_from: from, ends_at: until, taken_until: until },
    resource_id: `(array[${ids}]::uuid[])[1 + :slot::integer % ${resources}]`,
    client_network: 'md5(random()::text)',
  }
  const values = names.map((name) => {
    const text = hold[name]
    return text === null || text === undefined ? 'null' : (own[name] ?? client.escapeLiteral(text))
  })
  return `\\set slot :turn * ${poolSize * 2} + :client_id
\\set turn :turn + 1
insert into claims_of_pgbench (${names.join(', ')}) values (${values.join(', ')}) on conflict do nothing returning id;
`
}

function pgbench(args: string[], script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile('pgbench', args, (error, stdout) => {
      if (error) reject(new Error(`pgbench: ${error.message}`, { cause: error }))
      else resolve(stdout)
    })
    endingWithUs(child)
      .stdin?.on('error', () => undefined)
      .end(script)
  })
}
