import { searchText } from '../base/search-text.ts'
import type { SourceBooking } from './source-types.ts'

/* The words for the state of an appointment, in the languages of Holdfast, without accents. */

const cancelled =
  /cancel|annul|storn|abgesagt|anulad|anulow|odwolan|geannuleerd|afgezegd|iptal|disdett|desmarcad|キャンセル|取消|ملغ/u
const missed =
  /no.?show|nicht erschienen|absent|ausente|no se presento|assente|niet verschenen|nieobecn|faltou|gelmedi|無断|لم يحضر/u

/** Returns the state that a word names. Any other word means booked. */
export function stateOf(status: string): SourceBooking['state'] {
  const word = searchText(status)
  return cancelled.test(word) ? 'cancelled' : missed.test(word) ? 'no_show' : 'booked'
}
