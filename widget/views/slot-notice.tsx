import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Notice } from '../flow/flow-state.ts'
import type { TimesView } from './view.ts'

/**
 * Notices for which another time does not help: an expired slot can be held again, and the cap on bookings
 * applies to every time.
 */
const withoutOtherTime: Notice['kind'][] = ['expired', 'tooManyBookings']

/** Explains the fate of the slot, and offers other times. */
export function SlotNotice({ flow, state, language, formats }: TimesView) {
  const { notice, zone, busy, step } = state
  const { texts } = language
  const box = useRef<HTMLDivElement>(null)
  const kind = notice?.kind
  useLayoutEffect(() => {
    const { current } = box
    const { activeElement } = (current?.getRootNode() ?? {}) as ShadowRoot
    // the pressed button may be gone, but a visitor who is typing is not interrupted; the notice then sticks
    if (kind !== 'expired' || !activeElement?.matches('input, select, textarea')) current?.focus()
  }, [kind, notice])
  if (!notice) return null
  return (
    <div class={`notice is-${notice.kind}`} part="notice" role="alert" tabIndex={-1} ref={box}>
      <p>{texts[notice.kind]}</p>
      {notice.kind === 'expired' && (
        <button
          type="button"
          class="secondary"
          part="secondary-button"
          aria-disabled={busy !== null}
          onClick={() => void flow.holdAgain()}
        >
          {texts.holdAgain}
        </button>
      )}
      {notice.alternatives.length > 0 && (
        <>
          <p>{texts.otherTimes}</p>
          <div class="alternatives">
            {notice.alternatives.map((slot) => (
              <button
                key={slot.startsAt}
                type="button"
                class="secondary alternative"
                part="alternative"
                aria-disabled={busy !== null}
                onClick={() => void flow.chooseSlot(slot)}
              >
                <span class="alternative-day">{formats.shortDay(slot.startsAtMs, zone)}</span>
                <span>{formats.time(slot.startsAtMs, zone)}</span>
              </button>
            ))}
          </div>
        </>
      )}
      {step === 'details' && !withoutOtherTime.includes(notice.kind) && (
        <button type="button" class="link" onClick={() => flow.goBack('time')}>
          {texts.chooseOther}
        </button>
      )}
    </div>
  )
}
