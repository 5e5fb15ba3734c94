import type { FaultWords } from '../../pages/form.ts'
import { textFor } from '../frame/text-groups.ts'
import type { ConsoleTexts } from '../frame/texts.ts'

/** Returns the texts for forms about bookings. */
export function bookingWords({ form, setUp }: ConsoleTexts): FaultWords {
  const of = (texts: Record<string, string>, others: FaultWords['fault']) => (code: string, detail: string) =>
    textFor(texts, code) ?? others(code, detail)
  return {
    notSaved: '',
    checkMarked: form.checkFields,
    fault: of(form.faults, setUp.fault),
    problem: of(form.problems, setUp.problem),
  }
}

/** Returns the words of the fields for answers. */
export function answerWords({ booking, form }: ConsoleTexts): Record<'yes' | 'no' | 'now', string> {
  return { yes: booking.yes, no: booking.no, now: form.now }
}
