import type english from '../texts/en.json'

type Key = keyof typeof english

/** Name of a text: without the group for the widget's texts, otherwise the whole key. */
type Name<Each = Key> = Each extends `${'widget' | 'booking'}.${infer Own}`
  ? Own
  : Extract<Each, `${'manage' | 'wait'}.${string}`>

/** Texts with a plural, which the build has split into forms. */
type Counted = 'people' | 'repeatWeeks'

/** The texts of a language. Those of the manage page exist on that page only, those of the waiting list in the widget only. */
export type Texts = Record<Exclude<Name, Counted>, string> & Record<Counted, Forms>

/** A text in the plural forms of its language. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/** Fills the placeholders of a text. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

/** Returns the first wanted locale in an available language, otherwise English. */
export function chosenLocale(wanted: readonly string[], languages: object): string {
  return wanted.find((locale) => languageOf(locale) in languages) ?? 'en'
}

function languageOf(locale: string): string {
  try {
    return new Intl.Locale(locale).language
  } catch {
    return '' // an attribute may contain anything
  }
}
