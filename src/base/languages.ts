import { globSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type english from '../../texts/en.json'
import { formatMessage, type Values } from './messages.ts'

/** The key of a text for clients. */
type TextKey = keyof typeof english

/** The package has the folder at the same relative path. */
const textFolder = resolve(import.meta.dirname, '../../texts')

const texts = readTexts<TextKey>('.')

/** The languages of texts for clients. */
export const languageNames: readonly string[] = [...texts.keys()]

/** A client's language. */
export interface Language {
  /** A language tag such as `de`. */
  name: string
  /** The locale of dates and amounts, such as `de-AT`. */
  locale: string
  direction: 'ltr' | 'rtl'
  /** Returns a text with its values filled in. */
  say: (key: TextKey, values?: Values) => string
}

/** Returns the first supported of the requested languages, or else English. */
export function languageFor(...wanted: (string | null)[]): Language {
  const locale = wanted.find((one) => one !== null && texts.has(nameOf(one))) ?? 'en'
  const name = nameOf(locale)
  return {
    name,
    locale,
    direction: directionOf(name),
    say: (key, values = {}) => formatMessage(texts.get(name)?.[key] ?? key, values, locale),
  }
}

/** Returns the direction of a language's script. */
export function directionOf(locale: string): 'ltr' | 'rtl' {
  return new Intl.Locale(locale).getTextInfo().direction ?? 'ltr'
}

/** Returns the locales of `Accept-Language`. Ignores weights, because browsers sort by them. */
export function acceptedLocales(header = ''): string[] {
  return header.split(',').map((part) => (part.split(';', 1)[0] ?? '').trim())
}

/** Reads the texts of each language in a folder below texts/, English first if it is there. */
export function readTexts<Key extends string>(folder: string): Map<string, Record<Key, string>> {
  const files = globSync('*.json', { cwd: join(textFolder, folder) }).toSorted()
  const isOther = (file: string) => Number(file !== 'en.json')
  return new Map(
    files
      .toSorted((one, other) => isOther(one) - isOther(other))
      .map((file) => [
        basename(file, '.json'),
        JSON.parse(readFileSync(join(textFolder, folder, file), 'utf8')) as Record<Key, string>,
      ]),
  )
}

function nameOf(locale: string): string {
  try {
    return new Intl.Locale(locale).language
  } catch {
    return '' // the header can contain anything
  }
}
