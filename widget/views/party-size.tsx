import { useRef } from 'preact/hooks'
import { serviceOf } from '../flow/choice-rules.ts'
import { fill } from '../texts.ts'
import type { View } from './view.ts'

/** A service of several. */
interface PartyItem {
  serviceId: string
  party: number
  onParty: (party: number) => void
}

/**
 * Asks for the number of people if several can share a slot. The hold always matches the number shown,
 * because invalid numbers are ignored.
 */
export function PartySize({ flow, state, language, formats, item }: View & { item?: PartyItem }) {
  const told = useRef<HTMLSpanElement>(null)
  const { catalogue, choice } = state
  const most = serviceOf(catalogue, item ?? choice)?.capacity ?? 1
  const setParty = (party: number) => (item ? item.onParty(party) : flow.setParty(party))
  if (most === 1) return null
  const limit = fill(language.texts.atMost, { count: formats.number(most) })
  return (
    <p class="zone">
      <label>
        {language.texts.howMany}
        <input
          type="number"
          required
          min={1}
          max={most}
          value={item?.party ?? state.party}
          // at once, because the tap that leaves the field may choose a time
          onInput={({ currentTarget: { valueAsNumber, validity } }) => {
            // not redrawn, because that would reset the number while typing
            if (told.current) told.current.textContent = validity.rangeOverflow ? limit : ''
            if (validity.valid) setParty(valueAsNumber)
          }}
          onChange={({ currentTarget }) => {
            const people = Math.min(Math.max(Math.round(currentTarget.valueAsNumber) || 1, 1), most)
            currentTarget.value = String(people)
            setParty(people)
          }}
        />
      </label>
      <span role="status" ref={told} />
    </p>
  )
}
