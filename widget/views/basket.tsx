import { useState } from 'preact/hooks'
import { anyone, itemsOf, serviceOf, staffFor, staffForAll, type MoreItem } from '../flow/choice-rules.ts'
import { totalsOf } from '../flow/item-rules.ts'
import { fill } from '../texts.ts'
import { TotalFacts } from './list-steps.tsx'
import { PartySize } from './party-size.tsx'
import type { View } from './view.ts'

const each = 'each'

/** Renders several services, their people and totals. */
export function Basket(props: View) {
  const { flow, state, language } = props
  const { catalogue, choice, party } = state
  const { texts } = language
  const [isEach, setEach] = useState(false)
  const { serviceId, staffId, more = [] } = choice
  const items: MoreItem[] = [{ serviceId: serviceId ?? '', staffId, party, isWith: false }, ...more]
  const asked = itemsOf(catalogue, choice, party)
  const people = staffForAll(catalogue, choice)
  // people without an alternative are not asked for
  const wanted = new Set(
    items.filter((item) => staffFor(catalogue, item).length > 1).map((item) => item.staffId ?? anyone),
  )
  const [person = anyone] = wanted
  const areSame = wanted.size < 2 && (person === anyone || people.some(({ id }) => id === person))
  const showsEach = isEach || !areSame
  const choose = (id: string) => {
    setEach(id === each)
    if (id !== each) flow.choose('staff', id)
  }
  return (
    <div class="basket" part="services">
      <ul>
        {items.map((item, at) => {
          const service = serviceOf(catalogue, item)
          const own = staffFor(catalogue, item)
          const ofItem = asked[at]
          return (
            service &&
            ofItem && (
              <li key={at}>
                <span class="basket-text">
                  <bdi class="option-name">{service.name}</bdi>
                  <span class="hint facts">
                    <TotalFacts {...props} totals={totalsOf(catalogue, [{ ...ofItem, isWith: false }])} />
                    {item.isWith && <span>{texts.sameTime}</span>}
                  </span>
                </span>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={fill(texts.remove, { name: service.name })}
                  onClick={() => flow.late?.changeItem(at)}
                >
                  <svg viewBox="0 0 20 20" aria-hidden="true">
                    <path d="M5 5l10 10M15 5L5 15" />
                  </svg>
                </button>
                <PartySize
                  {...props}
                  item={{ ...item, onParty: (people) => flow.late?.changeItem(at, { party: people }) }}
                />
                {showsEach && own.length > 1 && (
                  <Person
                    label={texts.stepStaff}
                    heard={`${service.name}: ${texts.stepStaff}`}
                    value={item.staffId ?? anyone}
                    options={[[anyone, texts.anyone], ...own.map(({ id, name }) => [id, name] as const)]}
                    onChoose={(id) => flow.late?.changeItem(at, { staffId: id })}
                  />
                )}
              </li>
            )
          )
        })}
      </ul>
      {wanted.size > 0 && (
        <Person
          label={texts.stepStaff}
          value={showsEach ? each : person}
          options={[
            [anyone, texts.anyone],
            ...people.map(({ id, name }) => [id, fill(texts.forAll, { name })] as const),
            [each, texts.forEach],
          ]}
          onChoose={choose}
        />
      )}
      <p class="facts basket-total">
        <span>{texts.total}</span>
        <TotalFacts {...props} totals={totalsOf(catalogue, asked)} />
      </p>
    </div>
  )
}

/** Renders a choice of people. */
function Person({
  label,
  heard,
  value,
  options,
  onChoose,
}: {
  label: string
  /** Label for screen readers if it differs. */
  heard?: string
  value: string
  options: (readonly [string, string])[]
  onChoose: (id: string) => void
}) {
  return (
    <label class="basket-person">
      <span class="hint">{label}</span>
      <select
        aria-label={heard ?? label}
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {options.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
