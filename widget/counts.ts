import { fill, type Forms } from './texts.ts'
import type { Formats } from './times/formats.ts'

/** Fills the plural form for a number. */
export function fillCount(forms: Forms, count: number, formats: Formats): string {
  const form = forms[new Intl.PluralRules(formats.locale).select(count)] ?? forms.other
  return fill(form, { count: formats.number(count) })
}
