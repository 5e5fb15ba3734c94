/*
 * Dragging with a mouse, pen or finger. A mouse drags at once, a finger after a moment, so that it can
 * still scroll. The dragged object receives pointer moves once per frame.
 */

/** An object being dragged. */
export interface Held {
  move(x: number, y: number): void
  drop(): void
  giveUp(): void
}

/** Returns the object to drag at a position. Called when a drag begins. */
type Begin = (target: Element, at: { x: number; y: number; isTouch: boolean }) => Held | undefined

const longPressMs = 450
const startPixels = 4
/** A finger that moves further before the drag begins is scrolling. */
const stillPixels = 10

interface Press {
  id: number
  target: Element
  x: number
  y: number
  isTouch: boolean
  timer: number | undefined
}

export class Pointer {
  private readonly begin: Begin
  private press: Press | undefined
  private held: Held | undefined
  private at = { x: 0, y: 0 }
  private frame: number | undefined
  private isClickOver = false

  constructor(root: HTMLElement, begin: Begin) {
    this.begin = begin
    // also outside the root: dropping by finger causes no click, so the next click is intended
    addEventListener('pointerdown', () => (this.isClickOver = false), { capture: true })
    root.addEventListener('pointerdown', (event) => this.down(event))
    addEventListener('pointermove', (event) => this.move(event))
    addEventListener('pointerup', (event) => this.up(event))
    addEventListener('pointercancel', () => this.giveUp())
    addEventListener('blur', () => this.giveUp())
    // during a drag by finger, nothing scrolls and no menu opens
    root.addEventListener('touchmove', (event) => this.held && event.preventDefault(), { passive: false })
    root.addEventListener('contextmenu', (event) => {
      if (this.held || this.press?.isTouch) event.preventDefault()
    })
    root.addEventListener('dragstart', (event) => event.preventDefault()) // the browser would drag links itself
    addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.held) return
      event.stopImmediatePropagation()
      this.giveUp()
    })
    addEventListener('click', (event) => this.click(event), { capture: true })
  }

  get isHolding(): boolean {
    return this.held !== undefined
  }

  private down({ button, isPrimary, pointerType, pointerId, target, clientX, clientY }: PointerEvent): void {
    if (this.held && !isPrimary) return this.giveUp() // a second finger touches the screen
    if (button !== 0 || !isPrimary || !(target instanceof Element)) return
    const isTouch = pointerType === 'touch'
    this.press = { id: pointerId, target, x: clientX, y: clientY, isTouch, timer: undefined }
    if (isTouch) this.press.timer = window.setTimeout(() => this.start(), longPressMs)
  }

  private start(): void {
    if (!this.press) return
    const { target, x, y, isTouch } = this.press
    this.at = { x, y }
    this.held = this.begin(target, { x, y, isTouch })
    if (!this.held) return this.forget()
    this.isClickOver = true
    document.body.classList.add('is-holding')
    if (isTouch && 'vibrate' in navigator) navigator.vibrate(10)
    this.frame = requestAnimationFrame(() => this.draw())
  }

  private move({ pointerId, clientX: x, clientY: y }: PointerEvent): void {
    if (pointerId !== this.press?.id) return
    this.at = { x, y }
    if (this.held) return
    const distance = Math.hypot(x - this.press.x, y - this.press.y)
    if (this.press.isTouch && distance > stillPixels) this.forget()
    else if (!this.press.isTouch && distance > startPixels) {
      this.start()
      this.at = { x, y }
    }
  }

  private draw(): void {
    this.held?.move(this.at.x, this.at.y)
    if (this.held) this.frame = requestAnimationFrame(() => this.draw())
  }

  private up({ pointerId, clientX, clientY }: PointerEvent): void {
    if (pointerId !== this.press?.id) return
    const { held } = this
    this.forget()
    held?.move(clientX, clientY)
    held?.drop()
  }

  private giveUp(): void {
    const { held } = this
    this.forget()
    held?.giveUp()
  }

  private forget(): void {
    clearTimeout(this.press?.timer)
    if (this.frame !== undefined) cancelAnimationFrame(this.frame)
    this.press = undefined
    this.held = undefined
    document.body.classList.remove('is-holding')
  }

  /** Ignores the click that ends a drag with the mouse. A keyboard click has no `detail`. */
  private click(event: MouseEvent): void {
    if (!this.isClickOver || event.detail === 0) return
    this.isClickOver = false
    event.preventDefault()
    event.stopPropagation()
  }
}
