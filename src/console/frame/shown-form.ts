import { html, type Html } from '../../base/html.ts'
import { searchText } from '../../base/search-text.ts'
import { slugErrors } from '../../catalogue/slug-rules.ts'
import type { Faults, FormState, Typed } from '../../pages/form.ts'
import { areWrong, fieldsOf, number, optional, type Row } from './form-rows.ts'
import { picture } from './picture-field.ts'
import type { ConsoleLanguage, ConsoleTexts } from './texts.ts'

/* The fields of services and staff members for the booking page: link, order, picture. */

const pointers = ['position', 'image_url', 'slug']

export function shownRows(
  texts: ConsoleTexts,
  kind: 'face' | 'service',
): Row<'position' | 'image_url' | 'slug'>[] {
  const { shown: words } = texts
  return [
    ['position', number(), words.position, words.positionHint],
    ['image_url', picture(kind, texts), words.image, words.imageHint],
    ['slug', optional({ max: 60 }), words.slug, words.slugHint],
  ]
}

/** Renders the rows about the booking page. */
export function shownFields(
  { texts: { shown: words } }: ConsoleLanguage,
  state: FormState,
  rows: readonly Row[],
): Html {
  return html`<details ${areWrong(state, pointers) ? html`open` : ''}>
    <summary>${words.title}</summary>
    ${fieldsOf(rows, state)(...pointers)}
  </details>`
}

/** Suggests a slug for invalid input: `salon-frieda` for "Salon Frieda". */
export function offeredSlug(text: string, { locale }: Pick<ConsoleLanguage, 'locale'>): string | undefined {
  return text === '' || slugErrors(text).length === 0 ? undefined : slugFor(text, { locale })
}

/** Returns a slug for a name; undefined if it has too few Latin letters. */
export function slugFor(text: string, { locale }: Pick<ConsoleLanguage, 'locale'>): string | undefined {
  const plain = new Intl.Locale(locale).language === 'de' ? text.replaceAll(/[äöü]/gi, '$&e') : text
  const slug = searchText(plain)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return slugErrors(slug).length === 0 ? slug : undefined
}

/** Returns the fault of an invalid slug, with a suggestion. */
export function slugFaults(language: ConsoleLanguage, { slug = '' }: Typed): Faults {
  const offered = offeredSlug(slug, language)
  return offered === undefined ? {} : { slug: language.texts.shown.slugOffer({ slug: offered }) }
}
