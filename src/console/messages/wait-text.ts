import type { Static } from 'typebox'
import { html, type Html } from '../../base/html.ts'
import type { Mail } from '../../mails/mail-schemas.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import { momentOf } from '../frame/formats.ts'

/** Explains why an email waits, and until when. Empty if it does not wait. */
export function waitText(
  visit: ConsoleVisit,
  { waits_for, waits_until }: Pick<Static<typeof Mail>, 'waits_for' | 'waits_until'>,
): Html {
  const { waits } = visit.texts.mails
  if (waits_for === null) return html``
  if (waits_for === 'setup' || waits_until === null)
    return html`${waits_for === 'setup' ? waits.setup : waits.turn}`
  const when = momentOf(waits_until, visit)
  return html`${waits[waits_for === 'turn' ? 'turnUntil' : waits_for]({ when })}`
}
