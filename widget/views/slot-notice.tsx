import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Notice } from '../flow/flow-state.ts'
import type { Texts } from '../locales/texts.ts'
import type { View } from './view.ts'

const sentences: Record<Notice['kind'], keyof Texts> = {
  taken: 'taken',
  not_offered: 'notOffered',
  lapsed: 'lapsed',
  too_many_holds: 'tooManyHolds',
  too_many_bookings: 'tooManyBookings',
  refused: 'refused',
}

/** What happened to the slot, and other times to choose with one click. */
export function SlotNotice({ flow, state, language, formats }: View) {
  const { notice, zone, busy, step } = state
  const { texts } = language
  const box = useRef<HTMLDivElement>(null)
  const kind = notice?.kind
  useLayoutEffect(() => {
    // the button that was pressed may be gone; who types on after a lapse is not to be disturbed
    if (kind && kind !== 'lapsed') box.current?.focus()
  }, [kind, notice])
  if (!notice) return null
  return (
    <div class="notice" part="notice" role="alert" tabIndex={-1} ref={box}>
      <p>{texts[sentences[notice.kind]]}</p>
      {notice.kind === 'lapsed' && (
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
      {step === 'details' && notice.kind !== 'lapsed' && (
        <button type="button" class="link" onClick={() => flow.goBack('time')}>
          {texts.chooseOther}
        </button>
      )}
    </div>
  )
}
