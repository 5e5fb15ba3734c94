import { UsageError } from '../base/errors.ts'

/* Reads the rows of a dump in SQL, as mariadb-dump, mysqldump and phpMyAdmin write it. Runs none of its statements. */

/** A value of a column: text as it is stored, or null. */
export type DumpRow = Record<string, string | null>

/** Rows by table. */
export type Dump = ReadonlyMap<string, DumpRow[]>

/** More rows than any salon has, and few enough for memory. */
const maxRows = 1_000_000

/** Reads the wanted tables. Throws a UsageError for a file that is not such a dump. */
export function readDump(text: string, isWanted: (table: string) => boolean): Dump {
  const reader = new DumpReader(text, isWanted)
  reader.read()
  if (reader.tables.size === 0)
    throw new UsageError('The file has no tables of this system: it is not a dump of its database.')
  return reader.tables
}

class DumpReader {
  readonly tables = new Map<string, DumpRow[]>()
  private readonly columns = new Map<string, string[]>()
  private readonly text: string
  private readonly isWanted: (table: string) => boolean
  private at = 0
  private rows = 0

  constructor(text: string, isWanted: (table: string) => boolean) {
    this.text = text
    this.isWanted = isWanted
  }

  read(): void {
    for (this.skipSpace(); this.at < this.text.length; this.skipSpace()) {
      const create = this.take(/CREATE TABLE (?:IF NOT EXISTS )?((?:`[^`]+`\.)?`[^`]+`)\s*\(/iy)
      const insert = create
        ? undefined
        : this.take(
            /(?:INSERT|REPLACE)(?: IGNORE)? INTO ((?:`[^`]+`\.)?`[^`]+`)\s*(\([^)]*\))?\s*VALUES\s*/iy,
          )
      if (create) this.readColumns(tableIn(create[1]))
      else if (insert) this.readRows(tableIn(insert[1]), insert[2])
      else this.skipStatement()
    }
  }

  private take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found) this.at = pattern.lastIndex
    return found ?? undefined
  }

  /** Skips space and comments. */
  private skipSpace(): void {
    while (this.take(/\s+|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|\/\*(?!!)[^]*?\*\//y));
  }

  private readColumns(table: string): void {
    const names: string[] = []
    do {
      this.skipSpace()
      const name = this.take(/`([^`]+)`/y)?.[1]
      if (name !== undefined) names.push(name)
      if (!this.skipUntil(',)')) throw broken(`the columns of ${table}`)
    } while (this.text[this.at - 1] === ',')
    this.columns.set(table, names)
    if (this.isWanted(table) && !this.tables.has(table)) this.tables.set(table, [])
    this.skipStatement()
  }

  private readRows(table: string, named: string | undefined): void {
    const columns = named
      ? [...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '')
      : this.columns.get(table)
    if (!this.isWanted(table)) {
      this.skipStatement()
      return
    }
    if (!columns) throw broken(`the columns of ${table}`)
    const rows = this.tables.get(table) ?? []
    this.tables.set(table, rows)
    do {
      this.skipSpace()
      rows.push(this.readRow(table, columns))
      this.rows += 1
      if (this.rows > maxRows) throw new UsageError(`The dump has more than ${maxRows} rows.`)
      this.skipSpace()
    } while (this.take(/,/y))
    this.skipStatement()
  }

  private readRow(table: string, columns: readonly string[]): DumpRow {
    if (!this.take(/\(/y)) throw broken(`a row of ${table}`)
    const row: DumpRow = Object.create(null) as DumpRow
    for (let index = 0; ; index += 1) {
      this.skipSpace()
      const value = this.readValue(table)
      const name = columns[index]
      if (name === undefined) throw broken(`a row of ${table}, which has more values than columns`)
      row[name] = value
      this.skipSpace()
      if (this.take(/\)/y)) return row
      if (!this.take(/,/y)) throw broken(`a row of ${table}`)
    }
  }

  private readValue(table: string): string | null {
    this.take(/_\w+\s*(?=['0x])/y) // a character set
    if (this.text[this.at] === "'") return this.readText(table)
    const hex = this.take(/0x([0-9a-f]*)|x'([0-9a-f]*)'/iy)
    if (hex) return Buffer.from(hex[1] ?? hex[2] ?? '', 'hex').toString('utf8')
    const bare = this.take(/NULL|TRUE|FALSE|[-+.0-9e]+/iy)?.[0]
    if (bare === undefined) throw broken(`a value of ${table}`)
    if (/^null$/i.test(bare)) return null
    return /^true$/i.test(bare) ? '1' : /^false$/i.test(bare) ? '0' : bare
  }

  private readText(table: string): string {
    let read = ''
    for (let from = this.at + 1; ;) {
      const stop = this.next(from, table)
      read += this.text.slice(from, stop)
      const [character, following = ''] = [this.text[stop], this.text[stop + 1]]
      if (character === '\\') read += escapes.get(following) ?? following
      else if (following === "'") read += "'"
      else {
        this.at = stop + 1
        return read
      }
      from = stop + 2
    }
  }

  /** Returns the position of the next quotation mark or backslash. */
  private next(from: number, table: string): number {
    special.lastIndex = from
    const found = special.exec(this.text)
    if (!found) throw broken(`a text of ${table}`)
    return found.index
  }

  /** Skips up to and past one of some characters, over texts and brackets. Returns false at the end. */
  private skipUntil(ends: string): boolean {
    for (let depth = 0; this.at < this.text.length;) {
      const character = this.text.charAt(this.at)
      if (depth === 0 && ends.includes(character)) {
        this.at += 1
        return true
      }
      if (character === '(') depth += 1
      if (character === ')') depth -= 1
      if (this.skipQuoted() || this.take(/\/\*(?!!)[^]*?\*\//y)) continue
      this.at += 1
    }
    return false
  }

  /** Skips a text or name in quotation marks. Returns false before anything else. */
  private skipQuoted(): boolean {
    const mark = this.text.charAt(this.at)
    if (mark !== "'" && mark !== '"' && mark !== '`') return false
    for (let at = this.at + 1; ;) {
      const stop = this.text.indexOf(mark, at)
      if (stop === -1) throw broken('a text')
      let backslashes = 0
      while (mark !== '`' && this.text[stop - 1 - backslashes] === '\\' && stop - backslashes > at)
        backslashes += 1
      at = stop + 1
      if (backslashes % 2 === 1) continue
      this.at = at
      return true
    }
  }

  private skipStatement(): void {
    while (this.at < this.text.length) {
      if (this.take(/[^;'"`/#-]+/y)) continue
      if (this.take(/;/y)) return
      if (this.skipQuoted() || this.take(/--[^\n]*|#[^\n]*|\/\*(?!!)[^]*?\*\//y)) continue
      this.at += 1
    }
  }
}

const special = /['\\]/g

/** https://dev.mysql.com/doc/refman/8.4/en/string-literals.html; any other character stands for itself. */
const escapes = new Map<string, string>([
  ...([['0', '\0'] as const, ['b', '\b'], ['n', '\n'], ['r', '\r'], ['t', '\t'], ['Z', '\x1a']] as const),
])

function tableIn(quoted = ''): string {
  return /`([^`]+)`$/.exec(quoted)?.[1] ?? quoted
}

function broken(what: string): UsageError {
  return new UsageError(`The dump cannot be read: ${what} is incomplete or in an unknown form.`)
}
