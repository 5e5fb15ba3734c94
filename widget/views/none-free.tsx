import { anyone, itemsOf, staffForAll } from '../flow/choice-rules.ts'
import { Contact } from './contact.tsx'
import type { View } from './view.ts'

const maxOthers = 6

/** Renders the visitor's options if nothing is free: choose somebody else, contact the business, or refresh. */
export function NoneFree({ flow, state, language }: View) {
  const { texts } = language
  const { business, catalogue, choice } = state
  const others = staffForAll(catalogue, choice).filter(({ id }) => id !== choice.staffId)
  const isOfOne = itemsOf(catalogue, choice, 1).some(({ staffId }) => staffId !== null)
  const isReached = Boolean(business?.phone ?? business?.reply_to_email)
  return (
    <div class="none-free">
      {business && isReached && (
        <p>
          <Contact text={texts.askFor} business={business} />
        </p>
      )}
      {isOfOne && others.length > 0 && (
        <>
          <p>{texts.otherPeople}</p>
          <div class="buttons">
            {others.slice(0, maxOthers).map(({ id, name }) => (
              <button
                key={id}
                type="button"
                class="secondary"
                part="secondary-button"
                onClick={() => flow.choose('staff', id)}
              >
                <bdi>{name}</bdi>
              </button>
            ))}
          </div>
        </>
      )}
      <div class="buttons">
        {isOfOne && (
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
