import { type Booking, type Grid, fiveMinutesMs, type Part, type Place } from './grid.ts'

/** The target of a move. */
export interface Target {
  fromMs: number
  toMs: number
  /** The ID of the column. */
  who: string
}

/** The copy of a part of the appointment. */
interface Copy {
  part: Part
  box: HTMLElement
  label: HTMLElement
}

/** An appointment or block during a move by pointer or keys. Its copies show the target of each part. */
export class Carried {
  readonly booking: Booking
  /** The position of the part that is moved; the others follow. */
  place: Place
  private readonly grid: Grid
  private readonly copies: Copy[]

  constructor(grid: Grid, booking: Booking) {
    this.grid = grid
    this.booking = booking
    this.place = booking.place
    this.copies = booking.parts.map((part) => {
      const box = document.createElement('div')
      box.className = 'cal-carried'
      box.setAttribute('aria-hidden', 'true')
      const label = document.createElement('b')
      const client = document.createElement('bdi')
      client.textContent = booking.client
      box.append(label, ' ', client)
      part.element.classList.add('is-carried')
      return { part, box, label }
    })
    this.draw()
    grid.view.append(...this.copies.map(({ box }) => box))
  }

  /** Moves it within the visible part. Returns true if anything changed. */
  put({ column, first, end }: Place): boolean {
    const size = Math.max(1, end - first)
    const isLength = size !== this.place.end - this.place.first
    const at = Math.max(0, Math.min(first, Math.max(0, this.grid.rows - size)))
    const to = Math.max(0, Math.min(column, this.grid.columns.length - 1))
    if (!isLength && at === this.place.first && to === this.place.column) return false
    this.place = { column: to, first: at, end: at + size }
    this.draw()
    return true
  }

  /** The target of the move; undefined if the move is not possible there. */
  get target(): Target | undefined {
    const { booking, place } = this
    const column = this.grid.columns[place.column]
    const own = this.grid.columns[booking.place.column]
    const isOwn = column?.who === own?.who
    const isFor = isOwn || booking.block !== undefined || column?.gives.includes(booking.serviceId)
    const mayChange = column?.person !== '' && own?.person !== '' && booking.block !== 'location'
    if (!column || !isFor || !(isOwn || mayChange)) return undefined
    const isMoved = place.first !== booking.place.first || place.column !== booking.place.column
    const fromMs = isMoved ? this.grid.timeAt(place) : booking.fromMs
    if (fromMs === undefined) return undefined
    const rows = booking.place.end - booking.place.first
    const isLength = place.end - place.first !== rows
    const lengthMs = isLength ? (place.end - place.first) * fiveMinutesMs : booking.toMs - booking.fromMs
    return { fromMs, toMs: fromMs + lengthMs, who: column.who }
  }

  /** Description of the target: start, end and staff member. */
  get words(): string {
    const { target } = this
    const column = this.grid.columns[this.place.column]
    if (!target) return '✗'
    const isLength = target.toMs - target.fromMs !== this.booking.toMs - this.booking.fromMs
    const time = `${this.grid.moment(target.fromMs)}${isLength ? `–${this.grid.clock(target.toMs)}` : ''}`
    return `${time}, ${column?.label ?? ''}`
  }

  private draw(): void {
    const { target } = this
    for (const { part, box, label } of this.copies) {
      const drawn = part.element === this.booking.element ? { place: this.place, target } : this.follow(part)
      box.hidden = drawn === undefined
      if (!drawn) continue
      const { left, top, width, height } = this.grid.boxOf(drawn.place)
      box.style.transform = `translate(${left}px, ${top}px)`
      box.style.width = `${width}px`
      box.style.height = `${height}px`
      box.classList.toggle('is-refused', !target)
      const { fromMs, toMs } = drawn.target ?? part
      label.textContent = target ? `${this.grid.clock(fromMs)}–${this.grid.clock(toMs)}` : '✗'
    }
  }

  /** Returns the target of another part: as much later or earlier, with the new person if it is of the same item. */
  private follow(part: Part): { place: Place; target: Pick<Target, 'fromMs' | 'toMs'> } | undefined {
    const { booking, target, grid } = this
    const shiftMs = target ? target.fromMs - booking.fromMs : 0
    const [fromMs, toMs] = [part.fromMs + shiftMs, part.toMs + shiftMs]
    const before = grid.columns[part.place.column]?.who
    const own = grid.columns[booking.place.column]?.who
    const who = target && part.item === booking.visit?.item && before === own ? target.who : before
    const column = grid.columns.findIndex(
      (one, index) => one.who === who && grid.rowOf(index, fromMs) !== undefined,
    )
    const first = grid.rowOf(column, fromMs)
    if (first === undefined) return undefined // outside the visible hours
    const end = Math.min(grid.rows, first + part.place.end - part.place.first)
    return { place: { column, first, end }, target: { fromMs, toMs } }
  }

  /** Shows that the server has not answered yet. */
  wait(): void {
    for (const { box } of this.copies) box.classList.add('is-waiting')
  }

  /** Returns to the original position. */
  springBack(): void {
    this.put(this.booking.place)
    for (const { box } of this.copies) box.classList.add('is-back')
    setTimeout(() => this.end(), 200)
  }

  end(): void {
    for (const { part, box } of this.copies) {
      box.remove()
      part.element.classList.remove('is-carried')
    }
  }
}
