import { texts as english } from 'texts:en'
import { languages } from 'texts:languages'
import { chosenLocale, type Texts } from './texts.ts'

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur'])

/** Texts, locale of dates, and text direction. */
export interface Language {
  texts: Texts
  locale: string
  direction: 'ltr' | 'rtl'
}

/** English, which is part of the entry. In the widget, later steps add their own texts. */
export const fallback: Language = { texts: english, locale: 'en', direction: 'ltr' }

/** Loads a language. Falls back to English if that fails. */
export async function loadLanguage(wanted: readonly string[]): Promise<Language> {
  const locale = chosenLocale(wanted, languages)
  const name = new Intl.Locale(locale).language
  try {
    const { texts } = (await languages[name]?.()) ?? fallback
    return { texts, locale, direction: rightToLeft.has(name) ? 'rtl' : 'ltr' }
  } catch {
    return fallback
  }
}
