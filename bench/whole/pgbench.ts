import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Round } from './figures.ts'
import type { Recording, Step } from './record.ts'
import { temporaryFile } from './temporary-file.ts'

/** As many as the service has connections by default. */
const mostClients = 10
/** The shortest that pgbench can. */
const roundSeconds = 1

/** pgbench whose only statement is the insert of a claim as the service sends it. */
export class Pgbench {
  private readonly program: string
  private readonly script: string
  private readonly url: string

  private constructor(program: string, script: string, url: string) {
    this.program = program
    this.script = script
    this.url = url
  }

  /** Undefined when there is no pgbench here, or no insert of a claim was recorded. */
  static open(url: string, recording: Recording): Pgbench | undefined {
    const program = findPgbench()
    const steps = recording.scripts.get('hold')?.at(-1) ?? []
    const insert = steps.find(({ sql }) => sql.startsWith('insert into "claims"'))
    if (program === undefined || !insert) {
      console.warn(
        `There is no ${insert ? 'pgbench' : 'insert of a claim to give to pgbench'}: it is left out.`,
      )
      return undefined
    }
    return new Pgbench(program, temporaryFile('claim.sql', `${withOwnValues(insert)};\n`), url)
  }

  /** So many at once, but no more than the service has connections. */
  async run(concurrency: number): Promise<Round> {
    const clients = Math.min(concurrency, mostClients)
    const options = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(roundSeconds)]
    const { stdout } = await promisify(execFile)(this.program, [...options, '-f', this.script, this.url])
    return { done: Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]) * roundSeconds, seconds: roundSeconds }
  }
}

/** The newest pgbench of an installed PostgreSQL; undefined when there is none. */
function findPgbench(): string | undefined {
  return globSync('/usr/lib/postgresql/*/bin/pgbench')
    .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .at(-1)
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
