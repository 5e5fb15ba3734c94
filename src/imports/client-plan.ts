import { asLine, asText, nameFault } from '../base/contact-formats.ts'
import { compileCreation, fieldErrorsOf } from '../base/validation.ts'
import { type ClientColumn, readRow } from '../bookings/client-columns.ts'
import type { ClientFile } from '../bookings/client-import.ts'
import { maxNotes } from '../bookings/client-rules.ts'
import { CreateClient } from '../bookings/client-schemas.ts'
import type { ImportRemark, SourceClient } from './source-types.ts'

/* Turns the clients of a source into the rows of a file of clients, which `client-import.ts` plans and imports. */

const columns = [
  ...(['first_name', 'last_name', 'email', 'phone', 'notes', 'locale', 'time_zone'] as const),
] satisfies ClientColumn[]

const validate = compileCreation(CreateClient)

/** The most characters of a first or last name. */
const maxName = 100

/** Returns the file. Row n is the client n - 1 of the list. Invalid contact details move to the notes. */
export function clientFile(
  clients: readonly SourceClient[],
  noun: string,
): { file: ClientFile; remarks: ImportRemark[] } {
  const remarks: ImportRemark[] = []
  const rows = clients.map((client, index) => {
    const cleaned = clean(client, (detail) =>
      remarks.push({ what: `${noun} ${client.key}`, detail, isLeftOut: false }),
    )
    return { row: index + 1, cells: columns.map((column) => cleaned[column]) }
  })
  return { file: { head: [...columns], columns, examples: [], rows }, remarks }
}

function clean(client: SourceClient, tell: (detail: string) => void): SourceClient {
  const [first, last] = [cleanName(client.first_name), cleanName(client.last_name)]
  const name = first || last || client.email.split('@')[0] || client.phone || `Client ${client.key}`
  const cleaned = {
    ...client,
    first_name: cleanName(name) || `Client ${client.key}`,
    last_name: first ? last : '',
    notes: asText(client.notes).trim(),
    email: asLine(client.email).trim(),
    phone: asLine(client.phone).trim(),
  }
  if (!first && !last) tell(`has no name and is called ${cleaned.first_name}`)
  const extra: string[] = []
  for (const field of faultyFields(cleaned)) {
    const value = cleaned[field]
    cleaned[field] = ''
    if (field === 'locale' || field === 'time_zone') continue
    tell(`has an invalid ${field === 'email' ? 'email address' : 'phone number'}, which moves to the notes`)
    extra.push(`${field}: ${value.slice(0, 300)}`)
  }
  const notes = [...extra, cleaned.notes].filter(Boolean).join('\n')
  const kept = Array.from(notes).slice(0, maxNotes).join('')
  if (kept.length < notes.length) tell(`has notes of more than ${maxNotes} characters; the rest is left out`)
  return { ...cleaned, notes: kept }
}

const optional = ['email', 'phone', 'locale', 'time_zone'] as const

function faultyFields(client: SourceClient): (typeof optional)[number][] {
  const cells = columns.map((column) => (column === 'notes' ? '' : client[column]))
  if (validate(readRow(cells, columns, columns))) return []
  const faulty = fieldErrorsOf(validate.errors ?? []).map(({ pointer }) => pointer.split('/')[1])
  return optional.filter((field) => faulty.includes(field))
}

function cleanName(name: string): string {
  const line = Array.from(asLine(name).trim()).slice(0, maxName).join('').trim()
  return nameFault(line) === undefined
    ? line
    : line.replaceAll(/[.:/\u202a-\u202e\u2066-\u2069]/g, ' ').trim()
}
