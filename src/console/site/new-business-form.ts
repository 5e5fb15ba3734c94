import { html, type Html } from '../../base/html.ts'
import { languageNames } from '../../base/languages.ts'
import { CreateBusiness } from '../../catalogue/business-schemas.ts'
import { localeNamed } from '../../catalogue/mail-settings-rules.ts'
import { normalise } from '../../base/normalise.ts'
import { compileCreation, fieldErrorsOf } from '../../base/validation.ts'
import {
  choice,
  type Faults,
  faultsOf,
  field,
  filledForm,
  type FormState,
  type Typed,
  typedPhone,
} from '../../pages/form.ts'
import type { ConsoleLanguage } from '../frame/texts.ts'
import { zoneField } from '../team/people-form.ts'

/* What a new business is asked for: its name, how clients reach it, where its clock stands, and its language. */

/** A business as the form makes it. */
interface NewBusiness {
  name: string
  timezone: string
  locale: string
  phone?: string
  reply_to_email?: string
}

/** How the form begins: in the zone of the server, which a script changes to that of the browser. */
export function emptyBusinessForm({ locale }: ConsoleLanguage): FormState {
  const { language } = new Intl.Locale(locale)
  return filledForm({
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    language: languageNames.includes(language) ? language : 'en',
  })
}

/** The fields of a new business; `isFresh` where nobody has typed anything. */
export function newBusinessFields(
  language: ConsoleLanguage,
  state: FormState,
  { isFresh }: { isFresh: boolean },
): Html {
  const words = language.texts.start
  return html`${field(state, { name: 'business', label: words.businessName, required: true, max: 200, autocomplete: 'organization' })}
  ${field(state, { name: 'phone', label: words.phone, hint: words.phoneHint, type: 'tel', max: 32, autocomplete: 'tel' })}
  ${field(state, { name: 'reply_to', label: words.replyTo, hint: words.replyToHint, type: 'email', max: 254 })}
  ${zoneField(language, state, { isGuess: isFresh })} ${languageField(language, state, 'language')}`
}

/** One of the languages that mails have. */
export function languageField({ texts, locale }: ConsoleLanguage, state: FormState, name: string): Html {
  const chosen = state.typed[name] ?? ''
  const known = [...languageNames]
  if (chosen !== '' && !known.includes(chosen)) known.unshift(chosen)
  const names = new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' })
  return choice(state, {
    ...{ name, label: texts.start.language, hint: texts.start.languageHint },
    options: known.map((tag) => [tag, localeNamed(tag) === tag ? (names.of(tag) ?? tag) : tag]),
  })
}

const validate = compileCreation(CreateBusiness)
const fields: Record<string, string> = {
  ...{ '/name': 'business', '/timezone': 'timezone', '/locale': 'language' },
  ...{ '/phone': 'phone', '/reply_to_email': 'reply_to' },
}

/** What the form says, and what is wrong with it. */
export function newBusinessOf(
  sent: Typed,
  texts: ConsoleLanguage['texts']['setUp'],
): { business: NewBusiness; faults: Faults } {
  const said = normalise(sent) as Typed
  const { business: name = '', timezone = '', language: locale = '', reply_to: replyTo = '' } = said
  const phone = typedPhone(said['phone'] ?? '')
  const business = {
    ...{ name, timezone, locale },
    ...(phone !== '' && { phone }),
    ...(replyTo !== '' && { reply_to_email: replyTo }),
  }
  const errors = validate(business) ? [] : fieldErrorsOf(validate.errors ?? [])
  return { business, faults: faultsOf(errors, texts, (pointer) => fields[pointer] ?? 'business') }
}
