import { erasedName, fullName } from '../base/contact-formats.ts'
import { toMs } from '../base/instants.ts'
import { languageFor } from '../base/languages.ts'
import { itemNames, itemsOf } from '../database/shown-item-rules.ts'
import type { PushedBooking } from './push-queries.ts'
import type { PushKind } from '../database/tables.ts'

/** A notification as the service worker of the console reads it. */
interface PushMessage {
  title: string
  body: string
  /** Language and direction of the text. */
  lang: string
  dir: 'ltr' | 'rtl'
  /** A later notification with the same tag replaces it on the device. */
  tag: string
  /** The path that a click opens. */
  url: string
}

/** Renders a notification about a booking in the language of the device. */
export function pushMessage(
  kind: Exclude<PushKind, 'test'>,
  booking: PushedBooking,
  { locale: wanted, business }: { locale: string; business: string | undefined },
): PushMessage {
  const { say, locale, direction } = languageFor(wanted)
  const { client_first_name: first, client_last_name: last, client_email: email } = booking
  const isErased = first === erasedName && email === ''
  const items = itemsOf(booking)
  const people = [...new Set(items.flatMap(({ staff }) => staff?.name ?? []))]
  const when = new Intl.DateTimeFormat(locale, {
    ...{ weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
    timeZone: booking.timezone,
  } as const).format(toMs(booking.starts_at))
  const what = [itemNames(items), when, people.join(', '), business].filter(Boolean)
  return {
    title: say(`push.${kind}`, { client: isErased ? say('mail.erasedClient') : fullName(first, last) }),
    body: what.join(' · '),
    ...{ lang: locale, dir: direction, tag: booking.id },
    url: `/console/bookings/${booking.id}?business=${booking.business_id}`,
  }
}

/** Renders the test that a person sends to their devices. */
export function testMessage(wanted: string): PushMessage {
  const { say, locale, direction } = languageFor(wanted)
  return {
    ...{ title: say('push.test'), body: say('push.testBody') },
    ...{ lang: locale, dir: direction, tag: 'test', url: '/console' },
  }
}
