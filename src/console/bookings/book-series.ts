import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { type Instant, parseInstant, readInstant } from '../../base/instants.ts'
import { StrictObject } from '../../base/wire.ts'
import { Repeat } from '../../bookings/hold-schemas.ts'
import { maxRepeats } from '../../catalogue/service-rules.ts'
import { seriesReaches, type SeriesReach } from '../../bookings/booking-schemas.ts'
import {
  choice,
  field,
  type FormState,
  hidden,
  numberOf,
  radios,
  tick,
  type Typed,
} from '../../pages/form.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import { checkedForm } from '../frame/console-route.ts'
import { momentText } from '../frame/formats.ts'
import { textFor } from '../frame/text-groups.ts'

/* The parts of forms about series: the repetition of a new booking, and how far a change reaches. */

const units = ['day', 'week', 'month'] as const

/** Renders the fields of a repetition: "every 4 weeks, 6 times". */
export function repeatFields({ texts }: ConsoleVisit, state: FormState): Html {
  const t = texts.book.repeat
  const isOpen = (state.typed['repeat.every'] ?? '') !== ''
  const number = (name: 'interval' | 'count', usual: string) =>
    field(
      { ...state, typed: { [`repeat.${name}`]: usual, ...state.typed } },
      { name: `repeat.${name}`, label: t[name], type: 'number' },
    )
  return html`<details ${isOpen ? html`open` : ''}>
    <summary>${t.every}</summary>
    <div class="beside">
      ${choice(state, {
        ...{ name: 'repeat.every', label: t.every },
        options: [['', t.units.none], ...units.map((unit) => [unit, t.units[unit]] as const)],
      })}
      ${number('interval', '4')} ${number('count', '6')}
    </div>
  </details>`
}

/** Returns the repetition of a form; undefined without one. Throws validation_failed. */
export function readRepeat(typed: Typed) {
  const { 'repeat.every': every = '' } = typed
  if (every === '') return undefined
  const number = (name: string) => numberOf(typed[name]) ?? undefined
  const asked = { every, interval: number('repeat.interval'), count: number('repeat.count') }
  const { repeat } = checkedForm(StrictObject({ repeat: Repeat }), { repeat: asked })
  const conflicts = typed['conflicts'] === 'on' ? ('skip' as const) : ('refuse' as const)
  // unusual dates, such as those of a holiday, are conflicts as well, until the person ignores them
  return { repeat, conflicts, instead: otherTimesIn(typed), onlyOffered: typed['unusual'] !== 'on' }
}

/** Fields of this name have the time that replaces a date, whose time follows the name. */
const insteadOf = 'instead.'

/** Returns the times that a form chooses for single dates. */
function otherTimesIn(typed: Typed): Map<Instant, Instant> {
  const chosen = Object.entries(typed).flatMap(([name, text]) => {
    if (!name.startsWith(insteadOf)) return []
    const [from, to] = [parseInstant(name.slice(insteadOf.length)), parseInstant(text)]
    return from && to ? [[from, to] as const] : []
  })
  return new Map(chosen.slice(0, maxRepeats))
}

interface ShownConflict {
  starts_at: string
  reason: string
  alternatives: { starts_at: string }[]
}

/** Returns the conflicts in the refusal of a series. */
export function conflictsOf(refusal: unknown): readonly ShownConflict[] {
  const conflicts = refusal instanceof Problem ? refusal.parts.extensions?.['conflicts'] : undefined
  return Array.isArray(conflicts) ? (conflicts as ShownConflict[]) : [] // written by refusalOfSeries
}

/** Returns a predicate for the conflict of a date. */
export const isAt =
  (startsAt: Instant | undefined) =>
  (conflict: Pick<ShownConflict, 'starts_at'>): boolean =>
    readInstant(conflict.starts_at) === startsAt

/** Renders the dates of a series that are not free, each with the reason and other times. A form with `typed` offers them to choose. */
export function conflictList(
  { texts, locale }: ConsoleVisit,
  conflicts: readonly ShownConflict[],
  { timezone, typed }: { timezone: string; typed?: Typed },
): Html {
  if (conflicts.length === 0) return html``
  const { book } = texts
  const moment = (text: string) => momentText(readInstant(text), { timezone, locale })
  const nameOf = (startsAt: string) => `${insteadOf}${readInstant(startsAt)}`
  const open = new Set(conflicts.map(({ starts_at }) => nameOf(starts_at)))
  const chosen = Object.entries(typed ?? {}).filter(([name]) => name.startsWith(insteadOf) && !open.has(name))
  return html`${hidden(Object.fromEntries(chosen))}
    <p>${book.repeat.taken}</p>
    <ul>
      ${conflicts.map(({ starts_at, reason, alternatives }) => {
        const why = reason === 'time_skipped' ? book.noTime : textFor(book.reasons, reason)
        const near = alternatives.map((slot) =>
          typed
            ? html`<label class="choice">
                <input type="radio" name="${nameOf(starts_at)}" value="${slot.starts_at}" />
                <span>${moment(slot.starts_at)}</span>
              </label>`
            : html`<span class="soft">${moment(slot.starts_at)}</span>`,
        )
        return html`<li>
          ${moment(starts_at)} ${why === undefined ? '' : html`<span class="soft">${why}</span>`}
          ${near.length === 0 ? '' : html`<span class="soft">${book.near}</span> ${near}`}
        </li>`
      })}
    </ul>`
}

/** Reasons of conflicts that nobody can ignore. Others are objections to a time that is free. */
const firmReasons = ['slot_booked', 'slot_held', 'no_such_day', 'time_skipped']

/** Renders the boxes to book a series without the dates that are not free, and on unusual dates. */
export function skipBox({ texts }: ConsoleVisit, state: FormState & { refusal?: unknown }): Html {
  const conflicts = conflictsOf(state.refusal)
  const isTicked = (name: string) => state.typed[name] === 'on'
  const isUnusual = conflicts.some(({ reason }) => !firmReasons.includes(reason))
  return html`${
    conflicts.length > 0 || isTicked('conflicts') ? tick(state, 'conflicts', texts.book.repeat.skip) : ''
  }
  ${isUnusual || isTicked('unusual') ? tick(state, 'unusual', texts.book.anyway) : ''}`
}

/** Renders the choice of the bookings that a change concerns. Empty for one that stands alone. */
export function reachChoice({ texts }: ConsoleVisit, state: FormState, seriesId: string | null): Html {
  if (seriesId === null) return html``
  const t = texts.booking.series
  const typed = { series: 'this', ...state.typed }
  return radios(
    { ...state, typed },
    { name: 'series', label: t.ask, options: seriesReaches.map((reach) => [reach, t[reach]] as const) },
  )
}

/** Returns how far the change of a form reaches. */
export function reachIn({ series }: Typed): SeriesReach {
  return seriesReaches.find((reach) => reach === series) ?? 'this'
}
