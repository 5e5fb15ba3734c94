import { serviceOf } from '../flow/choice-rules.ts'
import type { View } from './view.ts'

/** How many people come; asked where several can share a slot. The browser says what is wrong with the number. */
export function PartySize({ flow, state, language }: View) {
  const { catalogue, choice } = state
  const most = serviceOf(catalogue, choice)?.capacity ?? 1
  if (most === 1) return null
  return (
    <p class="zone">
      <label>
        {language.texts.howMany}
        <input
          type="number"
          required
          min={1}
          max={most}
          value={state.party}
          onChange={({ currentTarget }) => {
            if (currentTarget.reportValidity()) flow.setParty(currentTarget.valueAsNumber)
          }}
        />
      </label>
    </p>
  )
}
