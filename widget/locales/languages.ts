import { texts as firstEnglish } from './en.ts'
import type { Texts } from './texts.ts'

/** Without what en-later.ts adds, which comes with the views that say it. */
const english = firstEnglish as Texts

/** To add a language, add a file here and a line below. Each loads on demand. */
const languages: Record<string, () => Promise<{ texts: Texts }>> = {
  en: () => Promise.resolve({ texts: english }),
  de: () => import('./de.ts'),
  fr: () => import('./fr.ts'),
  es: () => import('./es.ts'),
  ar: () => import('./ar.ts'),
  pl: () => import('./pl.ts'),
  it: () => import('./it.ts'),
  pt: () => import('./pt.ts'),
  nl: () => import('./nl.ts'),
  tr: () => import('./tr.ts'),
  ja: () => import('./ja.ts'),
}

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur'])

/** Texts, locale of dates, and direction of text. */
export interface Language {
  texts: Texts
  locale: string
  direction: 'ltr' | 'rtl'
}

/** English is part of the entry. */
export const fallback: Language = { texts: english, locale: 'en', direction: 'ltr' }

/** The first wanted locale whose language the widget has. */
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

/** Loads a language; falls back to English if that fails. */
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
