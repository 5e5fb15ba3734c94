import { useEffect, useState } from 'preact/hooks'
import { fill } from '../locales/texts.ts'
import type { View } from './view.ts'

/** Says why the flow stopped, with a retry button, or that it continues by itself. */
export function TroubleNotice(props: View) {
  const { flow, state, language } = props
  const { texts } = language
  if (state.waitSeconds !== null)
    return <Waiting {...props} seconds={state.waitSeconds} key={state.waitSeconds} />
  if (!state.trouble) return null
  return (
    <div class="notice" part="notice" role="alert">
      <p>{texts[state.trouble.kind]}</p>
      {state.trouble.kind !== 'misconfigured' && (
        <button type="button" class="secondary" part="secondary-button" onClick={() => void flow.tryAgain()}>
          {texts.tryAgain}
        </button>
      )}
    </div>
  )
}

function Waiting({ language, formats, nowMs, seconds }: View & { seconds: number }) {
  const [endsAtMs] = useState(() => nowMs() + seconds * 1000)
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const ticking = setInterval(() => setLeft(Math.max(1, Math.ceil((endsAtMs - nowMs()) / 1000))), 1000)
    return () => clearInterval(ticking)
  }, [endsAtMs])
  return (
    <div class="notice" part="notice" role="status">
      <p>
        <span aria-hidden="true">{fill(language.texts.waiting, { time: formats.seconds(left) })}</span>
        <span class="heard">{fill(language.texts.waiting, { time: formats.seconds(seconds) })}</span>
      </p>
    </div>
  )
}
