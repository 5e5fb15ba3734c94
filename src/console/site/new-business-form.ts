import type { Html } from '../../base/html.ts'
import { languageNames } from '../../base/languages.ts'
import { type Business, CreateBusiness } from '../../catalogue/business-schemas.ts'
import { localeNamed, usualLocale } from '../../catalogue/mail-settings-rules.ts'
import { normalise } from '../../base/normalise.ts'
import { compileCreation, fieldErrorsOf } from '../../base/validation.ts'
import {
  choice,
  type Faults,
  faultsOf,
  filledForm,
  type FormState,
  type Typed,
  typedPhone,
} from '../../pages/form.ts'
import { color } from '../frame/color-field.ts'
import {
  type Codec,
  fieldsOf,
  fillRows,
  inputOfFault,
  optional,
  readRows,
  type Rows,
  text,
} from '../frame/form-rows.ts'
import type { ConsoleLanguage } from '../frame/texts.ts'
import { zone } from '../team/people-form.ts'

/* The form of a new business: name, contact, time zone and language. */

/** A business from the form. */
interface NewBusiness {
  name: string
  timezone: string
  locale: string
  phone?: string
  reply_to_email?: string
  brand_color?: string
}

function newBusinessRows(language: ConsoleLanguage, { isFresh }: { isFresh: boolean }): Rows<Business> {
  const { texts, locale } = language
  const { start: words, locations } = texts
  const phone = { type: 'tel', max: 32, autocomplete: 'tel', spell: typedPhone } as const
  return [
    ['name', text({ required: true, max: 200, autocomplete: 'organization' }), words.businessName],
    ['phone', optional(phone), words.phone, words.phoneHint],
    ['reply_to_email', optional({ type: 'email', max: 254 }), words.replyTo, words.replyToHint],
    ['timezone', zone(language, { isGuess: isFresh }), locations.zone],
    ['locale', mailLanguage(locale), words.language, words.languageHint],
    ['brand_color', color(texts), words.color, words.colorHint],
  ]
}

/** Returns the initial form, with the server's time zone. A script replaces it by the browser's. */
export function emptyBusinessForm(language: ConsoleLanguage): FormState {
  const { language: read } = new Intl.Locale(language.locale)
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions()
  const locale = languageNames.includes(read) ? read : 'en'
  return filledForm(fillRows(newBusinessRows(language, { isFresh: true }), { timezone, locale }))
}

/** Renders the fields of a new business. `isFresh` means that there is no input yet. */
export function newBusinessFields(
  language: ConsoleLanguage,
  state: FormState,
  fresh: { isFresh: boolean },
): Html {
  return fieldsOf(newBusinessRows(language, fresh), state)()
}

/** Returns the codec of an email language. */
export function mailLanguage(locale: string): Codec {
  return {
    ...text(),
    show: (value, name) => ({ [name]: localeNamed(String(value)) ?? usualLocale }), // older values may contain extensions
    input: (state, parts) => {
      const chosen = state.typed[parts.name] ?? ''
      const known = [...languageNames]
      if (chosen !== '' && !known.includes(chosen)) known.unshift(chosen)
      const names = new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' })
      const nameOf = (tag: string) => (localeNamed(tag) === tag ? (names.of(tag) ?? tag) : tag)
      const { compare } = new Intl.Collator(locale)
      const options = known
        .map((tag) => [tag, nameOf(tag)] as const)
        .toSorted(([, one], [, other]) => compare(one, other))
      return choice(state, { ...parts, options })
    },
  }
}

const validate = compileCreation(CreateBusiness)

/** Reads and checks the form. */
export function newBusinessOf(
  sent: Typed,
  language: ConsoleLanguage,
): { business: NewBusiness; faults: Faults } {
  const typed = normalise(sent) as Typed
  const rows = newBusinessRows(language, { isFresh: false })
  const business = readRows(rows, typed)
  const errors = validate(business) ? [] : fieldErrorsOf(validate.errors ?? [])
  const inputOf = (pointer: string) => inputOfFault(rows, pointer, typed) || 'name'
  return {
    business: business as unknown as NewBusiness, // complete if there are no faults
    faults: faultsOf(errors, language.texts.setUp, inputOf),
  }
}
