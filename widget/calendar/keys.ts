import { Carried } from './carried.ts'
import { blockPath, type FreeTime } from './free-time.ts'
import { type Booking, type Grid, stepRows } from './grid.ts'
import type { Moves } from './moves.ts'
import type { Note } from './note.ts'
import { filled, type Texts } from './texts.ts'

const hourMs = 3_600_000

interface Parts {
  grid: () => Grid | undefined
  moves: Moves
  note: Note
  free: FreeTime
  texts: Texts
  /** Announces a text to screen readers. */
  say: (text: string) => void
}

/** Keyboard control of the calendar: navigating, moving, booking. */
export class Keys {
  private readonly parts: Parts
  private readonly help: HTMLDialogElement
  private carried: Carried | undefined
  /** The link of each column that the Tab key reaches. */
  private readonly stops = new Map<string, string>()

  constructor(parts: Parts) {
    this.parts = parts
    this.help = helpOf(parts.texts)
    document.body.append(this.help)
    document.addEventListener('keydown', (event) => this.press(event))
    document.addEventListener('focusin', ({ target }) => this.remember(target))
    document.addEventListener('pointerdown', () => this.giveUp())
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button cal-keys'
    button.textContent = `${parts.texts.keys.title} (?)`
    const menu = document.querySelector<HTMLElement>('#cal-do')
    button.addEventListener('click', () => {
      menu?.hidePopover()
      this.help.showModal()
    })
    menu?.append(button)
  }

  get isCarrying(): boolean {
    return this.carried !== undefined
  }

  /** Makes one link of each column reachable by Tab, and the others by arrow keys. */
  arrange(): void {
    for (const { element } of this.parts.grid()?.columns ?? []) {
      const links = linksOf(element)
      const known = this.stops.get(element.dataset['key'] ?? '')
      const stop =
        links.find((link) => keyOf(link) === known) ??
        links.find((link) => link.parentElement?.matches('.booking')) ??
        links.find((link) => !link.parentElement?.matches('.is-over')) ??
        links[0]
      for (const link of links) link.tabIndex = link === stop ? 0 : -1
    }
  }

  private remember(target: EventTarget | null): void {
    if (!(target instanceof HTMLElement)) return
    const column = target.closest<HTMLElement>('.cal-col')
    const key = keyOf(target)
    if (!column || key === undefined) return
    this.stops.set(column.dataset['key'] ?? '', key)
    for (const link of linksOf(column)) link.tabIndex = link === target ? 0 : -1
  }

  private press(event: KeyboardEvent): void {
    const { key, target } = event
    if (document.body.classList.contains('is-holding')) return // the pointer is dragging something
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (!(target instanceof Element) || target.closest('input, select, textarea, dialog, [contenteditable]'))
      return
    const isDone = this.carried
      ? this.carry(this.carried, event)
      : this.walk(key, target) || this.act(key, target)
    if (isDone) event.preventDefault()
  }

  /** Moves the carried appointment or block. */
  private carry(carried: Carried, { key, shiftKey }: KeyboardEvent): boolean {
    const { column, first, end } = carried.place
    const down = key === 'ArrowDown' ? stepRows : key === 'ArrowUp' ? -stepRows : 0
    const across = acrossOf(key, this.parts.grid())
    if (key === 'Escape') this.giveUp()
    else if (key === 'Enter') {
      this.carried = undefined
      void this.parts.moves.drop(carried).then(() => this.focusOn(carried.booking))
    } else if (down !== 0 || across !== 0) {
      const isLength = shiftKey && !carried.booking.visit // services give a visit its length
      const longer = isLength ? Math.max(first + 1, end + down) : end + down
      carried.put({ column: column + across, first: isLength ? first : first + down, end: longer })
      this.parts.grid()?.reveal(carried.place)
      this.parts.say(carried.words)
    } else return key.length === 1 // letters do nothing during a move
    return true
  }

  private giveUp(): void {
    const { carried } = this
    if (!carried) return
    this.carried = undefined
    carried.springBack()
    this.parts.say(this.parts.texts.stays)
  }

  private walk(key: string, target: Element): boolean {
    const grid = this.parts.grid()
    const down = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
    const across = acrossOf(key, grid)
    if (!grid?.view.contains(target) || (down === 0 && across === 0)) return false
    const index = grid.columns.findIndex(({ element }) => element.contains(target))
    const next =
      index === -1
        ? grid.columns.flatMap(({ element }) => linksOf(element).filter((link) => link.tabIndex === 0))[0]
        : down === 0
          ? nearestBeside(grid, { index, across }, target)
          : besideIn(linksOf(grid.columns[index]?.element), target, down)
    next?.focus()
    return true
  }

  private act(key: string, target: Element): boolean {
    const { grid, note, free } = this.parts
    if (key === 'Escape') {
      if (free.close()) return true
      note.close()
      return false
    }
    if (!lettersAreOn()) return false
    switch (key) {
      case 'm':
        return this.lift(target)
      case 'u':
        note.useUndo()
        return true
      case 'b':
        return follow(this.bookPathAt(target))
      case 'x':
        return follow(blockPathAt(grid(), target))
      case 't':
        return follow(document.querySelector<HTMLAnchorElement>('.cal-days a:not([rel])')?.href)
      case '?':
        this.help.showModal()
        return true
      case '/': {
        const search = document.querySelector<HTMLElement>('input[type="search"]')
        search?.focus()
        return search !== null
      }
      default:
        return false
    }
  }

  private lift(target: Element): boolean {
    const grid = this.parts.grid()
    const classLink = target.closest('.booking.group')?.querySelector('a')
    if (classLink) {
      this.parts.moves.sayOfClass(classLink.href)
      return true
    }
    const element = target.closest<HTMLElement>('.cal-col [data-id]')
    const booking = element && !this.parts.moves.isBusy ? grid?.bookingOf(element) : undefined
    if (!grid || !booking) return false
    this.carried = new Carried(grid, booking)
    this.parts.say(filled(this.parts.texts.lifted, { name: booking.client }))
    return true
  }

  private bookPathAt(target: Element): string | undefined {
    const link = document.querySelector<HTMLAnchorElement>('.cal-do a[href*="/console/book"]')
    const free = target.closest<HTMLAnchorElement>('.free > a[href*="/console/book"]')
    const column = target.closest<HTMLElement>('.cal-col:not([data-room])')
    if (free || !link || !column) return free?.href ?? link?.href
    const url = new URL(link.href)
    if (column.dataset['staff'] !== '') url.searchParams.set('who', column.dataset['who'] ?? '')
    else url.searchParams.set('service', column.dataset['gives'] ?? '')
    return url.href
  }

  /** Focuses the same part again. The key of a block changes with its column. */
  private focusOn({ id, element }: Booking): void {
    const find = (name: string, value: string) =>
      document.querySelector<HTMLElement>(`.cal-col [data-${name}="${CSS.escape(value)}"] > a`)
    const link = find('key', element.dataset['key'] ?? '') ?? find('id', id)
    if (document.activeElement === document.body || document.activeElement === null) link?.focus()
  }
}

function blockPathAt(grid: Grid | undefined, target: Element): string | undefined {
  const element = target.closest<HTMLElement>('.free[data-span]')
  const free = element && grid?.spanOf(element)
  if (!grid || !free)
    return document.querySelector<HTMLAnchorElement>('.cal-do a[href*="/console/block"]')?.href
  return blockPath(grid, free.column, {
    fromMs: free.fromMs,
    toMs: Math.min(free.toMs, free.fromMs + hourMs),
  })
}

function follow(path: string | undefined): boolean {
  if (path === undefined) return false
  const link = document.createElement('a')
  link.href = path
  document.body.append(link)
  link.click() // may open in the panel
  link.remove()
  return true
}

function keyOf(link: Element): string | undefined {
  return link.closest<HTMLElement>('.cal-rows [data-key]')?.dataset['key']
}

const startOf = (link: Element) =>
  Number((link.closest<HTMLElement>('[data-span]')?.dataset['span'] ?? '0').split(' ')[0])

/** Returns the links in a column, in chronological order. */
function linksOf(column: Element | undefined): HTMLElement[] {
  const links = Array.from(column?.querySelectorAll<HTMLElement>('.cal-rows a') ?? [])
  return links.sort((one, other) => startOf(one) - startOf(other))
}

/** Returns the next column for an arrow key: 1, -1 or 0. */
function acrossOf(key: string, grid: Grid | undefined): number {
  const right = grid?.isMirrored === true ? -1 : 1
  return key === 'ArrowRight' ? right : key === 'ArrowLeft' ? -right : 0
}

function besideIn(links: HTMLElement[], target: Element, step: number): HTMLElement | undefined {
  const index = links.findIndex((link) => link === target)
  return links[index + step]
}

/**
 * Returns the link in the next non-empty column that is nearest in time. In a week view, compares the time of
 * day.
 */
function nearestBeside(
  grid: Grid,
  { index, across }: { index: number; across: number },
  target: Element,
): HTMLElement | undefined {
  const first = grid.rowOf(index, startOf(target)) ?? 0
  for (let at = index + across; 0 <= at && at < grid.columns.length; at += across) {
    const links = linksOf(grid.columns[at]?.element)
    const distance = (link: HTMLElement) => Math.abs((grid.rowOf(at, startOf(link)) ?? 0) - first)
    const [nearest] = links.toSorted((one, other) => distance(one) - distance(other))
    if (nearest) return nearest
  }
  return undefined
}

function shortcutsOf(texts: Texts['keys']): [key: string, meaning: string][] {
  return [
    ['↑ ↓', texts.inTime],
    ['← →, Tab', texts.otherPerson],
    [texts.enter, texts.open],
    ['m', texts.move],
    ['u', texts.undo],
    ['b', texts.book],
    ['x', texts.block],
    ['t', texts.today],
    ['/', texts.search],
    ['?', texts.help],
  ]
}

const lettersKey = 'holdfast:letters'

/** True unless a person has turned shortcuts of single letters off on this device (WCAG 2.1.4). */
function lettersAreOn(): boolean {
  try {
    return localStorage.getItem(lettersKey) !== 'off'
  } catch {
    return true // the browser keeps nothing
  }
}

/** Returns a checkbox that turns them on and off: speech input could otherwise cause them. */
function letterSwitch(text: string): HTMLLabelElement {
  const label = document.createElement('label')
  const box = document.createElement('input')
  box.type = 'checkbox'
  box.checked = lettersAreOn()
  box.addEventListener('change', () => {
    try {
      localStorage.setItem(lettersKey, box.checked ? 'on' : 'off')
    } catch {
      box.checked = true
    }
  })
  label.append(box, text)
  return label
}

function helpOf({ keys, close }: Texts): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  dialog.className = 'cal-help'
  const title = document.createElement('h2')
  title.id = 'cal-help-title'
  title.textContent = keys.title
  dialog.setAttribute('aria-labelledby', title.id)
  const list = document.createElement('dl')
  for (const [key, meaning] of shortcutsOf(keys)) {
    const term = document.createElement('dt')
    const shown = document.createElement('kbd')
    shown.textContent = key
    term.append(shown)
    const description = document.createElement('dd')
    description.textContent = meaning
    list.append(term, description)
  }
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = close
  button.addEventListener('click', () => dialog.close())
  dialog.append(title, list, letterSwitch(keys.letters), button)
  return dialog
}
