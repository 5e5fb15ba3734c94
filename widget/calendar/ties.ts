/** Marks all parts of the booking under the pointer, with the focus, or in the panel. */
export class Ties {
  private readonly root: HTMLElement
  private pointed: string | undefined
  private focused: string | undefined
  private open: string | undefined

  constructor(root: HTMLElement) {
    this.root = root
    root.addEventListener('pointerover', ({ target }) => this.mark({ pointed: tieOf(target) }))
    root.addEventListener('pointerleave', () => this.mark({ pointed: undefined }))
    root.addEventListener('focusin', ({ target }) => this.mark({ focused: tieOf(target) }))
    root.addEventListener('focusout', () => this.mark({ focused: undefined }))
  }

  /** Marks the parts of the booking whose page is open; undefined if none is. */
  select(path: string | undefined): void {
    this.open = /^\/console\/bookings\/([^/?]+)/.exec(path ?? '')?.[1]
    this.show()
  }

  /** Marks the parts again, after the calendar has changed. */
  show(): void {
    const tied = [this.pointed, this.focused]
    for (const part of this.root.querySelectorAll<HTMLElement>('[data-tie]')) {
      const { tie } = part.dataset
      part.classList.toggle('is-tied', tied.includes(tie))
      part.classList.toggle('is-open', tie !== undefined && tie === this.open)
    }
  }

  private mark(on: { pointed?: string | undefined } | { focused?: string | undefined }): void {
    const { pointed, focused } = { pointed: this.pointed, focused: this.focused, ...on }
    if (pointed === this.pointed && focused === this.focused) return
    ;[this.pointed, this.focused] = [pointed, focused]
    this.show()
  }
}

function tieOf(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('[data-tie]')?.dataset['tie'] : undefined
}
