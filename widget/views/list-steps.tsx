import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Money, Service } from '../api/api-types.ts'
import {
  anyone,
  itemsOf,
  locationsFor,
  servicesToAdd,
  staffForAll,
  type ListStep,
} from '../flow/choice-rules.ts'
import { totalsOf, type Totals } from '../flow/item-rules.ts'
import { fill } from '../texts.ts'
import { priceText } from './price-text.ts'
import type { View } from './view.ts'

/** Renders the options of a step: services, locations or staff. */
export function ListSteps({ flow, state, language, formats, step }: View & { step: ListStep }) {
  const { catalogue, choice } = state
  const choose = (id: string) => () => flow.choose(step, id)
  if (step === 'service' || step === 'more') {
    const offered = step === 'more' ? servicesToAdd(catalogue, choice, state.isAlong) : catalogue.services
    return [...byCategory(offered)].map(([category, services]) => (
      <section key={category}>
        {category && (
          <h3 class="category" part="category">
            <bdi>{category}</bdi>
          </h3>
        )}
        <ul class="options" part="options">
          {services.map((service) => (
            <Option
              key={service.id}
              name={service.name}
              picture={service.image_url}
              description={service.description}
              language={language}
              onChoose={choose(service.id)}
            >
              <span class="hint facts">
                <TotalFacts
                  {...{ language, formats }}
                  totals={totalsOf(catalogue, [
                    { serviceId: service.id, staffId: null, party: 1, isWith: false },
                  ])}
                />
              </span>
            </Option>
          ))}
        </ul>
      </section>
    ))
  }
  if (step === 'location') {
    return (
      <ul class="options" part="options">
        {locationsFor(catalogue, choice).map(({ id, name, address }) => (
          <Option key={id} name={name} language={language} onChoose={choose(id)}>
            {address && <bdi class="hint">{address}</bdi>}
          </Option>
        ))}
      </ul>
    )
  }
  const items = itemsOf(catalogue, choice, 1)
  // people differ
  const { isFrom, minutes } = totalsOf(catalogue, items)
  const hasTerms = isFrom || minutes[0] < minutes[1]
  return (
    <ul class="options" part="options">
      <Option
        key={anyone}
        name={language.texts.anyone}
        face="✳"
        language={language}
        onChoose={choose(anyone)}
      >
        <span class="hint">{language.texts.anyoneHint}</span>
      </Option>
      {staffForAll(catalogue, choice).map(({ id, name, description, image_url }) => (
        <Option
          key={id}
          name={name}
          face={initialsOf(name)}
          picture={image_url}
          description={description}
          language={language}
          onChoose={choose(id)}
        >
          {hasTerms && (
            <span class="hint facts">
              <TotalFacts
                {...{ language, formats }}
                totals={totalsOf(
                  catalogue,
                  items.map((item) => ({ ...item, staffId: id })),
                )}
              />
            </span>
          )}
        </Option>
      ))}
    </ul>
  )
}

/** Groups services by category in their own order. Those without a category come first. */
function byCategory(services: Service[]): Map<string, Service[]> {
  const has = ({ category }: Service) => category ?? ''
  return Map.groupBy([...services.filter((one) => !has(one)), ...services.filter(has)], has)
}

/** Renders length, price, and the deposit or the need for a card. They are ranges as long as they depend on the person. */
export function TotalFacts({
  totals: { minutes, price, isFrom, deposit, card },
  language: { texts },
  formats,
}: Pick<View, 'language' | 'formats'> & { totals: Totals }) {
  const [shortest, longest] = minutes
  /** Formats an amount. A full payment is as much as the price, so it depends on the person as well. */
  const say = (one: Money) => priceText(one, { texts, formats }, isFrom && one.amount === price?.amount)
  return (
    <>
      <span>
        {shortest === longest
          ? formats.minutes(shortest)
          : minutes.map((one) => formats.minutes(one, 'short')).join(' – ')}
      </span>
      {price && <span>{say(price)}</span>}
      {(deposit || card) && (
        <span>{deposit ? fill(texts.deposit, { amount: say(deposit) }) : texts.card}</span>
      )}
    </>
  )
}

/** Truncates a description to a few lines, with a button that shows all of it. */
export function useDescription(text: string | null | undefined, { texts }: View['language']) {
  const place = useRef<HTMLElement>(null)
  const [isCut, setCut] = useState(false)
  const [isWhole, setWhole] = useState(false)
  useLayoutEffect(() => {
    const { current } = place
    if (!current) return undefined
    const watching = new ResizeObserver(() => setCut(current.scrollHeight > current.clientHeight))
    watching.observe(current)
    return () => watching.disconnect()
  }, [text])
  return [
    text && (
      <bdi ref={place} class={`hint description${isWhole ? ' is-whole' : ''}`}>
        {text}
      </bdi>
    ),
    text && (isCut || isWhole) && (
      <button type="button" class="more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? texts.less : texts.more}
      </button>
    ),
  ]
}

interface OptionParts {
  name: string
  /** Icon in place of a person's picture. */
  face?: string
  /** URL of the picture. */
  picture?: string | null
  description?: string | null
  language: View['language']
  onChoose: () => void
  children?: ComponentChildren
}

function Option({ name, face, picture, description, language, onChoose, children }: OptionParts) {
  const [isMissing, setMissing] = useState(false)
  const [shown, more] = useDescription(description, language)
  return (
    <li>
      <button type="button" class="option" part="option" onClick={onChoose}>
        {picture && !isMissing ? (
          <img
            class={face === undefined ? 'picture' : 'picture face'}
            part="picture"
            src={new URL(picture, import.meta.url).href}
            alt=""
            loading="lazy"
            referrerpolicy="no-referrer"
            onError={() => setMissing(true)}
          />
        ) : (
          face !== undefined && (
            <span class="face" aria-hidden="true">
              {face}
            </span>
          )
        )}
        <span class="option-text">
          <bdi class="option-name">{name}</bdi>
          {shown}
          {children}
        </span>
        <svg class="chevron" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M6 3l5 5-5 5" />
        </svg>
      </button>
      {more}
    </li>
  )
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean)
  const shown = [...words.slice(0, 1), ...words.slice(1).slice(-1)]
  // splits by code point, so that no character breaks
  return shown
    .map(([letter]) => letter)
    .join('')
    .toLocaleUpperCase()
}
