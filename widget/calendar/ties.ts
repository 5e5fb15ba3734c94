/** Shows all parts of a visit as one while the pointer or the focus is on any of them. */
export class Ties {
  private readonly root: HTMLElement
  private pointed: string | undefined
  private focused: string | undefined

  constructor(root: HTMLElement) {
    this.root = root
    root.addEventListener('pointerover', ({ target }) => {
      this.pointed = tieOf(target)
      this.show()
    })
    root.addEventListener('pointerleave', () => {
      this.pointed = undefined
      this.show()
    })
    root.addEventListener('focusin', ({ target }) => {
      this.focused = tieOf(target)
      this.show()
    })
    root.addEventListener('focusout', () => {
      this.focused = undefined
      this.show()
    })
  }

  /** Marks the parts again, also after the calendar has changed. */
  show(): void {
    const shown = [this.pointed, this.focused]
    for (const part of this.root.querySelectorAll<HTMLElement>('[data-tie]'))
      part.classList.toggle('is-tied', shown.includes(part.dataset['tie']))
  }
}

function tieOf(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('[data-tie]')?.dataset['tie'] : undefined
}
