import { migrationNames } from '../database/migrate.ts'
import type { SqliteContents } from '../database/sqlite-file.ts'
import { overlapRuleNames } from '../diagnosis/finding-rules.ts'
import { OperatorError } from '../errors.ts'

/** Throws an OperatorError that says why this is nothing that Holdfast could go on with. */
export function assertRestorable(file: string, { damages, migrations, triggers }: SqliteContents): void {
  if (damages.length > 0) throw new OperatorError(`${file} is damaged: ${damages.join('; ')}.`)
  if (migrations === undefined) throw new OperatorError(`${file} is no database of Holdfast.`)
  const unknown = migrations.filter((name) => !migrationNames.includes(name))
  if (unknown.length > 0) {
    throw new OperatorError(
      `${file} is of a newer release of Holdfast, which has the migration ${unknown.join(', ')}. Use that release.`,
    )
  }
  const missing = overlapRuleNames.sqlite.filter((name) => !triggers.includes(name))
  if (missing.length > 0) {
    throw new OperatorError(`${file} lacks ${missing.join(', ')}: slots could be sold twice in it.`)
  }
}
