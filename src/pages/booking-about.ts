import { dialled } from '../base/contact-formats.ts'
import { html, type Html } from '../base/html.ts'
import { formatInstant, type Instant } from '../base/instants.ts'
import type { Language } from '../base/languages.ts'
import type { Hours } from '../catalogue/catalogue-types.ts'
import type { Location } from '../catalogue/location-and-staff-schemas.ts'
import { icon } from './icons.ts'

/* The business around its booking form: cover and name above it, contact, hours and team next to it. */

/** The fields of a business that its page shows. */
export interface PageBusiness {
  name: string
  /** The language of its emails (BCP 47). */
  locale: string
  brand_name: string | null
  brand_color: string | null
  brand_logo_url: string | null
  cover_url: string | null
  phone: string | null
  reply_to_email: string | null
  imprint_url: string | null
  privacy_url: string | null
  terms: string | null
  terms_language: string | null
}

type PageLocation = Pick<Location, 'id' | 'name' | 'address' | 'timezone' | 'weekly_hours' | 'date_overrides'>

/** A staff member with a link that chooses them. */
interface PagePerson {
  name: string
  picture: string | null
  path: string
}

/** Renders the head of the page. The name is its heading. */
export function salonHead({ name, brand_name, brand_logo_url: logo, cover_url: cover }: PageBusiness): Html {
  return html`<header class="salon">
    ${cover === null ? '' : html`<img class="cover" src="${cover}" alt="" referrerpolicy="no-referrer" />`}
    <div class="salon-name">
      ${logo === null ? '' : html`<img class="salon-logo" src="${logo}" alt="" referrerpolicy="no-referrer" />`}
      <h1><bdi>${brand_name ?? name}</bdi></h1>
    </div>
  </header>`
}

interface About {
  business: PageBusiness
  locations: readonly PageLocation[]
  people: readonly PagePerson[]
  now: Instant
  /** Path of the page with a client's bookings. */
  ownPath: string
}

/** Businesses with more locations show them in the form only. */
const maxLocations = 3
const maxPeople = 12

/** Renders addresses with hours, contact, team and legal links. Nothing of it loads from other websites. */
export function aboutSalon(language: Language, { business, locations, people, now, ownPath }: About): Html {
  const { say } = language
  const places = locations.length > maxLocations ? [] : locations
  const { phone, reply_to_email: email } = business
  return html`<aside class="about" aria-label="${business.brand_name ?? business.name}">
    ${places.map((one) => placePart(language, one, { now, isNamed: places.length > 1 }))}
    ${
      phone === null && email === null
        ? ''
        : html`<p class="reach">
            ${phone === null ? '' : html`<a href="tel:${dialled(phone)}">${icon('phone')} <bdi dir="ltr">${phone}</bdi></a>`}
            ${email === null ? '' : html`<a href="mailto:${email}">${icon('mails')} <bdi dir="ltr">${email}</bdi></a>`}
          </p>`
    }
    ${
      people.length < 2
        ? ''
        : html`<section>
            <h2>${say('page.team')}</h2>
            <ul class="team">
              ${people.slice(0, maxPeople).map(
                ({ name, picture, path }) =>
                  html`<li>
                    <a href="${path}">
                      ${
                        picture === null
                          ? html`<span class="face" aria-hidden="true">${initialsOf(name)}</span>`
                          : html`<img
                              class="face"
                              src="${picture}"
                              alt=""
                              loading="lazy"
                              referrerpolicy="no-referrer"
                            />`
                      }
                      <bdi>${name}</bdi></a
                    >
                  </li>`,
              )}
            </ul>
          </section>`
    }
    <p><a href="${ownPath}">${say('me.title')}</a></p>
    ${legalPart(language, business)}
  </aside>`
}

function placePart(
  language: Language,
  { name, address, ...hours }: PageLocation,
  { now, isNamed }: { now: Instant; isNamed: boolean },
): Html {
  if (address === null && hours.weekly_hours === null) return html``
  const { say } = language
  return html`<section>
    ${isNamed || address === null ? html`<h2><bdi>${name}</bdi></h2>` : ''}
    ${
      address === null
        ? ''
        : html`<p class="address"><bdi>${address}</bdi></p>
            <p class="reach">
              <a
                href="https://www.openstreetmap.org/search?query=${encodeURIComponent(address)}"
                target="_blank"
                rel="noopener noreferrer"
                >${icon('place')} ${say('page.map')}</a
              >
            </p>`
    }
    ${hoursPart(language, hours, now)}
  </section>`
}

/** Renders the hours of today, and folded those of the next seven days with their exceptions. */
function hoursPart(
  language: Language,
  {
    timezone,
    weekly_hours: weekly,
    date_overrides: overrides,
  }: Omit<PageLocation, 'id' | 'name' | 'address'>,
  now: Instant,
): Html {
  if (weekly === null) return html`` // always open
  const { say, locale } = language
  const today = Temporal.PlainDate.from(formatInstant(now, timezone).slice(0, 'yyyy-mm-dd'.length))
  const days = Array.from({ length: 7 }, (_, ahead) => today.add({ days: ahead })).map((date) => {
    const other = overrides.find((one) => one.date === date.toString())
    const name = weekdayNames[date.dayOfWeek - 1]
    const hours = other?.hours ?? weekly.filter(({ weekday }) => weekday === name)
    return { date, text: spansText(language, hours) }
  })
  const format = new Intl.DateTimeFormat(dateLocale(locale), { weekday: 'long', timeZone: 'UTC' })
  return html`<details class="hours">
    <summary>
      ${icon('waiting')}
      <span class="unseen">${say('page.hours')}</span> ${say('page.today', { hours: days[0]?.text ?? '' })}
    </summary>
    <dl>
      ${days.map(
        ({ date, text }) =>
          html`<dt>${format.format(Date.parse(date.toString()))}</dt>
            <dd>${text}</dd>`,
      )}
    </dl>
  </details>`
}

const weekdayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

function spansText({ say, locale }: Language, hours: readonly Hours[]): string {
  if (hours.length === 0) return say('page.closed')
  const format = new Intl.DateTimeFormat(dateLocale(locale), {
    ...{ hour: 'numeric', minute: '2-digit', timeZone: 'UTC' },
  })
  const time = (text: string) => Date.parse(`2026-01-01T${text === '24:00' ? '00:00' : text}:00Z`)
  return hours
    .toSorted((one, other) => (one.opens < other.opens ? -1 : 1))
    .map(({ opens, closes }) => `${format.format(time(opens))} – ${format.format(time(closes))}`)
    .join(', ')
}

/** English without a country gets the 24-hour clock. */
function dateLocale(locale: string): string {
  return locale === 'en' ? 'en-GB' : locale
}

function legalPart({ say, name }: Language, business: PageBusiness): Html {
  const { imprint_url: imprint, privacy_url: privacy, terms, terms_language: of } = business
  if ((imprint ?? privacy ?? terms) === null) return html``
  const link = (url: string | null, text: string) =>
    url === null ? '' : html`<a href="${url}" target="_blank" rel="noopener noreferrer">${text}</a>`
  return html`<div class="legal">
    ${link(imprint, say('booking.imprint'))} ${link(privacy, say('booking.privacy'))}
    ${
      terms === null
        ? ''
        : html`<details>
            <summary>${say('booking.terms')}</summary>
            <div class="terms" lang="${of ?? name}" dir="auto">${terms}</div>
          </details>`
    }
  </div>`
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean)
  return [...words.slice(0, 1), ...words.slice(1).slice(-1)]
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 32))
    .join('')
    .toLocaleUpperCase()
}
