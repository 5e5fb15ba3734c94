import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { Step } from '../flow/choice-rules.ts'
import type { Texts } from '../texts.ts'
import { Crumbs } from './crumbs.tsx'
import { Header } from './header.tsx'
import { Heading } from './heading.tsx'
import { ListSteps } from './list-steps.tsx'
import { Offer } from './offer.tsx'
import { PartySize } from './party-size.tsx'
import { TimeStep } from './time-step.tsx'
import { TroubleNotice } from './trouble-notice.tsx'
import type { View } from './view.ts'

const titles: Record<Step, keyof Texts> = {
  service: 'stepService',
  location: 'stepLocation',
  staff: 'stepStaff',
  more: 'stepMore',
  time: 'stepTime',
  details: 'stepDetails',
  done: 'stepDone',
}

/** Renders the root view of an element. */
export function Widget(props: View & { onClose?: (() => void) | undefined }) {
  const { state, language, later, onClose } = props
  const { texts, locale, direction } = language
  return (
    <div class="widget" part="widget" lang={locale} dir={direction}>
      {(state.business ?? onClose ?? !state.trouble) && (
        <Header business={state.business} closeText={texts.close} onClose={onClose} />
      )}
      <div class="content" aria-busy={state.busy !== null}>
        <Crumbs {...props} />
        <StepFrame {...props}>
          <TroubleNotice {...props} />
          {state.busy === 'start' ? <Skeleton /> : <CurrentStep {...props} />}
        </StepFrame>
      </div>
      {state.manageUrl && state.step !== 'done' && (
        <p class="branding">
          <a href={state.manageUrl} target="_top">
            {texts.manage}
          </a>
        </p>
      )}
      {state.showBranding && (
        <p class="branding" part="branding">
          {texts.poweredBy}
        </p>
      )}
      {later && <later.Announcements {...props} />}
    </div>
  )
}

/** Renders the heading of a step, which takes the focus when the step opens. */
function StepFrame({ state, language, children }: View & { children: ComponentChildren }) {
  const { step, booking, catalogue, busy } = state
  const heading = useRef<HTMLHeadingElement>(null)
  const last = useRef<Step | undefined>(undefined)
  const started = busy !== 'start'
  useLayoutEffect(() => {
    if (!started) return
    // the first step must not steal the focus from the page
    if (last.current !== undefined && last.current !== step) heading.current?.focus()
    last.current = step
  }, [step, started])
  const isTold = Boolean(state.notice ?? state.trouble ?? state.waitSeconds)
  const count = state.choice.more?.length ?? 0
  const before = useRef({ isTold, count })
  useLayoutEffect(() => {
    const isGone = (before.current.isTold && !isTold) || count < before.current.count
    // the pressed button disappeared with its notice or service
    if (isGone && document.activeElement === document.body) heading.current?.focus()
    before.current = { isTold, count }
  }, [isTold, count])
  const { texts } = language
  const empty = started && !state.trouble && state.business && catalogue.services.length === 0
  if (step === 'done' && booking) return <div class="step">{children}</div>
  return (
    <div class="step" key={step}>
      <Heading inner={heading}>
        {started ? texts[step === 'more' && state.isAlong ? 'stepAlong' : titles[step]] : texts.loading}
      </Heading>
      {empty ? <p>{texts.nothingOffered}</p> : children}
    </div>
  )
}

function CurrentStep(props: View) {
  const { later, state } = props
  const { step, business } = state
  if (!business) return null
  if (step === 'time') {
    return (
      <>
        {later && <later.SlotNotice {...props} />}
        <Offer {...props} />
        <TimeStep
          {...props}
          above={!state.choice.more?.length && <PartySize {...props} />}
          none={later && <later.NoneFree {...props} />}
        />
        {later && <later.WaitingList {...props} />}
      </>
    )
  }
  if (step === 'details') return later && <later.Details {...props} />
  if (step === 'done') return later && <later.Confirmation {...props} />
  return <ListSteps {...props} step={step} />
}

/** Renders a placeholder of the same size, so that nothing jumps. */
function Skeleton() {
  return (
    <div class="skeleton" aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  )
}
