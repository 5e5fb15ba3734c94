import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Refused } from '../api/refusals.ts'
import type { Faults } from '../flow/draft.ts'
import { faultsLeft } from '../flow/draft-rules.ts'
import {
  canWait,
  firstWishes,
  latestTo,
  todayOf,
  waitAsks,
  waitBody,
  waitErrorsOf,
  waitFaults,
  weekdayNames,
  type Wishes,
} from '../flow/wait-rules.ts'
import { fill } from '../texts.ts'
import { ContactFields } from './contact-fields.tsx'
import { Labelled } from './text-input.tsx'
import type { View } from './view.ts'

/** Renders the way to the waiting list, below the times. It is open if no time is free at all. */
export function WaitingList(props: View) {
  const { state, language } = props
  const { texts } = language
  const [joined, setJoined] = useState<string | null>(null)
  if (!canWait(state)) return null
  if (joined !== null) return <Joined {...props} email={joined} />
  return (
    <details class="waiting" part="waiting-list" open={state.soonest === null}>
      <summary>
        <span>{texts['wait.noneFits']}</span> {texts['wait.join']}
      </summary>
      <WaitForm {...props} onJoin={setJoined} />
    </details>
  )
}

/** Renders the confirmation, which takes the focus. */
function Joined({ state, language: { texts }, email }: View & { email: string }) {
  const title = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => title.current?.focus(), [])
  return (
    <section class="waiting is-joined" part="waiting-list" role="status">
      <h3 tabIndex={-1} ref={title}>
        {texts['wait.joined']}
      </h3>
      {state.sendsMail ? (
        <>
          <p>{fill(texts['wait.joinedHint'], { email })}</p>
          <p class="hint">{texts['wait.leaveHint']}</p>
        </>
      ) : (
        <p>{texts['wait.waiting']}</p>
      )}
    </section>
  )
}

function WaitForm(props: View & { onJoin: (email: string) => void }) {
  const { flow, state, language, nowMs, onJoin } = props
  const { texts } = language
  const [wishes, setWishes] = useState(() => firstWishes(state, nowMs()))
  const [errors, setErrors] = useState<Faults>({})
  const [refusal, setRefusal] = useState<'tooManyBookings' | 'refused' | null>(null)
  const { draft } = state
  const judged = useMemo(() => ({ draft, wishes }), [errors])
  const faults = Object.fromEntries(
    Object.entries(faultsLeft(errors, judged.draft, draft)).filter(
      ([name]) => judged.wishes[name as keyof Wishes] === wishes[name as keyof Wishes],
    ),
  )
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    if (Object.keys(errors).length > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [errors])
  const wish = (change: Partial<Wishes>) => setWishes({ ...wishes, ...change })
  const join = async (): Promise<void> => {
    if (state.busy) return
    const found = waitFaults(state, wishes, nowMs())
    setErrors(found)
    setRefusal(null)
    if (Object.keys(found).length > 0) return
    await flow.attempt(join, async () => {
      const { store, options } = flow
      store.set({ busy: 'booking' })
      try {
        const body = waitBody(state, wishes, options.locale())
        await options.connection.call('POST', '/waitlist', { body })
        onJoin(body.client.email)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        const { problem } = error
        const refused = waitErrorsOf(problem, state)
        setErrors(refused)
        if (problem.code === 'booking_limit_reached') setRefusal('tooManyBookings')
        else if (Object.keys(refused).length === 0) setRefusal('refused')
        flow.tell(error)
      }
      store.set({ busy: null })
    })
  }
  const input = (name: 'from' | 'to' | 'after' | 'before') => {
    const isDate = name === 'from' || name === 'to'
    const least = isDate ? (name === 'to' && wishes.from) || todayOf(state, nowMs()) : undefined
    const id = `wait-${name}`
    return (
      <Labelled
        id={id}
        label={texts[`wait.${name}`]}
        required={isDate}
        fieldError={faults[name]}
        texts={texts}
      >
        <input
          id={id}
          type={isDate ? 'date' : 'time'}
          part="input"
          value={wishes[name]}
          required={isDate}
          aria-invalid={faults[name] !== undefined}
          {...(faults[name] !== undefined && { 'aria-describedby': `${id}-fault` })}
          {...(least !== undefined && { min: least })}
          {...(name === 'to' && wishes.from !== '' && { max: latestTo(wishes.from) })}
          onInput={({ currentTarget: { value } }) => wish({ [name]: value })}
        />
      </Labelled>
    )
  }
  return (
    <form
      ref={form}
      noValidate
      part="form"
      onSubmit={(event) => {
        event.preventDefault()
        void join()
      }}
    >
      <p>{texts['wait.joinHint']}</p>
      <div class="pair">
        {input('from')}
        {input('to')}
      </div>
      <Weekdays {...props} wishes={wishes} onWish={wish} />
      <div class="pair">
        {input('after')}
        {input('before')}
      </div>
      <ContactFields {...props} uses={waitAsks(state).client_fields} faults={faults} />
      <div role="alert">
        {Object.keys(faults).length > 0 && <p class="fault">{texts.faultsFound}</p>}
        {refusal && <p class="fault">{texts[refusal]}</p>}
      </div>
      <button type="submit" class="primary" part="primary-button" aria-disabled={state.busy !== null}>
        {state.busy === 'booking' ? texts.loading : texts['wait.join']}
      </button>
    </form>
  )
}

function Weekdays({
  language: { texts },
  formats,
  wishes: { weekdays },
  onWish,
}: View & { wishes: Wishes; onWish: (change: Partial<Wishes>) => void }) {
  const shown = formats.weekdays('short')
  return (
    <fieldset class="field">
      <legend>
        {texts['wait.weekdays']}
        <span class="hint"> ({texts.optional})</span>
      </legend>
      <div class="weekdays">
        {shown.map((label, index) => {
          const name = weekdayNames[(formats.firstWeekday - 1 + index) % weekdayNames.length] ?? ''
          return (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={weekdays.has(name)}
                onChange={({ currentTarget: { checked } }) => {
                  const next = new Set(weekdays)
                  if (checked) next.add(name)
                  else next.delete(name)
                  onWish({ weekdays: next })
                }}
              />
              {label}
            </label>
          )
        })}
      </div>
    </fieldset>
  )
}
