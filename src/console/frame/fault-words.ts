import type { FaultWords } from '../../pages/form.ts'
import { textFor, type TextGroups } from './text-groups.ts'

/** Returns the explanation of a fault: by the API's code, with the numbers and times of its detail. */
export function faultWords({ fault, problem, services }: TextGroups): Pick<FaultWords, 'fault' | 'problem'> {
  return {
    fault: (code, detail, pointer = '') =>
      code === 'wrong_type' && pointer.endsWith('/amount')
        ? fault.amount
        : (paymentText({ fault, services }, detail) ?? faultText(fault, code, detail)),
    problem: (code, detail) => textFor(problem, code) ?? detail,
  }
}

/** Returns the explanation of a fault in how a service is paid, in the words of its form. */
function paymentText(
  { fault, services: { payments } }: Pick<TextGroups, 'fault' | 'services'>,
  detail: string,
): string | undefined {
  if (detail.startsWith('is for payment deposit')) return fault.deposit_only({ choice: payments.deposit })
  if (detail.startsWith('needs payment card')) return fault.fees_need_card({ choice: payments.none })
  if (detail.startsWith('cannot be none while')) return fault.fees_need_card({ choice: payments.none })
  if (detail.includes('payment processors')) return fault.unpayable
  return undefined
}

function faultText(texts: TextGroups['fault'], code: string, detail: string): string {
  const [number] = /\d[\d.]*/.exec(detail) ?? []
  const [span] = /\d\d:\d\d–\d\d:\d\d/.exec(detail) ?? []
  switch (code) {
    case 'required':
    case 'too_short':
      return detail.includes('or `amount`') ? texts.need_percent : texts.required
    case 'too_few':
    case 'web_address':
    case 'wrong_type':
    case 'not_valid':
      return texts[code]
    case 'unknown_reference':
      return detail.includes('staff_ids') ? texts.not_of_service : texts.unknown_reference
    case 'repeated': // in a list; for a slug, the detail contains its owner
      return detail.includes('name in links') ? otherText(texts, detail) : texts.repeated
    case 'too_long':
    case 'too_many':
      return number === undefined ? otherText(texts, detail) : texts[code]({ number })
    case 'out_of_range':
      return rangeText(texts, detail, number)
    case 'overlap':
      return span === undefined ? texts.overlapping : texts.overlap({ span })
    default:
      return otherText(texts, detail)
  }
}

function rangeText(texts: TextGroups['fault'], detail: string, number: string | undefined): string {
  if (detail.includes('the price')) return texts.at_most_price
  if (number === undefined) return texts.out_of_range
  return detail.includes('at least') ? texts.at_least({ number }) : texts.at_most({ number })
}

/** Returns the required format of a text, recognised by the API's detail. */
function otherText(texts: TextGroups['fault'], detail: string): string {
  if (detail.includes('+ ( ) - .')) return texts.phone
  if (detail.includes('direction of text')) return texts.direction
  if (detail.includes('letters A to Z')) return texts.code
  if (detail.includes('together with `amount`')) return texts.one_of_both
  if (detail.includes('email address')) return texts.email
  if (detail.includes('a time from')) return texts.time
  if (detail.includes('first and the last step')) return texts.first_and_last
  if (detail.includes('none of the service')) return texts.elsewhere
  return texts.other({ detail }).replace(/\?\.$/, '?')
}
