import { type Language, languageFor } from '../base/languages.ts'
import type { MailView } from './render.ts'
import { textedTimes } from './client-zone.ts'
import { newsOf, unlinked } from './render.ts'
import { moneyText } from './times-and-money.ts'
import { maxSegments, plainText, segmentsOf } from './text-rules.ts'

/** Lengths to which names are shortened, one after the other, until the message fits. */
const lengths = [60, 30, 20, 10, 5]

/**
 * Renders a text message to a client: the business, the news, and the link to manage the booking. It has at most
 * `maxSegments` segments. `canAnswer`: the sender's number takes answers, so the message explains STOP.
 */
export function renderText(
  view: MailView,
  { manageUrl, canAnswer }: { manageUrl: string; canAnswer: boolean },
): string {
  const { kind, booking, business } = view
  const { say, ...language } = languageFor(...view.locales)
  const news = kind === 'reminder' ? kind : newsOf(view)
  const { date, time } = textedTimes(booking, { say, ...language })
  const count = (booking.series?.reports ?? 1) - 1
  return renderSentence(`text.${textOf(news)}`, {
    ...{ language: { say, ...language }, url: manageUrl, canAnswer, date, time },
    further: count > 0 ? say('text.further', { count }) : '',
    names: { business: business.name, service: booking.serviceName },
    ...(view.fee && { values: { amount: moneyText(view.fee, language.locale) } }),
  })
}

/** Renders a sentence with a link in at most `maxSegments` segments. Names are shortened if they do not fit. */
export function renderSentence(
  key: Parameters<Language['say']>[0],
  {
    language: { say },
    names,
    date,
    time,
    url,
    further = '',
    values = {},
    canAnswer,
  }: {
    language: Language
    names: { business: string; service: string }
    date: string
    time: string
    url: string
    /** A second sentence. */
    further?: string
    /** Further parameters of the sentence. */
    values?: Readonly<Record<string, number | string>>
    canAnswer: boolean
  },
): string {
  const make = (length: number, stop: string) => {
    const sentence = say(key, {
      ...{ business: cut(names.business, length), service: cut(names.service, length), date, time },
      ...values,
    })
    return plainText([sentence, further, url, stop].filter(Boolean).join(' '))
  }
  const stop = canAnswer ? say('text.stop') : ''
  const shortest = plainText(`${date} ${time} ${url}`)
  const tries = [make(lengths[0] ?? 0, stop), ...lengths.map((length) => make(length, ''))]
  return tries.find((text) => segmentsOf(text) <= maxSegments) ?? shortest
}

/** Returns the news in the words of a text message. Requests that end are cancelled bookings. */
function textOf(
  news: ReturnType<typeof newsOf> | 'reminder',
): 'confirmed' | 'changed' | 'cancelled' | 'reminder' | 'fee_due' | 'fee_waived' | 'fee_returned' {
  if (news === 'fee_due' || news === 'fee_asked') return 'fee_due'
  if (news === 'fee_waived' || news === 'fee_returned') return news
  if (news === 'changed' || news === 'cancelled' || news === 'reminder') return news
  const isEnd = news === 'cancelled_due' || news === 'declined' || news === 'unanswered'
  return isEnd ? 'cancelled' : 'confirmed'
}

function cut(name: string, length: number): string {
  const characters = Array.from(unlinked(name).replaceAll(/\s+/g, ' '))
  return characters.length <= length ? characters.join('') : `${characters.slice(0, length - 1).join('')}.`
}
