import type { FastifyRequest } from 'fastify'
import { german } from './texts/de.ts'
import { type ConsoleTexts, english } from './texts/en.ts'

/*
 * The languages of the console. To add one: copy texts/en.ts, translate it, and add its line here; the types tell what is
 * missing.
 */
const languages: Record<string, ConsoleTexts> = { en: english, de: german }

/** The language of a page. */
export interface ConsoleLanguage {
  texts: ConsoleTexts
  /** Such as `de-AT`: for the document, and for dates, numbers and amounts. */
  locale: string
}

/** The first language of the browser that the console has, else English. Ignores weights, because browsers sort by them. */
export function languageOf(request: Pick<FastifyRequest, 'headers'>): ConsoleLanguage {
  for (const part of (request.headers['accept-language'] ?? '').slice(0, 500).split(',')) {
    const locale = localeFrom(part.split(';', 1)[0]?.trim() ?? '')
    const texts = locale && Object.hasOwn(languages, locale.language) ? languages[locale.language] : undefined
    if (locale && texts) return { texts, locale: locale.baseName }
  }
  return { texts: english, locale: 'en' }
}

/** The texts of a page, in the language of the browser. */
export function textsOf(request: Pick<FastifyRequest, 'headers'>): ConsoleTexts {
  return languageOf(request).texts
}

function localeFrom(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag)
  } catch {
    return undefined // such as *
  }
}
