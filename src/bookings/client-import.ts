import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { CsvFault, type CsvRecord, readCsv } from '../base/csv-reader.ts'
import { addressKey, fullName } from '../base/contact-formats.ts'
import type { FieldError } from '../base/errors.ts'
import { nameKey } from '../base/search-text.ts'
import { Slices } from '../base/slices.ts'
import { compileCreation, fieldErrorsOf } from '../base/validation.ts'
import { businessForCreation } from '../catalogue/catalogue.ts'
import type { Reads, Transaction } from '../database/database.ts'
import {
  clientColumns,
  type ClientColumn,
  type ImportedField,
  likelyColumns,
  readRow,
} from './client-columns.ts'
import { type Candidate, findByKeys, findNamesakes } from './client-import-queries.ts'
import {
  addressesOf,
  importedChange,
  type ImportedClient,
  type ImportedPerson,
  knownId,
  matchedClient,
  PeopleOfFile,
} from './imported-person.ts'
import { type ClientRow, insertClient, lockClients, updateClient } from './client-queries.ts'
import { distinctTags, formerKey, keyColumns } from './client-rules.ts'
import { CreateClient } from './client-schemas.ts'
import type { Context } from './context.ts'
import { turnsFor } from './costly.ts'

/*
 * Imports clients from CSV. The same code makes the plan and applies it, so they agree. It writes batches, each in a
 * transaction. A repeated import finds the clients of the first one, so it changes nothing, or finishes an interrupted one.
 */

export const maxImportBytes = 4 * 1024 * 1024
const maxImportRows = 20_000
const maxColumns = 100
/** Number of people in a transaction. */
const perBatch = 50
/** Number of changes and of problems that a report names. */
const maxReported = 200

/** A file that cannot be read: its reason, and a number for the text. */
export class UnreadableClients extends Error {
  readonly reason: 'empty' | 'too_many_rows' | 'too_many_columns' | 'open_quote'
  readonly number: number

  constructor(reason: UnreadableClients['reason'], number = 0) {
    super(unreadableTexts[reason].replace('#', String(number)))
    this.reason = reason
    this.number = number
  }
}

const unreadableTexts = {
  empty: 'the file has no rows below its headings',
  too_many_rows: 'the file has more than # rows',
  too_many_columns: 'the file has more than # columns',
  open_quote: 'a quotation mark in row # is never closed',
}

/** A file of clients: its headings, and the meaning of each column. */
export interface ClientFile {
  head: string[]
  columns: ClientColumn[]
  /** The first value of each column. */
  examples: string[]
  rows: CsvRecord[]
}

/** Reads the heading and the rows of a file of CSV. Throws UnreadableClients. */
export async function readTable(
  text: string,
  isGone?: () => boolean,
): Promise<{ head: string[]; rows: CsvRecord[] }> {
  const slices = new Slices(isGone)
  const rows: CsvRecord[] = []
  let head: string[] | undefined
  try {
    for (const record of readCsv(text)) {
      if (head) rows.push(record)
      else head = record.cells
      if (rows.length > maxImportRows) throw new UnreadableClients('too_many_rows', maxImportRows)
      await slices.giveWay()
    }
  } catch (error) {
    throw error instanceof CsvFault ? new UnreadableClients('open_quote', error.row) : error
  }
  if (!head || rows.length === 0) throw new UnreadableClients('empty')
  if (head.length > maxColumns) throw new UnreadableClients('too_many_columns', maxColumns)
  return { head, rows }
}

/** Reads a file. `columns` replaces the recognised meanings. Throws UnreadableClients. */
export async function readClientFile(
  text: string,
  { columns, isGone }: { columns?: readonly (string | undefined)[]; isGone?: () => boolean } = {},
): Promise<ClientFile> {
  const { head, rows } = await readTable(text, isGone)
  const likely = likelyColumns(head)
  return {
    head,
    columns: likely.map((usual, index) => clientColumns.find((one) => one === columns?.[index]) ?? usual),
    examples: head.map((_heading, index) => {
      const cell = rows.slice(0, 50).find(({ cells }) => (cells[index] ?? '') !== '')?.cells[index] ?? ''
      return Array.from(cell).slice(0, 60).join('')
    }),
    rows,
  }
}

/** A row, or a value of it, that an import leaves out. */
export interface ImportProblem {
  row: number
  /** Undefined if the whole row has the problem. */
  field?: ImportedField | undefined
  code: string
  detail: string
}

/** The plan or the result of an import. */
export interface ClientImportReport {
  dry_run: boolean
  business_id: string
  created: number
  changed: number
  unchanged: number
  /** Rows of a person whom an earlier row names. */
  repeated: number
  failed: number
  /** The first ones. */
  changes: { row: number; name: string; id: string; fields: ImportedField[] }[]
  /** Rows that cannot be imported; the first ones. */
  problems: ImportProblem[]
  /** Values that differ and stay. */
  kept_count: number
  /** The first ones. */
  kept: { row: number; field: ImportedField }[]
}

interface ImportInput {
  business_id: string
  file: ClientFile
  /** True to replace values that differ. */
  replaces: boolean
  apply: boolean
  isGone?: (() => boolean) | undefined
}

const validate = compileCreation(CreateClient)

/**
 * Imports clients, or returns the plan. A client of the same name is found by email address, then by phone number. Empty
 * cells change nothing. Consent is never imported. Throws unavailable if too many imports wait, and MemberGone for a plan.
 */
export async function importClients(
  context: Context,
  actor: Actor,
  { business_id, file, replaces, apply, isGone }: ImportInput,
): Promise<ClientImportReport> {
  const business = await businessForCreation(context.db.reads, actor.scope, business_id)
  const work = async () => {
    const slices = new Slices(apply ? undefined : isGone)
    const report = newReport(business.id, apply)
    const people = await peopleOf(file, { business, report, slices })
    for (let start = 0; start < people.length; start += perBatch) {
      const batch = { people: people.slice(start, start + perBatch), business, replaces }
      const isFirst = report.created + report.changed === 0
      const results = apply
        ? await context.db.transaction((tx) => applyBatch(context, tx, { ...batch, by: isFirst && actor }))
        : await planBatch(context.db.reads, batch)
      for (const result of results) count(report, result)
      await slices.rest()
    }
    return report
  }
  return turnsFor(context, 'import').run(business.id, work, isGone)
}

type Business = Awaited<ReturnType<typeof businessForCreation>>

function newReport(business_id: string, apply: boolean): ClientImportReport {
  return {
    ...{ dry_run: !apply, business_id, created: 0, changed: 0, unchanged: 0, repeated: 0, failed: 0 },
    ...{ changes: [], problems: [], kept_count: 0, kept: [] },
  }
}

/** Returns the people of a file, and reports rows that are no clients. */
async function peopleOf(
  { rows, columns, head }: ClientFile,
  { business, report, slices }: { business: Business; report: ClientImportReport; slices: Slices },
): Promise<ImportedPerson[]> {
  const file = new PeopleOfFile(business.timezone)
  for (const { row, cells } of rows) {
    const client = readRow(cells, columns, head)
    if (validate(client)) file.add(row, client as ImportedClient)
    else fail(report, row, fieldErrorsOf(validate.errors ?? []))
    await slices.giveWay()
  }
  report.repeated = file.repeated
  for (const kept of file.kept) keep(report, kept)
  return file.people
}

function fail(report: ClientImportReport, row: number, errors: readonly FieldError[]): void {
  report.failed += 1
  const room = maxReported - report.problems.length
  const problems = errors.map(({ pointer, code, detail }) => {
    const [, field] = pointer.split('/')
    return { row, field: field as ImportedField, code, detail }
  })
  report.problems.push(...problems.slice(0, Math.max(0, room)))
}

function keep(report: ClientImportReport, kept: { row: number; field: ImportedField }): void {
  report.kept_count += 1
  if (report.kept.length < maxReported) report.kept.push(kept)
}

type Result = { row: number; kept: ImportedField[] } & (
  | { effect: 'created' | 'unchanged' }
  | { effect: 'changed'; client: ClientRow; fields: ImportedField[] }
  | { effect: 'failed'; code: string; detail: string }
)

function count(report: ClientImportReport, result: Result): void {
  const { row } = result
  if (result.effect === 'failed') {
    fail(report, row, [{ pointer: '', code: result.code, detail: result.detail }])
    return
  }
  report[result.effect] += 1
  for (const field of result.kept) keep(report, { row, field })
  if (result.effect !== 'changed' || report.changes.length >= maxReported) return
  const { id, first_name, last_name } = result.client
  report.changes.push({ row, id, name: fullName(first_name, last_name), fields: result.fields })
}

interface Batch {
  people: ImportedPerson[]
  business: Business
  replaces: boolean
}

async function planBatch(db: Reads, batch: Batch): Promise<Result[]> {
  const matches = await matchesOf(db, batch)
  return batch.people.map((person, index) => resultOf(person, matches[index], batch))
}

function resultOf(
  person: ImportedPerson,
  match: ClientRow | 'several' | undefined,
  { business: { timezone }, replaces }: Batch,
): Result {
  const { row } = person
  if (match === 'several') return { row, kept: [], effect: 'failed', ...several }
  if (!match) return { row, kept: [], effect: 'created' }
  const { after, changed, kept } = importedChange(match, person, { timezone, replaces })
  return changed.length > 0
    ? { row, kept, effect: 'changed', client: after, fields: changed }
    : { row, kept, effect: 'unchanged' }
}

const several = { code: 'several_clients', detail: 'several clients have this name and phone number' }
const raceLost = { code: 'client_exists', detail: 'another client has this name and contact: merge them' }

/** Returns the client whom each person is. */
async function matchesOf(
  db: Reads,
  { people, business }: Batch,
): Promise<(ClientRow | 'several' | undefined)[]> {
  const { id: business_id, timezone } = business
  const keys = people.flatMap((person, n) =>
    addressesOf(person, business).map((address) => ({ n, business_id, name: person.name, address })),
  )
  const byKey: Candidate[] = await findByKeys(db, keys)
  const names = [...new Set(people.map(({ name }) => name))].map((name) => ({ business_id, name }))
  const namesakes = Map.groupBy(await findNamesakes(db, names), ({ name }) => name)
  return people.map((person, n) => {
    const candidates = {
      byKey: byKey.flatMap(({ n: ofPerson, ...client }) => (ofPerson === n ? [client] : [])),
      namesakes: namesakes.get(person.name) ?? [],
    }
    return matchedClient(person, candidates, timezone)
  })
}

/**
 * Adds a contact to people with a name alone, if it is the name of one person only. Without it, each would become another
 * client.
 */
export async function withKnownContacts<Person extends NamedPerson>(
  { db }: Context,
  business: Business,
  people: readonly Person[],
): Promise<Person[]> {
  const isBare = ({ email, phone }: NamedPerson) => email === '' && phone === ''
  const byName = Map.groupBy(people, (one) => nameKey(one))
  const names = [...new Set(people.filter((one) => isBare(one)).map((one) => nameKey(one)))]
  const contacts = new Map<string, Pick<NamedPerson, 'email' | 'phone'>>()
  for (let start = 0; start < names.length; start += perBatch) {
    const wanted = names.slice(start, start + perBatch).map((name) => ({ business_id: business.id, name }))
    const namesakes = Map.groupBy(await findNamesakes(db.reads, wanted), ({ name }) => name)
    for (const { name } of wanted) {
      const present = (namesakes.get(name) ?? []).map(({ email, phone }) => ({
        email: email ?? '',
        phone: phone ?? '',
      }))
      const listed = (byName.get(name) ?? []).filter((one) => !isBare(one))
      const all = [...present, ...listed]
      const known = new Set(all.map(({ email, phone }) => (email === '' ? phone : addressKey(email))))
      if (known.size === 1 && all[0]) contacts.set(name, all[0])
    }
  }
  return people.map((one) => {
    const contact = isBare(one) ? contacts.get(nameKey(one)) : undefined
    return contact ? { ...one, email: contact.email, phone: contact.phone } : one
  })
}

type NamedPerson = Record<'first_name' | 'last_name' | 'email' | 'phone', string>

/** Finds the client whom each row of an imported file names; undefined for none, and for one of several. */
export async function findClientsOf(
  { db }: Context,
  { business, file }: { business: Business; file: ClientFile },
): Promise<(ClientRow | undefined)[]> {
  const known = new PeopleOfFile(business.timezone)
  const people = file.rows.map(({ row, cells }) => {
    const client = readRow(cells, file.columns, file.head)
    return validate(client) ? known.add(row, client as ImportedClient) : undefined
  })
  const found = new Map<ImportedPerson, ClientRow>()
  for (let start = 0; start < known.people.length; start += perBatch) {
    const batch = known.people.slice(start, start + perBatch)
    const matches = await matchesOf(db.reads, { people: batch, business, replaces: false })
    for (const [index, person] of batch.entries()) {
      const match = matches[index]
      if (match && match !== 'several') found.set(person, match)
    }
  }
  return people.map((person) => person && found.get(person))
}

/** Writes a batch. `by` is set until an import has written its entry in the audit log. */
async function applyBatch(
  context: Context,
  tx: Transaction,
  { by, ...batch }: Batch & { by: Actor | false },
): Promise<Result[]> {
  const results = await writeBatch(context, tx, batch)
  // another import added these people meanwhile: now they are found
  const raced = batch.people.filter((_person, index) => results[index]?.effect === 'raced')
  const again = raced.length > 0 ? await writeBatch(context, tx, { ...batch, people: raced }) : []
  const settled = results.map((result): Result => {
    const last = result.effect === 'raced' ? again.shift() : result
    return !last || last.effect === 'raced' ? { ...result, effect: 'failed', ...raceLost } : last
  })
  const isChanged = settled.some(({ effect }) => effect === 'created' || effect === 'changed')
  const { id } = batch.business
  const change = { action: 'business.clients_imported', subjectId: id, businessId: id } as const
  if (by && isChanged) await recordAudit(context, tx, { by, ...change })
  return settled
}

/** The client was added or changed by another request. */
type Raced = { row: number; kept: ImportedField[]; effect: 'raced' }

async function writeBatch(context: Context, tx: Transaction, batch: Batch): Promise<(Result | Raced)[]> {
  const { people, business, replaces } = batch
  const { id: business_id, timezone } = business
  const matches = await matchesOf(tx.db, batch)
  const ids = matches.flatMap((match) => (match && match !== 'several' ? [match.id] : []))
  const locked = ids.length > 0 ? await lockClients(tx.db, business_id, [...new Set(ids)]) : []
  const present = new Map(locked.map((client) => [client.id, client]))
  const results: (Result | Raced)[] = []
  for (const [index, person] of people.entries()) {
    const match = matches[index]
    const { row } = person
    if (!match) {
      const client = newClient(person, { id: context.ids.next(), business_id, timezone, now: tx.now })
      const isNew = await insertClient(tx.db, client)
      results.push({ row, kept: [], effect: isNew ? 'created' : 'raced' })
      continue
    }
    const before = match === 'several' ? match : present.get(match.id)
    if (!before || before === 'several') {
      results.push({ row, kept: [], ...(before ? { effect: 'failed', ...several } : { effect: 'raced' }) })
      continue
    }
    const { after, changed, kept } = importedChange(before, person, { timezone, replaces })
    if (changed.length === 0) results.push({ row, kept, effect: 'unchanged' })
    else if (await updateClient(tx.db, before, after)) {
      if (after.name !== before.name || after.address !== before.address)
        await insertClient(tx.db, formerKey(before, context.ids.next()))
      present.set(after.id, after)
      results.push({ row, kept, effect: 'changed', client: after, fields: changed })
    } else results.push({ row, kept: [], effect: 'failed', ...raceLost })
  }
  return results
}

function newClient(
  person: ImportedPerson,
  {
    id,
    business_id,
    timezone,
    now,
  }: { id: string; business_id: string; timezone: string; now: ClientRow['created_at'] },
): ClientRow {
  const {
    first_name,
    last_name = '',
    email = null,
    phone = null,
    notes,
    tags,
    locale,
    time_zone,
  } = person.client
  const written = { first_name, last_name, email, phone: phone || null }
  return {
    ...{ id, business_id, ...written },
    ...keyColumns(written, { id: knownId(business_id, person), timezone }),
    ...{ notes: notes ?? null, tags_json: JSON.stringify(distinctTags(tags ?? [])), metadata_json: '{}' },
    ...{ locale: locale ?? null, time_zone: time_zone ?? null },
    ...{ booking_count: 0, no_show_count: 0, last_booking_at: null, merged_into: null, is_kept: 1 as const },
    created_at: now,
  }
}
