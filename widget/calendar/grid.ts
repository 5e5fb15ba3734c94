/* The columns of the calendar as rendered, and the time of each row. */

export const fiveMinutesMs = 300_000
/** Pointers and arrow keys move in steps of a quarter of an hour. */
const rowsPerStep = 3

/**
 * Consecutive rows without a clock change: the first, the one after the last, and the time at which they
 * begin.
 */
type Run = [first: number, end: number, atMs: number]

/** A column: a staff member, a service without staff, or a day of one of them. */
export interface Column {
  element: HTMLElement
  /** The ID of the staff member or service. */
  who: string
  /** The name of the staff member; empty for a service without staff, and for a room. */
  person: string
  isRoom: boolean
  locationId: string
  label: string
  /** Services that can be booked there. */
  gives: string[]
  runs: Run[]
}

/** A position: a column, its first row and the row after the last. */
export interface Place {
  column: number
  first: number
  end: number
}

/** An appointment or block in a column, or a part of one. */
export interface Part {
  element: HTMLElement
  place: Place
  fromMs: number
  toMs: number
  /** The ID of its item; undefined if the appointment is not a visit. */
  item: string | undefined
}

/** An appointment that takes several things, which move together. */
export interface Visit {
  /** The ID of the item that is moved to another person. */
  item: string
  /** The IDs of all its items, in order. */
  items: string[]
  /** The service of the moved item; empty if the visit has no other. */
  what: string
  fromMs: number
  toMs: number
}

/** A movable appointment or block. */
export interface Booking extends Part {
  id: string
  version: number
  /** Empty for a block. */
  serviceId: string
  /** The owner of a block; undefined for an appointment. */
  block: 'staff' | 'location' | undefined
  /** The name of the client, or the text of a block. */
  client: string
  /** True if the client can be notified by email. */
  isTold: boolean
  visit: Visit | undefined
  /** All that moves with it, and itself. */
  parts: Part[]
}

interface Geometry {
  lefts: number[]
  widths: number[]
  top: number
  rowHeight: number
  /** Position of the view on the screen. */
  view: DOMRect
}

/** The grid, measured once until it changes. */
export class Grid {
  readonly view: HTMLElement
  readonly columns: Column[]
  private readonly zone: string
  private readonly locale: string
  private measured: Geometry | undefined
  private scrolled: { x: number; y: number } | undefined

  constructor(root: HTMLElement, view: HTMLElement) {
    this.view = view
    this.zone = root.dataset['zone'] ?? 'UTC'
    this.locale = root.dataset['locale'] ?? 'en'
    this.columns = Array.from(view.querySelectorAll<HTMLElement>('.cal-col'), (element) => ({
      element,
      who: element.dataset['who'] ?? '',
      person: element.dataset['staff'] ?? '',
      isRoom: element.dataset['room'] !== undefined,
      locationId: element.dataset['location'] ?? '',
      label: element.getAttribute('aria-label') ?? '',
      gives: (element.dataset['gives'] ?? '').split(' '),
      runs: JSON.parse(element.dataset['runs'] ?? '[]') as Run[],
    }))
  }

  /** Returns the start time of a row in a column; undefined if its day has no such time. */
  timeAt({ column, first }: Pick<Place, 'column' | 'first'>): number | undefined {
    const run = this.columns[column]?.runs.find(([from, end]) => from <= first && first < end)
    return run && run[2] + (first - run[0]) * fiveMinutesMs
  }

  /** Returns the time at which the last row of a range ends. */
  endAt({ column, end }: Pick<Place, 'column' | 'end'>): number | undefined {
    const last = this.timeAt({ column, first: end - 1 })
    return last === undefined ? undefined : last + fiveMinutesMs
  }

  /** Returns the row of an instant; undefined on another day or outside the visible hours. */
  rowOf(column: number, ms: number): number | undefined {
    for (const [first, end, atMs] of this.columns[column]?.runs ?? []) {
      const row = first + Math.floor((ms - atMs) / fiveMinutesMs)
      if (first <= row && row < end) return row
    }
    return undefined
  }

  /** Number of rows of the columns. */
  get rows(): number {
    return Math.max(0, ...this.columns.flatMap(({ runs }) => runs.map(([, end]) => end)))
  }

  /** Returns the appointment or block of an element; undefined if it cannot be moved. */
  bookingOf(element: HTMLElement): Booking | undefined {
    const { id, version = '0', service = '' } = element.dataset
    const block = element.dataset['block'] as Booking['block']
    const part = this.partOf(element)
    if (id === undefined || !part) return undefined
    if (block !== undefined && this.rowOf(part.place.column, part.toMs - 1) === undefined) return undefined // spans several days: can be opened but not dragged
    const client = element.querySelector('bdi')?.textContent ?? ''
    const isTold = element.dataset['told'] !== undefined
    const visit = visitOf(element)
    const all = Array.from(this.view.querySelectorAll<HTMLElement>(`[data-id="${id}"]`))
    const parts = visit ? all.flatMap((one) => this.partOf(one) ?? []) : [part]
    return { ...part, id, version: Number(version), serviceId: service, block, client, isTold, visit, parts }
  }

  /** Undefined if it begins outside the visible hours. */
  private partOf(element: HTMLElement): Part | undefined {
    const column = this.columns.findIndex((one) => one.element.contains(element))
    const [fromMs = 0, toMs = 0] = numbersOf(element.dataset['span'])
    const first = this.rowOf(column, fromMs)
    if (first === undefined) return undefined
    const end = Math.max(first + 1, (this.rowOf(column, toMs - 1) ?? this.rows - 1) + 1)
    return { element, place: { column, first, end }, fromMs, toMs, item: element.dataset['item'] }
  }

  /** Returns the rows of a part of a column, such as free time. */
  spanOf(element: HTMLElement): (Place & { fromMs: number; toMs: number }) | undefined {
    const column = this.columns.findIndex((one) => one.element.contains(element))
    const [fromMs = 0, toMs = 0] = numbersOf(element.dataset['span'])
    const last = this.columns[column]?.runs.at(-1)
    const start = this.columns[column]?.runs[0]
    if (!last || !start) return undefined
    const first = this.rowOf(column, fromMs) ?? start[0]
    return { column, first, end: (this.rowOf(column, toMs - 1) ?? last[1] - 1) + 1, fromMs, toMs }
  }

  clock(ms: number): string {
    return this.format(ms, { hour: 'numeric', minute: '2-digit' })
  }

  /** Formats a time with its weekday. */
  moment(ms: number): string {
    return `${this.format(ms, { weekday: 'short' })} ${this.clock(ms)}`
  }

  /** Formats a time with its date. */
  day(ms: number): string {
    return `${this.format(ms, { weekday: 'short', day: 'numeric', month: 'short' })}, ${this.clock(ms)}`
  }

  private format(ms: number, options: Intl.DateTimeFormatOptions): string {
    return new Intl.DateTimeFormat(this.locale, { ...options, timeZone: this.zone }).format(ms)
  }

  /** Returns the column and fractional row at a point of the screen. */
  pointAt(x: number, y: number): { column: number; row: number } {
    const { lefts, widths, top, rowHeight, view } = this.geometry
    const { x: left, y: above } = this.scroll
    const across = x - view.left + left
    const within = lefts.findIndex((from, index) => from <= across && across < from + (widths[index] ?? 0))
    const isBefore = across < (lefts[0] ?? 0) !== this.isMirrored
    const nearest = isBefore ? 0 : this.columns.length - 1
    return { column: within === -1 ? nearest : within, row: (y - view.top + above - top) / rowHeight }
  }

  /** Returns the position of a place within the scrolled content. */
  boxOf({ column, first, end }: Place): { left: number; top: number; width: number; height: number } {
    const { lefts, widths, top, rowHeight } = this.geometry
    return {
      left: lefts[column] ?? 0,
      top: top + first * rowHeight,
      width: widths[column] ?? 0,
      height: (end - first) * rowHeight,
    }
  }

  /** Scrolls if a point is near an edge. Returns true if it did. */
  scrollNear(x: number, y: number): boolean {
    const { view } = this.geometry
    const step = (at: number, from: number, to: number) => (at < from + 24 ? -12 : at > to - 24 ? 12 : 0)
    const [left, right] = this.isMirrored ? [0, 72] : [72, 0] // the hours
    return this.scrollBy(step(x, view.left + left, view.right - right), step(y, view.top + 48, view.bottom))
  }

  /** Scrolls until a place is visible. */
  reveal(place: Place): void {
    const { view } = this.geometry
    const box = this.boxOf(place)
    const { x, y } = this.scroll
    const into = (from: number, to: number, size: number) => (from < 0 ? from : to > size ? to - size : 0)
    this.scrollBy(
      this.isMirrored
        ? into(box.left - x, box.left + box.width - x + 80, view.width)
        : into(box.left - x - 80, box.left + box.width - x, view.width),
      into(box.top - y - 56, box.top + box.height - y + 16, view.height),
    )
  }

  /** True if columns run from right to left. */
  get isMirrored(): boolean {
    return this.view.matches(':dir(rtl)')
  }

  private scrollBy(across: number, down: number): boolean {
    if (across === 0 && down === 0) return false
    this.view.scrollBy(across, down)
    this.scrolled = undefined
    return true
  }

  /** Called after scrolling, or after the page was resized. */
  moved(isPage: boolean): void {
    this.scrolled = undefined
    if (isPage) this.measured = undefined
  }

  private get scroll(): { x: number; y: number } {
    this.scrolled ??= { x: this.view.scrollLeft, y: this.view.scrollTop }
    return this.scrolled
  }

  /** Measured once, so that a move causes no layout. */
  private get geometry(): Geometry {
    if (this.measured) return this.measured
    const view = this.view.getBoundingClientRect()
    const { x, y } = this.scroll
    const { clientLeft, clientTop } = this.view
    const boxes = this.columns.map(({ element }) =>
      (element.querySelector('.cal-rows') ?? element).getBoundingClientRect(),
    )
    const inner = new DOMRect(view.left + clientLeft, view.top + clientTop, view.width, view.height)
    this.measured = {
      view: inner,
      lefts: boxes.map(({ left }) => left - inner.left + x),
      widths: boxes.map(({ width }) => width),
      top: (boxes[0]?.top ?? 0) - inner.top + y,
      rowHeight: (boxes[0]?.height ?? 0) / Math.max(1, this.rows),
    }
    return this.measured
  }
}

function numbersOf(text = ''): number[] {
  return text.split(' ').map(Number)
}

function visitOf({ dataset: { item, items, visit, what = '' } }: HTMLElement): Visit | undefined {
  if (item === undefined || items === undefined) return undefined
  const [fromMs = 0, toMs = 0] = numbersOf(visit)
  return { item, items: items.split(' '), what, fromMs, toMs }
}

/** Returns the nearest row at a quarter of an hour. Columns begin at whole hours. */
export function onStep(row: number): number {
  return Math.round(row / rowsPerStep) * rowsPerStep
}

export const stepRows = rowsPerStep
