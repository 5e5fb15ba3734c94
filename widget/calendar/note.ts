/** A button of a note. */
interface NoteButton {
  text: string
  act: () => void
  /** True if the undo key triggers it. */
  isUndo?: boolean
}

interface NoteParts {
  text: string
  /** `changed` returns the new state. */
  check?: { text: string; changed: (isOn: boolean) => Promise<boolean> }
  buttons?: NoteButton[]
  link?: { text: string; path: string }
  /** True if the note stays until it is closed. */
  stays?: boolean
}

const shownMs = 8_000

/** The note at the foot of the page: the last action, and buttons for it. */
export class Note {
  private readonly box: HTMLElement
  private readonly closeText: string
  private timer: number | undefined
  private undo: (() => void) | undefined
  private isTimed = false

  constructor(closeText: string) {
    this.closeText = closeText
    this.box = document.createElement('div')
    this.box.className = 'cal-note'
    this.box.setAttribute('role', 'status')
    document.querySelector('main')?.append(this.box)
    for (const type of ['pointerenter', 'focusin'])
      this.box.addEventListener(type, () => clearTimeout(this.timer))
    for (const type of ['pointerleave', 'focusout']) this.box.addEventListener(type, () => this.wait())
    addEventListener('pagehide', () => this.close())
  }

  show({ text, check, buttons = [], link, stays = false }: NoteParts): void {
    this.close()
    this.isTimed = !stays
    const said = document.createElement('p')
    said.textContent = text
    this.box.append(said)
    if (check) this.box.append(checkOf(check))
    for (const { text: label, act, isUndo = false } of buttons) {
      const use = () => {
        this.close()
        act()
      }
      this.box.append(buttonOf(label, use))
      if (isUndo) this.undo = use
    }
    if (link) {
      const anchor = document.createElement('a')
      anchor.href = link.path
      anchor.textContent = link.text
      this.box.append(anchor)
    }
    const close = buttonOf('×', () => this.close())
    close.setAttribute('aria-label', this.closeText)
    this.box.append(close)
    this.wait()
  }

  /** Undoes the last action, if the note offers it. */
  useUndo(): void {
    this.undo?.()
  }

  close(): void {
    clearTimeout(this.timer)
    this.box.replaceChildren()
    this.undo = undefined
  }

  private wait(): void {
    clearTimeout(this.timer)
    if (this.isTimed) this.timer = window.setTimeout(() => this.close(), shownMs)
  }
}

function buttonOf(text: string, act: () => void): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = text
  button.addEventListener('click', act)
  return button
}

function checkOf({ text, changed }: NonNullable<NoteParts['check']>): HTMLElement {
  const label = document.createElement('label')
  const input = document.createElement('input')
  input.type = 'checkbox'
  input.checked = true
  const ask = async () => {
    const isOn = input.checked
    input.disabled = true
    if (!(await changed(isOn))) input.checked = !isOn
    input.disabled = false
  }
  input.addEventListener('change', () => void ask())
  label.append(input, ' ', text)
  return label
}
