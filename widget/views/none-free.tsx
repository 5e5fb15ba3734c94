import { anyone, itemsOf } from '../flow/choice-rules.ts'
import { Contact } from './contact.tsx'
import type { View } from './view.ts'

/** Renders the visitor's options if nothing is free: choose anyone, contact the business, or refresh. */
export function NoneFree({ flow, state, language }: View) {
  const { texts } = language
  const { business, catalogue, choice } = state
  const isReached = Boolean(business?.phone ?? business?.reply_to_email)
  return (
    <div class="none-free">
      {business && isReached && (
        <p>
          <Contact text={texts.askFor} business={business} />
        </p>
      )}
      <div class="buttons">
        {itemsOf(catalogue, choice, 1).some(({ staffId }) => staffId !== null) && (
          <button
            type="button"
            class="secondary"
            part="secondary-button"
            onClick={() => flow.choose('staff', anyone)}
          >
            {texts.withAnyone}
          </button>
        )}
        <button type="button" class="secondary" part="secondary-button" onClick={() => void flow.lookAgain()}>
          {texts.lookAgain}
        </button>
      </div>
    </div>
  )
}
