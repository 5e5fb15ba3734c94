import type { english } from '../../src/pages/console/texts/en.ts'

/** Texts of the page, in its language. */
export type Texts = (typeof english)['live']

/** A text with values in the place of names in braces. */
export function filled(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all)
}
