import { type Grid, onStep, type Place, stepRows } from './grid.ts'
import type { Held } from './pointer.ts'
import { filled, type Texts } from './texts.ts'

interface Free extends Place {
  fromMs: number
  toMs: number
}

/** Parameters of the pages that book and block time. */
interface Wanted {
  fromMs: number
  toMs: number
}

/** Free time: highlights its start under the pointer, and books or blocks time by dragging. */
export class FreeTime {
  private readonly grid: () => Grid | undefined
  private readonly texts: Texts
  private readonly mark = document.createElement('div')
  private choice: { box: HTMLElement; back: HTMLElement | undefined } | undefined

  constructor(parts: { grid: () => Grid | undefined; texts: Texts }) {
    ;({ grid: this.grid, texts: this.texts } = parts)
    this.mark.className = 'cal-start'
    this.mark.setAttribute('aria-hidden', 'true')
  }

  get isChoosing(): boolean {
    return this.choice !== undefined
  }

  /** Highlights the start that a click would book. */
  hover(target: Element | null, x: number, y: number): void {
    if (this.isChoosing) return
    const grid = this.grid()
    const free = grid && freeAt(grid, target)
    if (!grid || !free) return this.mark.remove()
    const place = startAt(free, grid.pointAt(x, y).row)
    this.draw(grid, { ...place, end: place.first + stepRows })
    this.mark.textContent = `+ ${grid.clock(grid.timeAt(place) ?? free.fromMs)}`
  }

  leave(): void {
    if (!this.isChoosing) this.mark.remove()
  }

  /** Points a link in free time to the clicked time. */
  aim(target: Element, x: number, y: number): void {
    const grid = this.grid()
    const link = target.closest<HTMLAnchorElement>('.free > a')
    const free = grid && freeAt(grid, target)
    if (!grid || !free || !link) return
    const startMs = grid.timeAt(startAt(free, grid.pointAt(x, y).row)) ?? free.fromMs
    link.href = bookPath(link, Math.max(startMs, free.fromMs))
  }

  /** Starts dragging over free time. Returns undefined elsewhere. */
  begin(target: Element, x: number, y: number): Held | undefined {
    const grid = this.grid()
    const link = target.closest<HTMLAnchorElement>('.free > a')
    const free = grid && freeAt(grid, target)
    if (!grid || !free || !link) return undefined
    const anchor = startAt(free, grid.pointAt(x, y).row).first
    let place: Place = { ...free, first: anchor, end: anchor + stepRows }
    return {
      move: (toX, toY) => {
        grid.scrollNear(toX, toY)
        const row = onStep(grid.pointAt(toX, toY).row)
        const [first, end] = row > anchor ? [anchor, row] : [row, anchor + stepRows]
        const from = Math.max(first, free.first)
        place = { column: free.column, first: from, end: Math.max(from + 1, Math.min(end, free.end)) }
        this.draw(grid, place)
        this.mark.textContent = this.spanOf(grid, place)
      },
      drop: () => {
        const wanted = { fromMs: grid.timeAt(place) ?? free.fromMs, toMs: grid.endAt(place) ?? free.toMs }
        this.choose(
          grid,
          { ...wanted, fromMs: Math.max(wanted.fromMs, free.fromMs) },
          { link, column: free.column },
        )
      },
      giveUp: () => this.mark.remove(),
    }
  }

  /** Closes open menus. Returns true if there were any. */
  close(): boolean {
    this.mark.remove()
    if (!this.choice) return false
    const { box, back } = this.choice
    this.choice = undefined
    box.remove()
    back?.focus({ preventScroll: true })
    return true
  }

  private choose(
    grid: Grid,
    wanted: Wanted,
    { link, column }: { link: HTMLAnchorElement; column: number },
  ): void {
    const box = document.createElement('div')
    box.className = 'cal-choice'
    const anchor = (text: string, path: string) => {
      const made = document.createElement('a')
      made.className = 'button'
      made.href = path
      made.textContent = text
      return made
    }
    const book = grid.columns[column]?.isRoom
      ? []
      : [
          anchor(
            filled(this.texts.bookAt, { time: grid.clock(wanted.fromMs) }),
            bookPath(link, wanted.fromMs),
          ),
        ]
    const span = `${grid.clock(wanted.fromMs)}–${grid.clock(wanted.toMs)}`
    const block = anchor(filled(this.texts.blockSpan, { time: span }), blockPath(grid, column, wanted))
    box.append(...book, block)
    this.mark.textContent = span
    this.mark.after(box)
    const { left, top, height } = grid.boxOf({
      column,
      first: grid.rowOf(column, wanted.fromMs) ?? 0,
      end: (grid.rowOf(column, wanted.toMs - 1) ?? 0) + 1,
    })
    box.style.transform = `translate(${left}px, ${top + height}px)`
    this.choice = { box, back: link }
    ;(book[0] ?? block).focus({ preventScroll: true })
    box.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }

  private spanOf(grid: Grid, place: Place): string {
    return `${grid.clock(grid.timeAt(place) ?? 0)}–${grid.clock(grid.endAt(place) ?? 0)}`
  }

  private draw(grid: Grid, place: Place): void {
    const { left, top, width, height } = grid.boxOf(place)
    this.mark.style.transform = `translate(${left}px, ${top}px)`
    this.mark.style.width = `${width}px`
    this.mark.style.height = `${height}px`
    if (!this.mark.isConnected) grid.view.append(this.mark)
  }
}

function freeAt(grid: Grid, target: Element | null): Free | undefined {
  const element = target?.closest<HTMLElement>('.free[data-span]')
  return element ? grid.spanOf(element) : undefined
}

/** Returns the quarter of an hour under the pointer, within the free time. */
function startAt(free: Free, row: number): Place {
  const step = Math.floor(row / stepRows) * stepRows
  const first = Math.max(free.first, Math.min(step, free.end - 1))
  return { ...free, first, end: free.end }
}

function bookPath(link: HTMLAnchorElement, fromMs: number): string {
  const url = new URL(link.href)
  url.searchParams.set('start', new Date(fromMs).toISOString())
  return url.pathname + url.search
}

/** Returns the page to block time, with the known values filled in. */
export function blockPath(grid: Grid, column: number, { fromMs, toMs }: Wanted): string {
  const link = document.querySelector<HTMLAnchorElement>('.cal-do a[href*="/console/block"]')
  const url = new URL(link?.href ?? '/console/block', location.href)
  url.searchParams.delete('date')
  url.searchParams.delete('who')
  const { who = '', person = '', isRoom = false, locationId = '' } = grid.columns[column] ?? {}
  if (person !== '' || isRoom) url.searchParams.set('who', who)
  else if (locationId !== '') url.searchParams.set('location', locationId)
  url.searchParams.set('start', new Date(fromMs).toISOString())
  url.searchParams.set('end', new Date(toMs).toISOString())
  return url.pathname + url.search
}
