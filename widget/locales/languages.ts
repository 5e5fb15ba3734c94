import { texts as english } from './en.ts'
import type { Texts } from './texts.ts'

/** A further language is a file beside this one, and a line here. Each is loaded only by who reads it. */
const languages: Record<string, () => Promise<{ texts: Texts }>> = {
  en: () => Promise.resolve({ texts: english }),
  de: () => import('./de.ts'),
  fr: () => import('./fr.ts'),
  es: () => import('./es.ts'),
  ar: () => import('./ar.ts'),
}

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur'])

/** How the widget speaks: its texts, the locale of its dates, and the direction of its lines. */
export interface Language {
  texts: Texts
  locale: string
  direction: 'ltr' | 'rtl'
}

/** English, which is there from the beginning. */
export const fallback: Language = { texts: english, locale: 'en', direction: 'ltr' }

/** The first of the wanted locales in whose language the widget speaks. */
export function chosenLocale(wanted: readonly string[]): string {
  return wanted.find((locale) => languageOf(locale) in languages) ?? fallback.locale
}

function languageOf(locale: string): string {
  try {
    return new Intl.Locale(locale).language
  } catch {
    return '' // an attribute may hold anything
  }
}

/** Loads a language; one that cannot be loaded is no reason not to book. */
export async function loadLanguage(wanted: readonly string[]): Promise<Language> {
  const locale = chosenLocale(wanted)
  const name = languageOf(locale)
  try {
    const { texts } = (await languages[name]?.()) ?? { texts: english }
    return { texts, locale, direction: rightToLeft.has(name) ? 'rtl' : 'ltr' }
  } catch {
    return fallback
  }
}
