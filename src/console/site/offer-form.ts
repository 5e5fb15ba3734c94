import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { compileCreation } from '../../base/validation.ts'
import { CreateService, type ServiceCreation } from '../../catalogue/service-schemas.ts'
import { type Faults, faultsOf, type FormState, numberOf, type Typed } from '../../pages/form.ts'
import { assertNoFaults, checkedForm } from '../frame/console-route.ts'
import type { ConsoleLanguage } from '../frame/texts.ts'
import { currencyField, currencyName, money, usualCurrency } from '../services/currencies.ts'
import { usualGridMinutes } from '../services/service-form.ts'
import { type Template, templates, type Trade, usualPrice } from './service-templates.ts'

/* The usual services of a trade as a table, to tick and to correct. */

export function isTrade(text: string | undefined): text is Trade {
  return text !== undefined && Object.hasOwn(templates, text)
}

interface Row {
  key: string
  category: string
  name: string
  minutes: readonly number[]
  euros: number
}

function rowsOf({ texts }: ConsoleLanguage, trade: Trade): Row[] {
  const names: Record<string, unknown> = texts.templates[trade]
  const { categories } = texts.templates[trade] as { categories: Record<string, string> }
  return Object.entries<Template>(templates[trade]).map(([key, [category, minutes, euros]]) => ({
    ...{ key, euros, name: String(names[key]), category: categories[category] ?? '' },
    minutes: [minutes].flat(),
  }))
}

const stepName = (key: string, step: number) => `${key}.step.${step}`

/** Returns the initial form: nothing is ticked, so that nothing is offered by mistake. */
export function freshOffer(
  { business, ...language }: ConsoleLanguage & { business: { timezone: string } },
  trade: Trade,
): Typed {
  const currency = usualCurrency({ timezone: business.timezone, locale: language.locale })
  const rows = rowsOf(language, trade).flatMap(({ key, name, minutes, euros }) => [
    [`${key}.name`, name],
    [`${key}.price.amount`, String(usualPrice(euros, currency) ?? '')],
    ...minutes.map((some, step) => [stepName(key, step), String(some)]),
  ])
  return { ...(Object.fromEntries(rows) as Typed), [currencyName]: currency }
}

/** Renders the services of a trade, by category. */
export function offerFields(language: ConsoleLanguage, state: FormState, trade: Trade): Html {
  const { start: words } = language.texts
  const groups = Map.groupBy(rowsOf(language, trade), ({ category }) => category)
  return html`<p>${words.offerHint}</p>
    ${state.faults['offer'] === undefined ? '' : html`<p class="fault">${state.faults['offer']}</p>`}
    ${currencyField(language, state)}
    ${[...groups].map(
      ([category, rows]) =>
        html`<fieldset>
          <legend>${category}</legend>
          ${rows.map((row) => offerRow(language, state, row))}
        </fieldset>`,
    )}`
}

function offerRow(language: ConsoleLanguage, state: FormState, { key, name, minutes }: Row): Html {
  const { start: words, services } = language.texts
  const input = (field: string, label: string, isText = false) => {
    const { [field]: fault } = state.faults
    return html`<input
      name="${field}"
      value="${state.typed[field] ?? ''}"
      aria-label="${label}"
      autocomplete="off"
      ${isText ? html`dir="auto" maxlength="200"` : html`inputmode="decimal"`}
      ${fault === undefined ? '' : html`aria-invalid="true" aria-describedby="${key}-fault" autofocus`}
    />`
  }
  const faults = Object.entries(state.faults).flatMap(([field, fault]) =>
    field.startsWith(`${key}.`) ? [fault] : [],
  )
  const isStepped = minutes.length > 1
  return html`<div class="offer">
    <label class="choice"
      ><input
        type="checkbox"
        name="offer.${key}"
        value="on"
        ${state.typed[`offer.${key}`] === 'on' ? html`checked` : ''}
      /><span class="unseen">${name}</span></label
    >
    ${input(`${key}.name`, words.nameOf({ name }), true)}
    <span class="offer-minutes"
      >${minutes.map((_, step) =>
        input(
          stepName(key, step),
          isStepped ? words.stepOf({ name, number: step + 1 }) : words.minutesOf({ name }),
        ),
      )}<span class="soft">${services.minutes}</span></span
    >
    <span class="offer-price"
      >${input(`${key}.price.amount`, words.priceOf({ name }))}<span class="soft"
        >${state.typed[currencyName] ?? ''}</span
      ></span
    >
    ${isStepped ? html`<p class="soft">${words.stepsHint}</p>` : ''}
    ${faults.length === 0 ? '' : html`<p class="fault" id="${key}-fault">${faults.join(' ')}</p>`}
  </div>`
}

/** Returns the ticked services. Throws a FormFault with the faults of all of them, or if none is ticked. */
export function readOffer(
  language: ConsoleLanguage,
  { typed, trade, given }: { typed: Typed; trade: Trade; given: object },
): ServiceCreation[] {
  const rows = rowsOf(language, trade).filter(({ key }) => typed[`offer.${key}`] === 'on')
  const { start: words, setUp } = language.texts
  const faults: Faults = rows.length === 0 ? { offer: words.needOffer } : {}
  const services = rows.flatMap(({ key, category, minutes }) => {
    const read = minutes.map((_, step) => numberOf(typed[stepName(key, step)]))
    const price = money(language).read(typed, `${key}.price`)
    const service = {
      ...{ ...given, category, name: typed[`${key}.name`] ?? '', slot_interval_minutes: usualGridMinutes },
      ...(price !== undefined && { price }),
      ...(minutes.length === 1
        ? { duration_minutes: read[0] }
        : { steps: read.map((some, step) => ({ minutes: some, staffed: step % 2 === 0 })) }),
    }
    try {
      return [checkedForm(CreateService, service, compileCreation)]
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      Object.assign(
        faults,
        faultsOf(error.parts.errors ?? [], setUp, (pointer) => fieldOf(key, pointer)),
      )
      return []
    }
  })
  assertNoFaults(faults)
  return services
}

function fieldOf(key: string, pointer: string): string {
  const [part = '', index = '0'] = pointer.split('/').slice(1)
  if (part === 'price') return pointer === '/price/currency' ? currencyName : `${key}.price.amount`
  return part === 'name' ? `${key}.name` : stepName(key, Number.parseInt(index, 10) || 0)
}
