import { html, type Html } from '../../base/html.ts'
import { searchText } from '../../base/search-text.ts'
import { slugErrors } from '../../catalogue/slug-rules.ts'
import { type Faults, field, type FormState, numberOf, type Typed } from '../../pages/form.ts'
import type { ConsoleLanguage } from './texts.ts'

/* What the forms of services and of people ask about the booking page: link, order, picture. */

interface Shown {
  slug: string | null
  position: number | null
  image_url: string | null
}

const names = ['slug', 'position', 'category', 'image_url']

export function typedShown({ slug, position, image_url }: Shown): Typed {
  return { slug: slug ?? '', position: position === null ? '' : String(position), image_url: image_url ?? '' }
}

/** What the API takes. Fields that the form lacks are left out. */
export function shownOf(typed: Typed): Record<string, unknown> {
  const texts = names.filter((name) => name in typed && name !== 'position')
  return {
    ...Object.fromEntries(texts.map((name) => [name, typed[name] || null])),
    ...('position' in typed && { position: numberOf(typed['position']) }),
  }
}

/** What a name in links could be where something else was typed: `salon-frieda` for "Salon Frieda". */
export function offeredSlug(text: string, { locale }: Pick<ConsoleLanguage, 'locale'>): string | undefined {
  if (text === '' || slugErrors(text).length === 0) return undefined
  const plain = new Intl.Locale(locale).language === 'de' ? text.replaceAll(/[äöü]/gi, '$&e') : text
  const slug = searchText(plain)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return slugErrors(slug).length === 0 ? slug : undefined
}

/** Offers a name in links instead of one that is none. */
export function slugFaults(language: ConsoleLanguage, { slug = '' }: Typed): Faults {
  const offered = offeredSlug(slug, language)
  return offered === undefined ? {} : { slug: language.texts.shown.slugOffer({ slug: offered }) }
}

/** People have no category. */
export function shownFields(
  { texts: { shown: words } }: ConsoleLanguage,
  state: FormState,
  { hasCategory = false } = {},
): Html {
  const position = { name: 'position', label: words.position, hint: words.positionHint }
  return html`<details ${names.some((name) => name in state.faults) ? html`open` : ''}>
    <summary>${words.title}</summary>
    ${
      hasCategory
        ? field(state, { name: 'category', label: words.category, hint: words.categoryHint, max: 60 })
        : ''
    }
    ${field(state, { ...position, type: 'number' })}
    ${field(state, { name: 'image_url', label: words.image, hint: words.imageHint, type: 'url', max: 2_048 })}
    ${field(state, { name: 'slug', label: words.slug, hint: words.slugHint, max: 60 })}
  </details>`
}
