import { fillCount } from '../counts.ts'
import { mostRepeats } from '../flow/reservation.ts'
import { momentText } from '../times/moment.ts'
import type { View } from './view.ts'

/** Intervals to choose from, in weeks. */
const intervals = [1, 2, 3, 4, 5, 6, 8, 12]
const usualCount = 3

/** Asks how often to repeat the appointment, and lists the dates, if the services allow a series. */
export function RepeatChoice({ flow, state, language, formats }: View) {
  const { texts } = language
  const { repeat = null, held, busy, zone } = state
  const most = mostRepeats(state)
  if (most < 2) return null
  const counts = Array.from({ length: most - 1 }, (_, index) => index + 2)
  const dates = (all: number[] = []) => all.map((ms) => <li key={ms}>{momentText(formats, ms, zone)}</li>)
  const choose = (interval: number, count: number) =>
    void flow.late?.repeat(interval === 0 ? null : { interval, count })
  return (
    <div class="field repeat" part="field">
      <label>
        {texts.repeat}
        <select
          disabled={busy !== null}
          value={repeat?.interval ?? 0}
          onChange={({ currentTarget: { value } }) =>
            choose(Number(value), repeat?.count ?? Math.min(usualCount, most))
          }
        >
          <option value={0}>{texts.repeatNever}</option>
          {intervals.map((weeks) => (
            <option key={weeks} value={weeks}>
              {fillCount(texts.repeatWeeks, weeks, formats)}
            </option>
          ))}
        </select>
      </label>
      {repeat && (
        <label>
          {texts.repeatCount}
          <select
            disabled={busy !== null}
            value={repeat.count}
            onChange={({ currentTarget: { value } }) => choose(repeat.interval, Number(value))}
          >
            {counts.map((count) => (
              <option key={count} value={count}>
                {formats.number(count)}
              </option>
            ))}
          </select>
        </label>
      )}
      <div role="status">
        {held?.dates && <ul>{dates(held.dates)}</ul>}
        {held?.skipped && held.skipped.length > 0 && (
          <>
            <p>{texts.repeatTaken}</p>
            <ul>{dates(held.skipped)}</ul>
          </>
        )}
      </div>
    </div>
  )
}
