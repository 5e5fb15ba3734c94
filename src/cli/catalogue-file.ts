import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { type FieldError, OperatorError, Problem, UsageError } from '../base/errors.ts'
import { CatalogueFile } from '../catalogue/catalogue-file-schemas.ts'
import { itemNouns } from '../catalogue/catalogue-types.ts'
import { exportCatalogue } from '../catalogue/export.ts'
import { type FieldChanges, importCatalogue, type ImportReport, type Tally } from '../catalogue/import.ts'
import { normalise } from '../base/normalise.ts'
import { compileCreation, fieldErrorsOf } from '../base/validation.ts'
import { importFrom, type SourceOptions, systems } from './import-source.ts'
import {
  type CliCommand,
  print,
  tableLines,
  withDatabase,
  withExistingDatabase,
  writeLines,
} from './command-line.ts'

interface ImportOptions extends Partial<SourceOptions> {
  dryRun?: boolean
  overwriteBusiness?: boolean
}

/** Larger than the file of any real business. */
const maxBytes = 32 * 1024 * 1024
const standardInput = 0

export function registerImport(program: CliCommand): void {
  program
    .command('import <file>')
    .description(
      'import a business from a JSON file ("-" is standard input), all or nothing; with --from, print the plan of a move from another system',
    )
    .option('--from <system>', `move from another system: ${systems.join(', ')}`)
    .option('--apply', 'with --from: import what the plan says')
    .option('--business <name or id>', 'import into this business')
    .option('--dry-run', 'print what would change, without changing it')
    .option(
      '--overwrite-business',
      "also change the business's name, zone, plan and brand (default: only if the file contains its ID)",
    )
    .option('--location <name or id>', 'with --from: the location of everything that is imported')
    .option('--currency <code>', 'with --from: the currency of prices without a known one')
    .option('--timezone <name>', 'with --from: the time zone where the other system has its default, UTC')
    .option('--column <heading=meaning...>', 'with --from csv: the meaning of a column')
    .option('--date-order <order>', 'with --from csv: dmy or mdy, for dates such as 01/02/2026')
    .option('--instance <name>', 'with --from: a name that distinguishes several sources of one system')
    .withJson()
    .examples(
      'import salon.json',
      'export 0198… | holdfast import - --business 0198…',
      'import --from easyappointments easyappointments.sql --business "Salon Spree"',
      'import --from easyappointments mysql://reader@db.example.com/easyappointments --business "Salon Spree" --apply',
    )
    .action(async (path: string, options: ImportOptions) => {
      if (options.from !== undefined) {
        if (options.dryRun || options.overwriteBusiness)
          throw new UsageError(
            '--from prints the plan unless --apply is given; --dry-run and --overwrite-business are for files.',
          )
        return importFrom(path, { ...options, from: options.from })
      }
      const sourceOnly = (
        ['apply', 'location', 'currency', 'timezone', 'instance', 'column', 'dateOrder'] as const
      ).find((name) => options[name] !== undefined)
      if (sourceOnly)
        throw new UsageError(`--${sourceOnly === 'dateOrder' ? 'date-order' : sourceOnly} needs --from.`)
      const { business: businessId, dryRun = false, overwriteBusiness = false, json } = options
      const file = checkFile(readJson(path), path)
      const report = await withDatabase((context) =>
        importCatalogue(context, file, { businessId, overwriteBusiness, dryRun }).catch((error: unknown) => {
          if (error instanceof Problem && error.parts.errors) throw invalidFile(path, error.parts.errors)
          throw error
        }),
      )
      return print(report, json, () => reportLines(report))
    })
}

function readJson(path: string): unknown {
  const text = readText(path)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${nameOf(path)} is not valid JSON: ${reasonOf(error)}`)
  }
}

function readText(path: string): string {
  try {
    if (path !== '-' && statSync(path).size > maxBytes) {
      throw new UsageError(`${path} has more than ${maxBytes} bytes.`)
    }
    const bytes = readFileSync(path === '-' ? standardInput : path)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new UsageError(`${nameOf(path)} cannot be read: ${reasonOf(error)}`)
  }
}

function checkFile(value: unknown, path: string): CatalogueFile {
  const validate = compileCreation(CatalogueFile)
  const file = normalise(value)
  if (validate(file)) return file as CatalogueFile // the schema has just accepted it
  throw invalidFile(path, fieldErrorsOf(validate.errors ?? []))
}

function invalidFile(path: string, errors: FieldError[]): UsageError {
  const lines = errors.map(({ pointer, detail }) => `  ${pointer || 'the file'} ${detail}`)
  const count = errors.length === 1 ? 'an error' : `${errors.length} errors`
  return new UsageError([`${nameOf(path)} has ${count}; nothing was imported.`, ...lines].join('\n'))
}

function nameOf(path: string): string {
  return path === '-' ? 'Standard input' : path
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

function reportLines({ dry_run, business, changes, ...lists }: ImportReport): string[] {
  const row = (name: string, { created, changed, unchanged }: Tally) =>
    [name, created, changed, unchanged].map(String)
  const left = fieldLines(business.left)
  return [
    ...(dry_run ? ['Nothing was changed (--dry-run). The import would report:'] : []),
    `business ${business.id === null ? '' : `${business.id}  `}${business.name}${business.created ? '  (new)' : ''}`,
    ...fieldLines(business.changed),
    ...(left.length > 0 ? ['left unchanged (--overwrite-business changes them):', ...left] : []),
    ...changes.flatMap(({ kind, name, action, fields }) => [
      `${action} ${itemNouns[kind]} ${name}`,
      ...fieldLines(fields),
    ]),
    ...tableLines(
      ['', 'CREATED', 'CHANGED', 'UNCHANGED'],
      (['locations', 'staff', 'resources', 'services'] as const).map((kind) => row(kind, lists[kind])),
    ),
  ]
}

function fieldLines(fields: FieldChanges): string[] {
  const shown = (value: unknown) => (value === null ? '(default)' : JSON.stringify(value))
  return Object.entries(fields).map(([field, { from, to }]) => `  ${field}: ${shown(from)} → ${shown(to)}`)
}

export function registerExport(program: CliCommand): void {
  program
    .command('export <business>')
    .description('export a business to a file for import')
    .option('--output <file>', 'write to this file ("-": standard output)', '-')
    .examples('export 0198… --output salon.json', 'export "Salon Spree" --output salon.json')
    .action(async (business: string, { output }: { output: string }) => {
      const file = await withExistingDatabase((context) => exportCatalogue(context, business))
      const text = JSON.stringify(file, null, 2)
      if (output === '-') writeLines([text])
      else writeTo(output, `${text}\n`)
    })
}

function writeTo(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${reasonOf(error)}`)
  }
}
