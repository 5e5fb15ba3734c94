import type { FastifyRequest } from 'fastify'
import { IntlMessageFormat } from 'intl-messageformat'
import { acceptedLocales, readTexts } from '../../base/languages.ts'
import type { FaultWords } from '../../pages/form.ts'
import { faultWords } from './fault-words.ts'
import type { TextGroups } from './text-groups.ts'

/**
 * The console's texts in a language: `texts.calendar.title`, or with values `texts.calendar.withWhom({ name
 * })`.
 */
export type ConsoleTexts = TextGroups & { setUp: Pick<FaultWords, 'fault' | 'problem'> }

/** Messages that a script of the page fills in. */
const isForScripts = /^(live|services\.seats)\./

const files = readTexts('console')

/**
 * Each file of texts/console is one language. English stands in for a text that it lacks. Each file of texts/variants
 * is a language with some phrases replaced, such as `de-x-innen`.
 */
const languages = new Map([
  ...files
    .entries()
    .map(
      ([language, messages]) => [language, textsFrom({ ...files.get('en'), ...messages }, language)] as const,
    ),
  ...readTexts('variants')
    .entries()
    .map(([tag, phrases]) => [tag, textsFrom(variantOf(tag, phrases), languageIn(tag))] as const),
])

/** Returns the messages of a variant. Of two phrases that begin alike, the longer applies. */
export function variantOf(tag: string, phrases: Record<string, string>): Record<string, string> {
  const sorted = Object.keys(phrases).toSorted((one, other) => other.length - one.length)
  const phrase = new RegExp(`(?<!\\p{L})(?:${sorted.map(RegExp.escape).join('|')})(?!\\p{L})`, 'gu')
  const replaced = (message: string) => message.replaceAll(phrase, (found) => phrases[found] ?? found)
  const messages = Object.entries(files.get(languageIn(tag)) ?? {})
  return Object.fromEntries(messages.map(([key, message]) => [key, replaced(message)]))
}

/** Returns `de` of `de-x-innen`. */
function languageIn(tag: string): string {
  return new Intl.Locale(tag).language
}

function textsFrom(messages: Record<string, string>, language: string): ConsoleTexts {
  interface Texts {
    [name: string]: Texts | Message
  }
  const texts: Texts = {}
  for (const [key, message] of Object.entries(messages)) {
    const path = key.split('.')
    const name = path.pop() ?? ''
    const group = path.reduce((outer, part) => (outer[part] ??= {}) as Texts, texts)
    group[name] = isForScripts.test(key) ? message : messageOf(message, language)
  }
  const groups = texts as unknown as TextGroups // test/texts compares them
  return { ...groups, setUp: { ...groups.setUp, ...faultWords(groups) } }
}

type Message = string | ((values: Record<string, string | number | boolean>) => string)

/**
 * Returns a text, or a function for a message with parameters. Parses at first use, because a page needs only
 * a few.
 */
function messageOf(message: string, language: string): Message {
  if (!message.includes('{')) return message
  let format: IntlMessageFormat | undefined
  return (values) => {
    format ??= new IntlMessageFormat(message, language, undefined, { ignoreTag: true })
    return String(format.format(values))
  }
}

/** The languages of the console and their variants, with English first. */
export const consoleLanguages: readonly string[] = [...languages.keys()]

/** Returns the texts in one of the console's languages. */
export function textsIn(language: string): ConsoleTexts {
  const texts = languages.get(language)
  if (!texts) throw new Error(`The console has no texts in ${language}.`)
  return texts
}

/** The language of a page. */
export interface ConsoleLanguage {
  /** One of {@link consoleLanguages}. */
  language: string
  texts: ConsoleTexts
  /** For the document, dates, numbers and amounts, such as `de-AT`. */
  locale: string
}

const cookieName = 'holdfast-language'

/** Returns the cookie of a chosen language. Without one, the browser's languages decide. */
export const languageCookie = (language: string) => `${cookieName}=${language}`

/** Returns the language that was chosen in this browser, if any. */
function chosenLanguage({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2))
  const chosen = pairs.find(([name]) => name === cookieName)?.[1]
  return chosen !== undefined && languages.has(chosen) ? chosen : undefined
}

/**
 * Returns the chosen language, or the first browser language that the console has, otherwise English. Ignores
 * weights, because browsers sort by them. The browser's region applies to a chosen language as well.
 */
export function languageOf(request: Pick<FastifyRequest, 'headers'>): ConsoleLanguage {
  const chosen = chosenLanguage(request)
  const accepted = acceptedLocales(request.headers['accept-language']?.slice(0, 500))
  for (const locale of accepted.map(localeFrom)) {
    if (!locale || (chosen !== undefined && locale.language !== languageIn(chosen))) continue
    const language = chosen ?? locale.language
    const texts = languages.get(language)
    if (texts) return { language, texts, locale: withLatinDigits(locale) }
  }
  const language = chosen ?? 'en'
  return { language, texts: textsIn(language), locale: languageIn(language) }
}

/** Returns the locale, without a region that has other digits: those of fields and prices are Latin. */
function withLatinDigits({ baseName, language }: Intl.Locale): string {
  const { numberingSystem } = new Intl.NumberFormat(baseName).resolvedOptions()
  return numberingSystem === 'latn' ? baseName : language
}

/** Returns the texts of a page in the browser's language. */
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
