import type { Draft } from '../flow/draft.ts'
import { type Prefill, readPrefill, withPrefill } from '../flow/prefill.ts'
import { lateFlowOnPage } from '../views/this-page.ts'
import { expired } from '../flow/late-state.ts'
import type { BookingFlow } from '../flow/booking-flow.ts'
import { servicesOf } from '../flow/choice-rules.ts'
import type { Language } from '../languages.ts'
import { askToClose } from './ask-to-close.tsx'
import type { KeptVisit } from './kept-visit.ts'
import { type EmbeddedElement, pageMetadata } from './page-metadata.ts'
import { goTo, StepHistory } from './step-history.ts'
import { leadToSuccess } from './success-page.ts'

interface VisitParts {
  flow: BookingFlow
  /** Identifies this visit in the storage of the tab. */
  key: string
  /** Has its own history entries. */
  element: EmbeddedElement
  kept: KeptVisit
  /** The overlay over a page. */
  dialog: HTMLDialogElement | undefined
  language: () => Language
}

/** Connects one visitor's flow with its page. */
export interface Visit {
  /** Closes the overlay; asks first if something was typed. */
  close(): void
  /** Fills in the page's current values. */
  prefill(): void
  /** Releases the page. */
  stop(): void
}

/** Stores the visit for the tab, ties it to the browser's history, and guards an overlay. */
export function accompany({ flow, key, element, kept, dialog, language }: VisitParts): Visit {
  const { isOwn } = flow.options.place
  let filled: Prefill = kept.prefilled ?? {}
  const asked = new URLSearchParams(isOwn ? location.search : '')
  // a client's own page hands details over in the fragment, which no server sees
  const handed = new URLSearchParams(isOwn ? location.hash.slice(1) : '')
  const prefill = () => {
    const given = readPrefill(
      (name) =>
        element.getAttribute(`prefill-${name.replace('_', '-')}`) ?? asked.get(name) ?? handed.get(name),
    )
    flow.write(withPrefill(flow.state.draft, given, filled))
    filled = given
  }
  prefill()
  lateFlowOnPage(flow).metadata = () => pageMetadata(element)
  const stopLeading = leadToSuccess(element)
  const linked = asked.get('time')
  let isStopped = false
  let steps: StepHistory | undefined
  const isNew = linked !== null && linked !== kept.linked
  const begins = isNew ? chooseLinked(flow, linked, asked.get('party')) : restore(flow, kept)
  void begins.then((isRestored) => {
    if (isStopped) return
    if (isRestored) flow.trail.splice(0, flow.trail.length - 1) // the history still has its earlier entries
    const place = dialog ? 'overlay' : [...document.querySelectorAll(element.localName)].indexOf(element)
    const ownKey = `${key}:${place}`
    // a preview in a frame shares the history of its parent page
    const hasSteps = (isOwn && self === top) || element.hasAttribute('history')
    steps = new StepHistory({ flow, key: ownKey, hasSteps, onGone: dialog && (() => void close(true)) })
  })
  flow.subscribe(() => {
    if (!steps || isStopped || flow.late?.hasLeft) return
    keep(flow, key, { prefilled: filled, linked })
    steps.follow()
  })
  const unlock = dialog && lockScroll()
  // a later visit in the same overlay replaces it
  if (dialog) dialog.onclose = () => steps?.leave()

  async function close(isGone = false): Promise<void> {
    if (!dialog) return
    const { step, draft } = flow.state
    if (step === 'done' || !isTyped(draft, filled) || (await askToClose(dialog, language()))) dialog.close()
    else if (isGone) steps?.comeBack()
  }

  return {
    close: () => void close(),
    prefill,
    stop: () => {
      isStopped = true
      stopLeading()
      steps?.stop()
      unlock?.()
    },
  }
}

function isTyped({ fields, ...texts }: Draft, filled: Prefill): boolean {
  return (
    Object.keys(fields).length > 0 ||
    Object.entries(texts).some(([name, text]) => text.trim() !== (filled[name as keyof Prefill] ?? ''))
  )
}

/**
 * Holds the time of a link, such as one in an email, for its number of people. If somebody else was faster, the day's
 * times follow with a notice. Returns false, because the history has no earlier entries.
 */
async function chooseLinked(flow: BookingFlow, startsAt: string, party: string | null): Promise<boolean> {
  const { step, busy, catalogue, choice } = flow.state
  const startsAtMs = Date.parse(startsAt)
  // a visitor who was faster than this script continues from the current step
  if (step !== 'time' || busy === 'hold' || flow.trail.length > 1 || Number.isNaN(startsAtMs)) return false
  const size = Number(party)
  const [service, ...others] = servicesOf(catalogue, choice)
  if (service && size > 1 && size <= service.capacity && others.length === 0) flow.setParty(size)
  const parts = { staffIds: [], seatsLeft: 1, heldByYou: false }
  await flow.chooseSlot({ startsAt, startsAtMs, endsAtMs: startsAtMs, ...parts })
  return false
}

/** Restores the visit from before a reload. Returns true if it did. */
async function restore(flow: BookingFlow, { step, wanted, heldUntilMs = 0 }: KeptVisit): Promise<boolean> {
  const { state, store, slots, options, trail } = flow
  if (!step || state.step === 'done' || state.trouble) return false
  // a visitor who was faster than this script continues from the current step
  if (trail.length > 1 || state.busy === 'hold' || state.step === step) return false
  if (step !== 'details' || !wanted) goTo(flow, step)
  else if (state.step !== 'time') return false
  else if (heldUntilMs > options.nowMs()) await flow.chooseSlot(wanted)
  else {
    slots.stop()
    store.replace(expired({ ...store.state, step }))
  }
  return true
}

/** Stores the visitor's position, or removes it after the booking. */
function keep(
  { state, options }: BookingFlow,
  key: string,
  more: Required<Pick<KeptVisit, 'prefilled' | 'linked'>>,
): void {
  const { choice, party, month, wanted, draft, step, held, booking } = state
  const heldUntilMs = held?.deadlineMs ?? 0
  const visit: KeptVisit = { choice, party, month, wanted, draft, step, heldUntilMs, ...more }
  try {
    if (booking) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify({ of: options.preset, visit }))
  } catch {
    // storage is disabled
  }
}

/** Stops the page behind from scrolling. Returns a function that lets it scroll again. */
function lockScroll(): () => void {
  const { style, clientWidth } = document.documentElement
  const { overflow, scrollbarGutter } = style
  if (innerWidth > clientWidth) style.scrollbarGutter = 'stable' // prevents a layout shift
  style.overflow = 'hidden'
  return () => Object.assign(style, { overflow, scrollbarGutter })
}
