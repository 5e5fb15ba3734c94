import { normalise } from '../../http/body.ts'
import { CreateBusiness } from '../../catalogue/business-schemas.ts'
import { languages as mailLanguages } from '../../mails/texts/languages.ts'
import { compileCreation, fieldErrorsOf } from '../../base/validation.ts'
import { html, type Html } from '../../pages/page.ts'
import { choice, type Faults, faultsOf, field, filledForm, type FormState, type Typed } from '../../pages/form.ts'
import { zoneField } from '../team/people-form.ts'
import type { ConsoleLanguage } from '../../pages/console/texts.ts'

/* What a new business is asked for: its name, where its clock stands, and its language. */

/** A business as the form makes it. */
interface NewBusiness {
  name: string
  timezone: string
  locale: string
}

/** How the form begins: in the zone of the server, which a script changes to that of the browser. */
export function emptyBusinessForm({ locale }: ConsoleLanguage): FormState {
  const { language } = new Intl.Locale(locale)
  return filledForm({
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    language: Object.hasOwn(mailLanguages, language) ? language : 'en',
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
  ${zoneField(language, state, { isGuess: isFresh })} ${languageField(language, state, 'language')}`
}

/** One of the languages that mails have. */
export function languageField({ texts, locale }: ConsoleLanguage, state: FormState, name: string): Html {
  const chosen = state.typed[name] ?? ''
  const known = [...Object.keys(mailLanguages)]
  if (chosen !== '' && !known.includes(chosen)) known.unshift(chosen)
  const names = new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' })
  return choice(state, {
    ...{ name, label: texts.start.language, hint: texts.start.languageHint },
    options: known.map((tag) => [tag, names.of(tag) ?? tag]),
  })
}

const validate = compileCreation(CreateBusiness)
const fields: Record<string, string> = { '/name': 'business', '/timezone': 'timezone', '/locale': 'language' }

/** What the form says, and what is wrong with it. */
export function newBusinessOf(
  sent: Typed,
  texts: ConsoleLanguage['texts']['setUp'],
): { business: NewBusiness; faults: Faults } {
  const { business: name = '', timezone = '', language: locale = '' } = normalise(sent) as Typed
  const business = { name, timezone, locale }
  const errors = validate(business) ? [] : fieldErrorsOf(validate.errors ?? [])
  return { business, faults: faultsOf(errors, texts, (pointer) => fields[pointer] ?? 'business') }
}
