/*
 * Messages of texts/. They use two parts of ICU MessageFormat: `{name}` and `{count, plural, one {…} other {…}}`, whose
 * forms may contain `{name}` again.
 */

/** The values of a message's parameters. */
export type Values = Record<string, string | number>

/** The forms of a plural. If a number has no form, `other` applies. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>>

/** Matches a parameter: its name, and the forms of a plural. */
export const parameter =
  /\{(\w+)(?:, plural,((?: (?:zero|one|two|few|many|other) \{(?:[^{}]|\{\w+\})*\})+))?\}/g

/** Fills in the values of a message. `locale` determines the plural form of a number. */
export function formatMessage(message: string, values: Values, locale: string): string {
  return message.replaceAll(parameter, (whole, name: string, plural?: string) => {
    const value = values[name]
    if (plural === undefined) return String(value ?? whole)
    const forms = readForms(plural)
    const rule = new Intl.PluralRules(locale).select(Number(value))
    return formatMessage(forms[rule] ?? forms.other ?? '', values, locale)
  })
}

/** Reads the forms of a plural, such as ` one {…} other {…}`. */
export function readForms(plural: string): Forms {
  const forms = plural.matchAll(/(\w+) \{((?:[^{}]|\{\w+\})*)\}/g)
  return Object.fromEntries(forms.map(([, rule = '', text = '']) => [rule, text]))
}
