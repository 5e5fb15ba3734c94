import { itemsOf, serviceOf, servicesToAdd, staffFor } from '../flow/choice-rules.ts'
import { totalsOf } from '../flow/item-rules.ts'
import { TotalFacts, useDescription } from './list-steps.tsx'
import type { View } from './view.ts'

/** Renders the chosen services above their times, and offers to add others. */
export function Offer(props: View) {
  const { later, state } = props
  return (
    <>
      {!state.choice.more?.length ? <Facts {...props} /> : later && <later.Basket {...props} />}
      <More {...props} />
    </>
  )
}

/**
 * Renders facts about the chosen service. Includes the names of options without an alternative, because no
 * step has shown them.
 */
function Facts(props: View) {
  const { catalogue, choice } = props.state
  const service = serviceOf(catalogue, choice)
  const [description, more] = useDescription(service?.description, props.language)
  if (!service) return null
  const names = [catalogue.services, staffFor(catalogue, choice)].map(
    (all) => all.length === 1 && all[0]?.name,
  )
  return (
    <>
      <p class="hint facts" part="facts">
        {names[0] && <bdi>{names[0]}</bdi>}
        <TotalFacts {...props} totals={totalsOf(catalogue, itemsOf(catalogue, choice, 1))} />
        {names[1] && <bdi>{names[1]}</bdi>}
      </p>
      {description}
      {more}
    </>
  )
}

/** Offers to add a service, and one for somebody who comes along. */
function More({ flow, state, language: { texts } }: View) {
  const offers = [false, true].filter(
    (isWith) => servicesToAdd(state.catalogue, state.choice, isWith).length > 0,
  )
  if (offers.length === 0) return null
  return (
    <p class="add">
      {offers.map((isWith) => (
        <button key={isWith} type="button" class="more" part="add" onClick={() => flow.askForMore(isWith)}>
          {isWith ? texts.addPerson : texts.addService}
        </button>
      ))}
    </p>
  )
}
