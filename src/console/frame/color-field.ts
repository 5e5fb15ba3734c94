import { html, type Html } from '../../base/html.ts'
import type { FormState } from '../../pages/form.ts'
import { type Codec, optional } from './form-rows.ts'
import type { ConsoleTexts } from './texts.ts'

/* A colour in a form: swatches to choose from, the default, or any other colour. */

/** White text is readable on each. */
const swatches = {
  ...{ green: '#14694b', teal: '#0f6674', blue: '#1d5fbf', violet: '#5b4bc4', purple: '#8b3fa8' },
  ...{ pink: '#b8336a', red: '#b3372b', orange: '#a64b0a', brown: '#6b4f3a', black: '#1f2937' },
} as const

const ownColor = 'own'

/** Returns the codec of a colour such as `#14694b`, or null for the default. */
export function color({ website: words }: ConsoleTexts): Codec {
  const known: readonly string[] = Object.values(swatches)
  return {
    ...optional(),
    read: (typed, name) =>
      name in typed ? (typed[name] === ownColor ? typed[`${name}.own`] : typed[name]) || null : undefined,
    show: (value, name) => {
      const chosen = typeof value === 'string' ? value.toLowerCase() : ''
      const isOwn = chosen !== '' && !known.includes(chosen)
      return { [name]: isOwn ? ownColor : chosen, [`${name}.own`]: chosen || swatches.green }
    },
    input: (state, { name, label, hint }) => {
      const { [name]: fault } = state.faults
      const { [name]: chosen = '' } = state.typed
      const isOther = chosen !== '' && chosen !== ownColor && !known.includes(chosen)
      const typed = isOther ? { ...state.typed, [name]: ownColor, [`${name}.own`]: chosen } : state.typed
      const shown = { ...state, typed }
      return html`<fieldset class="colors">
        <legend>${label}</legend>
        ${fault === undefined ? '' : html`<p class="fault">${fault}</p>`}
        ${hint === undefined ? '' : html`<p class="soft">${hint}</p>`}
        <div class="swatches">
          ${option(shown, { name, value: '', label: words.colors.usual })}
          ${Object.entries(swatches).map(([key, value]) =>
            option(shown, { name, value, label: words.colors[key as keyof typeof swatches] }),
          )}
          ${option(shown, { name, value: ownColor, label: words.colors.own })}
          <input
            type="color"
            name="${name}.own"
            value="${typed[`${name}.own`] ?? swatches.green}"
            aria-label="${words.colors.own}"
          />
        </div>
      </fieldset>`
    },
  }
}

function option(
  { typed, faults }: FormState,
  { name, value, label }: { name: string; value: string; label: string },
): Html {
  const isSwatch = value.startsWith('#')
  const isChosen = (typed[name] ?? '') === value
  return html`<label class="${isSwatch ? 'swatch' : 'choice'}" title="${label}">
    <input
      type="radio"
      name="${name}"
      value="${value}"
      ${isChosen ? html`checked` : ''}
      ${isChosen && faults[name] !== undefined ? html`autofocus aria-invalid="true"` : ''}
    />
    ${
      isSwatch
        ? html`<svg viewBox="0 0 32 32" aria-hidden="true">
              <circle cx="16" cy="16" r="14" fill="${value}" /></svg
            ><span class="unseen">${label}</span>`
        : html`<span>${label}</span>`
    }
  </label>`
}
