import type { Command } from 'commander'
import { readFileSync, statSync } from 'node:fs'
import { CatalogueFile } from '../catalogue/catalogue-file-schema.ts'
import {
  importCatalogue,
  type FieldChanges,
  type ImportReport,
  type Tally,
} from '../catalogue/import-catalogue.ts'
import { OperatorError, Problem, UsageError, type Fault } from '../errors.ts'
import { normalise } from '../http/json-body.ts'
import { compileCreation, faultsOf } from '../http/validation.ts'
import { print, withDatabase } from './run-command.ts'
import { tableLines } from './table.ts'

/** More than any business fills. */
const mostBytes = 32 * 1024 * 1024
const standardInput = 0

interface ImportFlags {
  business?: string
  dryRun?: boolean
  overwriteBusiness?: boolean
  json?: boolean
}

/** `holdfast import`: loads a whole business from a file, all or nothing. */
export function addImport(program: Command): void {
  program
    .command('import <file>')
    .description(
      'load a whole business from a JSON file ("-": from the standard input), all of it or nothing',
    )
    .option('--business <id>', 'load it into this business')
    .option('--dry-run', 'change nothing, and say what would be changed')
    .option(
      '--overwrite-business',
      "change the business's own name, zone, plan and brand too; without it only a file with its id does",
    )
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExamples:\n  $ holdfast import salon.json\n  $ holdfast export 0198… | holdfast import - --business 0198…',
    )
    .action(async (path: string, { business, dryRun, overwriteBusiness, json }: ImportFlags) => {
      const file = checkFile(readJson(path), path)
      const report = await withDatabase((context) =>
        importCatalogue(context, file, {
          businessId: business,
          overwriteBusiness: overwriteBusiness ?? false,
          dryRun: dryRun ?? false,
        }).catch((error: unknown) => {
          if (error instanceof Problem && error.parts.errors) throw faultyFile(path, error.parts.errors)
          throw error
        }),
      )
      print(report, { json, lines: () => reportLines(report) })
    })
}

function readJson(path: string): unknown {
  const text = readText(path)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${nameOf(path)} is no JSON: ${error instanceof Error ? error.message : ''}`)
  }
}

function readText(path: string): string {
  try {
    if (path !== '-' && statSync(path).size > mostBytes) {
      throw new UsageError(`${path} has more than ${mostBytes} bytes.`)
    }
    const bytes = readFileSync(path === '-' ? standardInput : path)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new UsageError(`${nameOf(path)} cannot be read: ${error instanceof Error ? error.message : ''}`)
  }
}

function checkFile(value: unknown, path: string): CatalogueFile {
  const fits = compileCreation(CatalogueFile)
  const file = normalise(value)
  if (fits(file)) return file as CatalogueFile // it fits the schema
  throw faultyFile(path, faultsOf(fits.errors ?? []))
}

/** Every fault on a line of its own. */
function faultyFile(path: string, faults: Fault[]): UsageError {
  const lines = faults.map(({ pointer, detail }) => `  ${pointer || 'the file'} ${detail}`)
  const many = faults.length === 1 ? 'a fault' : `${faults.length} faults`
  return new UsageError([`${nameOf(path)} has ${many}; nothing was imported.`, ...lines].join('\n'))
}

function nameOf(path: string): string {
  return path === '-' ? 'The standard input' : path
}

const nouns = { locations: 'location', staff: 'staff member', services: 'service' }

function reportLines({ dry_run, business, changes, ...lists }: ImportReport): string[] {
  const row = (name: string, { created, changed, unchanged }: Tally) => [
    ...[name, String(created), String(changed), String(unchanged)],
  ]
  const left = fieldLines(business.left)
  return [
    ...(dry_run ? ['Nothing was changed (--dry-run). It would be:'] : []),
    `business ${business.id === null ? '' : `${business.id}  `}${business.name}${business.created ? '  (new)' : ''}`,
    ...fieldLines(business.changed),
    ...(left.length > 0 ? ['left as they are (--overwrite-business changes them):', ...left] : []),
    ...changes.flatMap(({ kind, name, action, fields }) => [
      `${action} ${nouns[kind]} ${name}`,
      ...fieldLines(fields),
    ]),
    ...tableLines(
      ['', 'CREATED', 'CHANGED', 'UNCHANGED'],
      [row('locations', lists.locations), row('staff', lists.staff), row('services', lists.services)],
    ),
  ]
}

function fieldLines(fields: FieldChanges): string[] {
  return Object.entries(fields).map(([field, { from, to }]) => `  ${field}: ${shown(from)} → ${shown(to)}`)
}

function shown(value: unknown): string {
  return value === null ? '(default)' : JSON.stringify(value)
}
