import { type Booking, type Grid, fiveMinutesMs, type Place } from './grid.ts'

/** The target of a move. */
export interface Target {
  fromMs: number
  toMs: number
  /** The ID of the column. */
  who: string
}

/** An appointment or block during a move by pointer or keys. Its copy shows the target. */
export class Carried {
  readonly booking: Booking
  place: Place
  private readonly grid: Grid
  private readonly copy: HTMLElement
  private readonly label: HTMLElement

  constructor(grid: Grid, booking: Booking) {
    this.grid = grid
    this.booking = booking
    this.place = booking.place
    this.copy = document.createElement('div')
    this.copy.className = 'cal-carried'
    this.copy.setAttribute('aria-hidden', 'true')
    this.label = document.createElement('b')
    const client = document.createElement('bdi')
    client.textContent = booking.client
    this.copy.append(this.label, ' ', client)
    const { width, height } = grid.boxOf(this.place)
    this.copy.style.width = `${width}px`
    this.copy.style.height = `${height}px`
    booking.element.classList.add('is-carried')
    this.draw()
    grid.view.append(this.copy)
  }

  /** Moves it within the visible part. Returns true if anything changed. */
  put({ column, first, end }: Place): boolean {
    const size = Math.max(1, end - first)
    const isLength = size !== this.place.end - this.place.first
    const at = Math.max(0, Math.min(first, Math.max(0, this.grid.rows - size)))
    const to = Math.max(0, Math.min(column, this.grid.columns.length - 1))
    if (!isLength && at === this.place.first && to === this.place.column) return false
    this.place = { column: to, first: at, end: at + size }
    if (isLength) this.copy.style.height = `${this.grid.boxOf(this.place).height}px`
    this.draw()
    return true
  }

  /** The target of the move; undefined if the move is not possible there. */
  get target(): Target | undefined {
    const { booking, place } = this
    const column = this.grid.columns[place.column]
    const isOwn = column?.who === booking.element.closest<HTMLElement>('.cal-col')?.dataset['who']
    const isFor = booking.block === undefined ? column?.gives.includes(booking.serviceId) : true
    const mayChange = column?.person !== '' && booking.block !== 'location'
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
    const { left, top } = this.grid.boxOf(this.place)
    this.copy.style.transform = `translate(${left}px, ${top}px)`
    const { target } = this
    this.copy.classList.toggle('is-refused', !target)
    const { fromMs, toMs } = target ?? this.booking
    this.label.textContent = target ? `${this.grid.clock(fromMs)}–${this.grid.clock(toMs)}` : '✗'
  }

  /** Shows that the server has not answered yet. */
  wait(): void {
    this.copy.classList.add('is-waiting')
  }

  /** Returns to the original position. */
  springBack(): void {
    this.put(this.booking.place)
    this.copy.classList.add('is-back')
    setTimeout(() => this.end(), 200)
  }

  end(): void {
    this.copy.remove()
    this.booking.element.classList.remove('is-carried')
  }
}
