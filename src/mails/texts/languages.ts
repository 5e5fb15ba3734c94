import { texts as arabic } from './ar.ts'
import { texts as german } from './de.ts'
import { texts as english } from './en.ts'
import { texts as spanish } from './es.ts'
import { texts as french } from './fr.ts'
import { texts as italian } from './it.ts'
import { texts as japanese } from './ja.ts'
import type { MailTexts } from './mail-texts.ts'
import { texts as dutch } from './nl.ts'
import { texts as polish } from './pl.ts'
import { texts as portuguese } from './pt.ts'
import { texts as turkish } from './tr.ts'

/** The languages of mails, the same as those of the widget. */
export const languages: Record<string, MailTexts> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  ar: arabic,
  pl: polish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  tr: turkish,
  ja: japanese,
}

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur'])

/** Texts, locale of dates and amounts, and direction of text. */
export interface MailLanguage {
  texts: MailTexts
  locale: string
  direction: 'ltr' | 'rtl'
}

/** The first wanted locale whose language mails have, else English. */
export function mailLanguage(...wanted: (string | null)[]): MailLanguage {
  for (const locale of wanted) {
    const language = locale === null ? '' : languageOf(locale)
    const texts = Object.hasOwn(languages, language) ? languages[language] : undefined
    if (texts && locale !== null) {
      return { texts, locale, direction: rightToLeft.has(language) ? 'rtl' : 'ltr' }
    }
  }
  return { texts: english, locale: 'en', direction: 'ltr' }
}

function languageOf(locale: string): string {
  try {
    return new Intl.Locale(locale).language
  } catch {
    return ''
  }
}
