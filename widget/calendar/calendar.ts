import { Live } from './live.ts'
import type { Texts } from './texts.ts'

/*
 * What the calendar of the console does with a script; without one it is whole, too. The server makes all that is shown:
 * this asks for it again.
 */

const root = document.querySelector('#calendar')
const status = document.querySelector('#cal-status')
if (root instanceof HTMLElement && status instanceof HTMLElement) {
  const texts = JSON.parse(status.dataset['texts'] ?? '{}') as Texts
  const live = new Live({ root, status, texts }, { isBusy: () => false, changed: () => undefined })
  live.start()
}
