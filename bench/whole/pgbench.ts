import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Recording, Step } from './record.ts'

/** The newest pgbench of an installed PostgreSQL; undefined when there is none. */
export function findPgbench(): string | undefined {
  return globSync('/usr/lib/postgresql/*/bin/pgbench').toSorted().at(-1)
}

/** Transactions a second of pgbench whose only statement is the insert of a claim as the service sends it. */
export async function runPgbench(
  url: string,
  recording: Recording,
  { program, clients, seconds }: { program: string; clients: number; seconds: number },
): Promise<number> {
  const steps = recording.scripts.get('hold')?.at(-1) ?? []
  const insert = steps.find(({ sql }) => sql.startsWith('insert into "claims"'))
  if (!insert) throw new Error('no insert of a claim was recorded')
  const script = join(mkdtempSync(join(tmpdir(), 'holdfast-bench-')), 'claim.sql')
  writeFileSync(script, `${withOwnValues(insert)};\n`)
  const options = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(seconds)]
  const { stdout } = await promisify(execFile)(program, [...options, '-f', script, url])
  return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1])
}

/** The recorded values, but ids of its own and a resource of its own for each row, so that none is in the way. */
function withOwnValues({ sql, values }: Step): string {
  const columns = /\(([^)]+)\) values/.exec(sql)?.[1]?.split(', ') ?? []
  const own = ['"id"', '"resource_id"', '"occurrence_id"']
  return sql.replace(/\$(\d+)/g, (_, number: string) => {
    const index = Number(number) - 1
    if (own.includes(columns[index] ?? '')) return 'gen_random_uuid()'
    const value = values[index]
    return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
  })
}
