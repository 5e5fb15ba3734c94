import { isLine, isText } from './contact-formats.ts'
import { validationProblem } from './errors.ts'
import { isUuid } from './ids.ts'
import { type Instant, isInstant } from './instants.ts'

/** One page of a list, and the cursor of the next page. The cursor is null on the last page. */
export interface Page<Item> {
  data: Item[]
  next_cursor: string | null
}

/** The position and size of a page. */
export interface PageQuery {
  /** From 1 to `mostPerPage`. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. Absent for the first page. */
  cursor?: string | undefined
}

const usualPerPage = 20
export const mostPerPage = 100

/** Reads a part of a cursor. Returns undefined for a text that would fail in the database. */
type Part<T> = (text: string) => T | undefined

export const instantPart: Part<Instant> = (text) => (isInstant(text) ? text : undefined)
export const idPart: Part<string> = (text) => (isUuid(text) ? text : undefined)
export const linePart: Part<string> = (text) => (isLine(text) ? text : undefined)
export const textPart: Part<string> = (text) => (isText(text) ? text : undefined)
/** From 1 to 999,999,999. */
export const countPart: Part<number> = (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined)

type Position<Parts extends readonly Part<unknown>[]> = {
  readonly [Index in keyof Parts]: Parts[Index] extends Part<infer T> ? T : never
}

/** Writes and reads the cursors of one list. */
interface Cursor<P extends readonly unknown[]> {
  write: (position: P) => string
  /** Throws validation_failed for a text that is not a cursor of this list. */
  read: (cursor: string) => P
}

/**
 * Returns the cursors of the list with this name, and order if it has several. They contain the position of a row in
 * it.
 */
export function cursorOf<const Parts extends readonly Part<unknown>[]>(
  list: string | readonly string[],
  ...parts: Parts
): Cursor<Position<Parts>> {
  const names = [list].flat()
  return {
    write: (position) =>
      Buffer.from(JSON.stringify([...names, ...position.map(String)])).toString('base64url'),
    read: (cursor) => {
      const texts = textsIn(cursor)
      const isOwn = names.every((name, index) => texts[index] === name)
      if (!isOwn || texts.length !== names.length + parts.length) throw invalidCursor()
      const position = parts.map((read, index) => read(texts[names.length + index] ?? ''))
      if (position.includes(undefined)) throw invalidCursor()
      return position as unknown as Position<Parts> // each part was read by its own reader
    },
  }
}

/** Returns the cursors of a list ordered by time: the instant and the ID of its rows. */
export function timeCursorOf(list: string | readonly string[]): Cursor<readonly [Instant, string]> {
  return cursorOf(list, instantPart, idPart)
}

function textsIn(cursor: string): string[] {
  try {
    const texts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(texts) && texts.every((text) => typeof text === 'string') ? texts : []
  } catch {
    return []
  }
}

function invalidCursor() {
  const detail = 'must be the next_cursor of the previous page'
  return validationProblem([{ pointer: '/cursor', code: 'invalid_cursor', detail }])
}

/** The rows that a list reads for one page: those after a position, and one more than it shows. */
export interface PageRows<P> {
  after: P | undefined
  rows: number
}

/**
 * Turns a query for a page into a position and a number of rows. Throws validation_failed for a cursor of another list.
 */
export function pageRows<P extends readonly unknown[]>(
  { limit = usualPerPage, cursor: given }: PageQuery,
  cursor: Cursor<P>,
): PageRows<P> {
  return { after: given === undefined ? undefined : cursor.read(given), rows: limit + 1 }
}

/** Reads one page of a list. Throws validation_failed for a cursor of another list. */
export async function readPage<Row, const P extends readonly unknown[]>(
  query: PageQuery,
  list: { cursor: Cursor<P>; find: (page: PageRows<P>) => Promise<Row[]>; position: (row: Row) => P },
): Promise<Page<Row>> {
  const page = pageRows(query, list.cursor)
  const found = await list.find(page)
  const data = found.slice(0, page.rows - 1)
  const last = found.length > data.length ? data.at(-1) : undefined
  return { data, next_cursor: last ? list.cursor.write(list.position(last)) : null }
}

export function presentPage<Row, Shown>(page: Page<Row>, present: (row: Row) => Shown): Page<Shown> {
  return { ...page, data: page.data.map(present) }
}

/** Yields the pages of a list. */
export async function* pagesOf<Item>(
  list: (query: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>,
): AsyncGenerator<Item[], void> {
  let cursor: string | undefined
  do {
    const { data, next_cursor } = await list({ limit: mostPerPage, cursor })
    yield data
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
}

/** Reads all pages of a list. Stops after `items` items or `pages` pages. */
export async function listAll<Item>(
  list: Parameters<typeof pagesOf<Item>>[0],
  most: { items?: number | undefined; pages?: number | undefined } = {},
): Promise<Item[]> {
  const { items = Infinity, pages = Infinity } = most
  const all: Item[] = []
  let read = 0
  for await (const page of pagesOf(list)) {
    all.push(...page)
    read += 1
    if (all.length >= items || read >= pages) break
  }
  return all
}
