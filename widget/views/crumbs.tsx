import { anyone, earlierSteps, locationOf, servicesOf, staffFor, type Step } from '../flow/choice-rules.ts'
import type { View } from './view.ts'

/** Renders the choices so far, each with a link back to its step. */
export function Crumbs({ flow, state, language }: View) {
  const { catalogue, choice, step } = state
  if (step === 'done' || state.busy === 'start' || state.busy === 'booking') return null
  const names: Partial<Record<Step, string | undefined>> = {
    service: servicesOf(catalogue, choice)
      .map(({ name }) => name)
      .join(' + '),
    location: locationOf(catalogue, choice)?.name,
    staff:
      choice.staffId === anyone
        ? language.texts.anyone
        : staffFor(catalogue, choice).find(({ id }) => id === choice.staffId)?.name,
  }
  const shown = earlierSteps(catalogue, choice, step).filter((earlier) => earlier in names)
  if (shown.length === 0) return null
  return (
    <ul class="crumbs" part="choices">
      {shown.map((earlier) => (
        <li key={earlier}>
          <button
            type="button"
            class="crumb"
            part="choice"
            aria-label={`${language.texts.change}: ${names[earlier] ?? ''}`}
            onClick={() => flow.goBack(earlier)}
          >
            <bdi>{names[earlier]}</bdi>
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d="M10.5 3.5l2 2L6 12l-2.6.6L4 10z" />
            </svg>
          </button>
        </li>
      ))}
    </ul>
  )
}
