import { useId, useMemo, useState } from 'preact/hooks'
import { locationOf } from '../flow/choice-rules.ts'
import { ownZoneName, sameTimeIn } from '../times/zones.ts'
import type { TimesView } from './view.ts'

/**
 * Renders the choice of the time zone for display: the visitor's, the location's, or any other. Nothing if
 * their clocks agree.
 */
export function ZoneChoice({ flow, state, language, formats, nowMs }: TimesView) {
  const { texts } = language
  const { zone } = state
  const id = useId()
  const ownZone = useMemo(ownZoneName, [])
  const [isOpened, setOpened] = useState(false)
  const there = locationOf(state.catalogue, state.choice)?.timezone ?? zone
  const atMs = state.wanted?.startsAtMs ?? nowMs()
  const near = [...new Set([ownZone, there, zone])]
  if (near.every((one) => sameTimeIn(one, zone, atMs))) return null
  const label = (one: string) => formats.zone(one, atMs)
  return (
    <p class="zone" part="time-zone">
      <label for={id}>{texts.timesShownIn}</label>
      <select
        id={id}
        value={zone}
        // renders the 400 zone names only on demand
        onPointerDown={() => setOpened(true)}
        onFocus={() => setOpened(true)}
        onChange={(event) => flow.setZone(event.currentTarget.value)}
      >
        {near.map((one) => (
          <option key={one} value={one}>
            {one === zone
              ? label(one)
              : `${one === ownZone ? texts.yourTime : texts.locationTime}: ${label(one)}`}
          </option>
        ))}
        {isOpened && (
          <optgroup label={texts.otherZones}>
            {Intl.supportedValuesOf('timeZone')
              .filter((one) => !near.includes(one))
              .map((one) => (
                <option key={one} value={one}>
                  {one.replaceAll('_', ' ')}
                </option>
              ))}
          </optgroup>
        )}
      </select>
    </p>
  )
}
