import type { TSchema } from 'typebox'
import { operator } from '../access/actor.ts'
import { ambiguousName, type Named, Problem, unknownId, UsageError } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { mostPerPage } from '../base/paging.ts'
import type { Context } from '../bookings/context.ts'
import { showBusiness } from '../catalogue/business.ts'
import {
  type CatalogueItem,
  type CatalogueKind,
  changeInCatalogue,
  createInCatalogue,
  type CreationInput,
  listCatalogue,
  showOfCatalogue,
  type WritableKind,
  listWholeCatalogue,
} from '../catalogue/catalogue.ts'
import { staffKind } from '../catalogue/catalogue-kinds.ts'
import { resolveReferences } from '../catalogue/import.ts'
import { type CliCommand, type Columns, print, printPage, withExistingDatabase } from './command-line.ts'
import {
  assertChanges,
  checkedChange,
  checkedCreation,
  given,
  inOptions,
  numberIn,
  type OptionNames,
  readFields,
  type Readers,
  readInteger,
  readOverride,
  readWeeklyHours,
  repeated,
  unlessNone,
} from './input.ts'
import { ownerOfList } from './list-owner.ts'

/** A service, location, staff member or resource. */
type Item = CatalogueItem & Named

/** The definition of the create, update and list commands of one kind. */
export interface ItemCommands<
  Row extends Item,
  Creation extends CreationInput,
  Change extends object,
  Options,
> {
  /** The word after `holdfast`. */
  word: string
  plural: string
  texts: { create: string; update: string }
  /** Command lines without the leading `holdfast` and word. */
  examples: { create: [string, ...string[]]; update: string[] }
  /** Adds the options of this kind. Options that exist only for creation are then required. */
  withOptions: (command: CliCommand, isNew: boolean) => CliCommand
  kind: CatalogueKind<Row, unknown>
  writable: WritableKind<Row, Creation, Change>
  schemas: { create: TSchema; change: TSchema }
  optionNames: OptionNames
  /** Readers for the API fields that the options set. They throw UsageErrors. */
  readers: (context: Context, businessId: string, options: Options) => Readers
  /** List columns between name and state. */
  columns: Columns<Row>
  /** Text to print after the name of a created or changed item. */
  detail?: (row: Row) => string
}

type ForLists = 'kind' | 'columns' | 'word' | 'plural'

/** Options for creating an item of any kind. */
interface CreateOptions {
  business: string
  json?: boolean
}

/** Options for changing an item of any kind. */
interface UpdateOptions {
  name?: string
  active?: boolean
  json?: boolean
}

export interface ScheduleOptions {
  hours?: string
  /** False after `--no-override`. */
  override?: string[] | false
}

export interface ShownOptions {
  slug?: string
  position?: string
  description?: string
  imageUrl?: string
}

interface ListOptions {
  business?: string
  limit: string
  cursor?: string
  json?: boolean
}

/** Options of locations and staff with a different name from their field. */
export const scheduleOptionNames: OptionNames = {
  name: 'The name',
  weekly_hours: '--hours',
  date_overrides: '--override',
  location_ids: '--location',
}

async function createItem<Row extends Item, Creation extends CreationInput, Change extends object, Options>(
  commands: ItemCommands<Row, Creation, Change, Options>,
  name: string,
  { business, json, ...options }: CreateOptions & Options,
): Promise<void> {
  const { writable, schemas, optionNames, readers } = commands
  const created = await withExistingDatabase(async (context) => {
    const { id } = await showBusiness(context, business)
    const { fields, faults } = await readFields(readers(context, id, options as Options)) // the remaining options belong to the kind
    const body = { business_id: id, name, ...fields }
    const input = checkedCreation(schemas.create, body, optionNames, faults) as Creation // validated by the schema of the same kind
    return inOptions(optionNames, () => createInCatalogue(context, operator, { kind: writable, input }))
  })
  print(created, json, () => [itemLine(commands, created)])
}

async function updateItem<Row extends Item, Creation extends CreationInput, Change extends object, Options>(
  commands: ItemCommands<Row, Creation, Change, Options>,
  reference: string,
  { name, active, json, ...options }: UpdateOptions & Options,
): Promise<void> {
  const { kind, writable, schemas, optionNames, readers } = commands
  const changed = await withExistingDatabase(async (context) => {
    const { id, business_id } = await itemNamed(context, kind, reference)
    const { fields, faults } = await readFields(readers(context, business_id, options as Options)) // the remaining options belong to the kind
    const body = { ...given({ name, active }), ...fields }
    assertChanges({ ...body, ...faults })
    const change = checkedChange(schemas.change, body, optionNames, faults) as Change // validated by the schema of the same kind
    return inOptions(optionNames, () => changeInCatalogue(context, operator, { kind: writable, id, change }))
  })
  print(changed, json, () => [itemLine(commands, changed)])
}

function itemLine<Row extends Item>(
  { kind, detail }: Pick<ItemCommands<Row, never, never, never>, 'kind' | 'detail'>,
  row: Row,
): string {
  const notes = [...(detail ? [detail(row)] : []), ...(row.active ? [] : ['inactive'])]
  return `${kind.noun} ${row.id}  ${row.name}${notes.length > 0 ? `  (${notes.join(', ')})` : ''}`
}

/** Registers `create`, `list` and `update` for one kind. */
export function registerItem<
  Row extends Item,
  Creation extends CreationInput,
  Change extends object,
  Options,
>(program: CliCommand, commands: ItemCommands<Row, Creation, Change, Options>): void {
  const { word, plural, texts, examples, withOptions } = commands
  const group = program.group(word, `manage ${plural}`, examples.create[0])
  const create = group
    .command('create <name>')
    .description(texts.create)
    .requiredOption('--business <name or id>', 'the business')
  withOptions(create, true)
    .withJson()
    .examples(...examples.create.map((line) => `${word} ${line}`))
    .action((name: string, options: CreateOptions & Options) => createItem(commands, name, options))
  registerList(group, commands)
  const update = group
    .command(`update <${word}>`)
    .description(texts.update)
    .option('--name <name>', 'new name')
  withOptions(update, false)
    .option('--active', 'reactivate it')
    .option('--no-active', 'deactivate it; its bookings stay')
    .withJson()
    .examples(...examples.update.map((line) => `${word} ${line}`))
    .action((reference: string, options: UpdateOptions & Options) => updateItem(commands, reference, options))
}

function registerList<Row extends Item>(
  group: CliCommand,
  { kind, columns, word, plural }: Pick<ItemCommands<Row, never, never, never>, ForLists>,
): void {
  group
    .command('list')
    .description(`list ${plural} by name, including inactive ones`)
    .option('--business <name or id>', 'only this business')
    .withPages('100')
    .withJson()
    .examples(`${word} list --business "Salon Spree"`)
    .action(async ({ business, limit, cursor, json }: ListOptions) => {
      const { owner, page } = await withExistingDatabase(async (context) => {
        const owner = await ownerOfList(context, business)
        const query = {
          limit: readInteger(limit, '--limit', [1, mostPerPage]),
          cursor,
          ...given({ business_id: owner.business_id }),
        }
        return { owner, page: await listCatalogue(context, operator, { kind: wholeRows(kind), query }) }
      })
      printPage(page, json, {
        title: owner.titleOf(plural.charAt(0).toUpperCase() + plural.slice(1)),
        columns: {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          ...owner.column,
          ...columns,
          STATE: ({ active }) => (active ? 'active' : 'inactive'),
        },
      })
    })
}

export function isNotFound(error: unknown): boolean {
  return error instanceof Problem && error.code === 'not_found'
}

/** Returns the kind with every field, for operators. */
function wholeRows<Row>(kind: CatalogueKind<Row, unknown>): CatalogueKind<Row, Row> {
  return { ...kind, present: (row) => row }
}

/** Returns the IDs of a business's items of one kind, given by name or ID, in this order. Throws a UsageError. */
export async function idsOf<Row extends Named>(
  context: Context,
  kind: CatalogueKind<Row, unknown>,
  { businessId, option, references }: { businessId: string; option: string; references: string[] },
): Promise<string[]> {
  const known = await listItems(context, kind, businessId)
  const { noun } = kind
  const { ids, fieldErrors } = resolveReferences(references, { pointer: option, noun, known })
  if (fieldErrors.length === 0) return ids
  throw new UsageError(`${option}: ${fieldErrors.map(({ detail }) => detail).join('; ')}.`)
}

/** Lists all items of a business, or of all businesses. */
export function listItems<Row extends Named>(
  context: Context,
  kind: CatalogueKind<Row, unknown>,
  businessId?: string,
): Promise<Row[]> {
  return listWholeCatalogue(context, operator, { kind: wholeRows(kind), businessId })
}

/**
 * Finds the item with this ID or unique name, within a business or across all. Throws a UsageError that
 * suggests a similar item or lists every match.
 */
export async function itemNamed<Row extends Named>(
  context: Context,
  kind: CatalogueKind<Row, unknown>,
  reference: string,
  businessId?: string,
): Promise<Row> {
  if (isUuid(reference)) {
    try {
      return await showOfCatalogue(context, operator, { kind: wholeRows(kind), id: reference })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  const known = await listItems(context, kind, businessId)
  const [only, ...others] = known.filter(({ name }) => name === reference)
  if (!only) {
    const command = kind.noun === staffKind.noun ? 'staff' : kind.noun
    throw unknownId(kind.noun, reference, { known, otherwise: `"holdfast ${command} list" shows them.` })
  }
  if (others.length > 0) throw ambiguousName(reference, [only, ...others])
  return only
}

/** Adds the options for how services and staff appear in lists and links. */
export function withShown(command: CliCommand): CliCommand {
  return command
    .option('--slug <name>', 'name in links to the booking page, such as haircut; "none" clears it')
    .option('--position <number>', 'position in lists, from 1; "none": after the others, by name')
    .option('--description <text>', 'description for clients; "none" clears it')
    .option('--image-url <url>', 'https URL of a picture for clients; "none" clears it')
}

/** Returns readers for the fields of these options. They throw UsageErrors. */
export function shownReaders({ slug, position, description, imageUrl }: ShownOptions) {
  const clearable = <T>(text: string | undefined, reader: (text: string) => T) =>
    text === undefined ? undefined : unlessNone(text, reader)
  return {
    slug: () => clearable(slug, String),
    position: () => clearable(position, (text) => numberIn(text, '--position', 'a whole number, such as 1')),
    description: () => clearable(description, String),
    image_url: () => clearable(imageUrl, String),
  }
}

/** Adds the options for hours. */
export function withSchedule(command: CliCommand, isNew: boolean): CliCommand {
  const withHours = command
    .option('--hours <hours>', 'weekly hours: "mon-fri 09:00-18:00, sat 10:00-14:00", "always" or "never"')
    .option(
      '--override <date>',
      'hours of one date: "2026-12-24 09:00-12:00" or "2026-12-25 closed"; repeatable',
      repeated,
    )
  return isNew ? withHours : withHours.option('--no-override', 'remove all overrides')
}

/** Returns readers for the fields of the hours options. They throw UsageErrors. */
export function scheduleReaders({ hours, override }: ScheduleOptions) {
  return {
    weekly_hours: () => (hours === undefined ? undefined : readWeeklyHours(hours)),
    date_overrides: () => (override === false ? [] : override?.map(readOverride)),
  }
}
