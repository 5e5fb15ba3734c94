import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RefObject } from 'preact'
import { fill } from '../texts.ts'
import type { View } from './view.ts'

/** Explains why the flow stopped, with a retry button, or that it continues by itself. */
export function TroubleNotice(props: View) {
  const { flow, state, language } = props
  const { texts } = language
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // if the widget did not even start, its page keeps the focus
    if (state.trouble && state.business) box.current?.focus()
    else if (state.waitSeconds !== null && state.business) box.current?.scrollIntoView({ block: 'nearest' })
  }, [state.trouble, state.waitSeconds])
  if (state.waitSeconds !== null)
    return <Waiting {...props} seconds={state.waitSeconds} key={state.waitSeconds} box={box} />
  if (!state.trouble) return null
  return (
    <div class="notice" part="notice" role="alert" tabIndex={-1} ref={box}>
      <p>{texts[state.trouble.kind]}</p>
      {state.trouble.kind === 'misconfigured' ? (
        <slot /> // the page's own content of the element: a link to the booking page
      ) : (
        <button type="button" class="secondary" part="secondary-button" onClick={() => void flow.tryAgain()}>
          {texts.tryAgain}
        </button>
      )}
    </div>
  )
}

function Waiting({
  language,
  formats,
  nowMs,
  seconds,
  box,
}: View & { seconds: number; box: RefObject<HTMLDivElement | null> }) {
  const [endsAtMs] = useState(() => nowMs() + seconds * 1000)
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const ticking = setInterval(() => setLeft(Math.max(1, Math.ceil((endsAtMs - nowMs()) / 1000))), 1000)
    return () => clearInterval(ticking)
  }, [endsAtMs])
  return (
    <div class="notice" part="notice" role="status" ref={box}>
      <p>
        <span aria-hidden="true">{fill(language.texts.waiting, { time: formats.seconds(left) })}</span>
        <span class="heard">{fill(language.texts.waiting, { time: formats.seconds(seconds) })}</span>
      </p>
    </div>
  )
}
