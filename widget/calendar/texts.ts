import type { TextGroups } from '../../src/console/frame/text-groups.ts'

/** Texts of the page in its language. */
export type Texts = TextGroups['live']

/** Returns a text with its placeholders in braces replaced by values. */
export function filled(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all)
}
