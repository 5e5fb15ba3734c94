import { type Booking, type Grid, fiveMinutesMs, type Place } from './grid.ts'

/** Where an appointment or a block would go. */
export interface Target {
  fromMs: number
  toMs: number
  /** Of the column. */
  who: string
}

/** An appointment while it is moved, by pointer or keys: its copy, which goes where it would be dropped. */
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

  /** Moves it, within what is shown. Returns whether anything changed. */
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

  /** Where it would go; undefined where it cannot. */
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

  /** In words: when, until when, and with whom. */
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

  /** While the server is asked. */
  wait(): void {
    this.copy.classList.add('is-waiting')
  }

  /** Goes back to where it was. */
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
