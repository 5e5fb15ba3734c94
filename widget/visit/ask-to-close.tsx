import { render } from 'preact'
import type { Language } from '../languages.ts'

interface Question {
  dialog: HTMLDialogElement
  answer: Promise<boolean>
}

const asked = new WeakMap<HTMLDialogElement, Question>()

/** Asks if an unfinished booking may be closed, with one dialog at a time. Escape means no. */
export function askToClose(over: HTMLDialogElement, language: Language): Promise<boolean> {
  const before = asked.get(over)
  if (before?.dialog.open) return before.answer // its event fires some milliseconds after it has closed
  const question = ask(over, language)
  asked.set(over, question)
  return question.answer
}

function ask(over: HTMLDialogElement, { texts, locale, direction }: Language): Question {
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
  const answer = new Promise<boolean>((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'close')
    })
  })
  return { dialog, answer }
}
