import { render } from 'preact'
import type { Language } from '../locales/languages.ts'

const asked = new WeakMap<HTMLDialogElement, Promise<boolean>>()

/** Asks whether what was begun may be closed, once at a time. Escape says no. */
export function askToClose(over: HTMLDialogElement, language: Language): Promise<boolean> {
  const answer = asked.get(over) ?? ask(over, language)
  asked.set(over, answer)
  void answer.then(() => asked.delete(over))
  return answer
}

function ask(over: HTMLDialogElement, { texts, locale, direction }: Language): Promise<boolean> {
  const dialog = document.createElement('dialog')
  dialog.className = 'closing'
  dialog.role = 'alertdialog'
  dialog.lang = locale
  dialog.dir = direction
  dialog.setAttribute('aria-labelledby', 'closing')
  render(
    <>
      <p id="closing">{texts.askClose}</p>
      <div class="actions">
        <button type="button" class="primary" part="primary-button" onClick={() => dialog.close()}>
          {texts.goOn}
        </button>
        <button type="button" class="secondary" part="secondary-button" onClick={() => dialog.close('close')}>
          {texts.close}
        </button>
      </div>
    </>,
    dialog,
  )
  over.after(dialog)
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'close')
    })
  })
}
