import type { FrameElement } from '@hotwired/turbo'
import { keepPlace } from './return.ts' // before Turbo, which writes the history entry
import { beginDrag } from './drag.ts'
import { FreeTime } from './free-time.ts'
import { Grid } from './grid.ts'
import { Keys } from './keys.ts'
import { enhanceList } from './list.ts'
import { Live } from './live.ts'
import { Moves } from './moves.ts'
import { Note } from './note.ts'
import { addPanel } from './panel.ts'
import { Pointer } from './pointer.ts'
import type { Texts } from './texts.ts'
import { Ties } from './ties.ts'

/*
 * Interactions of the console's calendar and its lists, which are complete without a script. The server renders
 * everything; the script refreshes it. Pointer and keys call the API or open pages with forms.
 */

const root = document.querySelector('#calendar')
const status = document.querySelector('#cal-status')
if (root instanceof HTMLElement && status instanceof HTMLElement) start(root, status)
const list = document.querySelector<FrameElement>('turbo-frame#list')
if (list) enhanceList(list)

function start(root: HTMLElement, status: HTMLElement): void {
  const texts = JSON.parse(status.dataset['texts'] ?? '{}') as Texts
  document.body.classList.add('scripted')
  const said = document.createElement('p')
  said.className = 'unseen'
  said.setAttribute('aria-live', 'assertive')
  status.after(said)

  let grid = gridOf(root)
  const current = () => grid
  const live: Live = new Live(
    { root, status, texts },
    {
      isBusy: () => pointer.isHolding || keys.isCarrying || moves.isBusy || free.isChoosing,
      changed: () => {
        grid = gridOf(root)
        keys.arrange()
        ties.show()
      },
    },
  )
  const ties = new Ties(root)
  const note = new Note(texts.close)
  const moves: Moves = new Moves({ texts, note, live, grid: current })
  const free: FreeTime = new FreeTime({ grid: current, texts })
  const keys: Keys = new Keys({
    grid: current,
    moves,
    note,
    free,
    texts,
    say: (text) => (said.textContent = text),
  })
  const pointer: Pointer = new Pointer(root, (target, at) => {
    if (!grid) return undefined
    free.close()
    return beginDrag({ grid, moves }, target, at) ?? free.begin(target, at.x, at.y)
  })

  root.addEventListener('pointermove', ({ pointerType, target, clientX, clientY }) => {
    if (pointerType === 'mouse' && !pointer.isHolding && target instanceof Element)
      free.hover(target, clientX, clientY)
  })
  root.addEventListener('pointerleave', () => free.leave())
  root.addEventListener('click', ({ target, detail, clientX, clientY }) => {
    if (detail > 0 && target instanceof Element) free.aim(target, clientX, clientY) // a click by keyboard has no coordinates
  })
  document.addEventListener('pointerdown', ({ target }) => {
    if (target instanceof Element && !target.closest('.cal-choice')) free.close()
  })
  root.addEventListener('scroll', () => grid?.moved(false), { capture: true, passive: true })
  for (const type of ['scroll', 'resize']) addEventListener(type, () => grid?.moved(true), { passive: true })
  new ResizeObserver(() => grid?.moved(true)).observe(root) // the panel makes it narrower
  addPanel(texts, {
    changed: () => void live.refresh(),
    shown: (path) => ties.select(path),
  })
  keys.arrange()
  keepPlace(root)
  live.start()
  const moved = document.querySelector<HTMLElement>('[data-moved]')
  if (moved) moves.takeOver(moved)
}

function gridOf(root: HTMLElement): Grid | undefined {
  const view = root.querySelector<HTMLElement>('.cal-scroll')
  return view ? new Grid(root, view) : undefined
}
