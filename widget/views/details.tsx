import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { itemsOf, itemsText, locationOf, servicesOf } from '../flow/choice-rules.ts'
import { strictestRules } from '../flow/change-rules.ts'
import { askedBy, faultsLeft, fieldName } from '../flow/draft-rules.ts'
import { feeSentence, feesField } from '../flow/fee-rules.ts'
import { totalsOf } from '../flow/item-rules.ts'
import { answerByMs } from '../flow/request-rules.ts'
import { fill } from '../texts.ts'
import { momentText } from '../times/moment.ts'
import { ContactFields } from './contact-fields.tsx'
import { CouponInput, depositBy, useCoupon } from './coupon.tsx'
import { CustomFieldInput } from './custom-field-input.tsx'
import { TextInput } from './text-input.tsx'
import { RepeatChoice } from './repetition.tsx'
import { SlotNotice } from './slot-notice.tsx'
import { Countdown, Summary } from './summary.tsx'
import type { View } from './view.ts'

/** Renders the form with the visitor's details and the custom fields. */
export function Details(props: View) {
  const { flow, state, language, formats } = props
  const { catalogue, choice, party, wanted, errors, busy, draft } = state
  const { texts } = language
  const services = servicesOf(catalogue, choice)
  const [service] = services
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    if (Object.keys(errors).length > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [errors])
  const judged = useMemo(() => draft, [errors])
  const faults = faultsLeft(errors, judged, draft)
  const items = itemsOf(catalogue, choice, party).map((item, at) => ({
    ...item,
    ...wanted?.items?.[at],
    staffId: wanted?.items?.[at]?.staffId ?? item.staffId,
    service: services[at]?.name ?? '',
    capacity: services[at]?.capacity ?? 1,
  }))
  const coupon = useCoupon(props, itemsText(items))
  if (!service || !wanted) return null
  const nameOf = (staffId: string | null | undefined) =>
    catalogue.staff.find(({ id }) => id === staffId)?.name
  const { price, isFrom, deposit: full, card } = totalsOf(catalogue, items)
  const takesCoupon = Boolean(state.business?.takes_coupons && price?.amount) && !state.repeat
  const checked = takesCoupon && !faults['coupon'] ? coupon.checked : undefined
  const deposit = depositBy(checked, full)
  const asked = askedBy(services, state.business)
  const location = locationOf(catalogue, choice)
  const answerBy = answerByMs(services, { startsAtMs: wanted.startsAtMs, nowMs: props.nowMs() })
  const isRequest = answerBy !== undefined
  const amount = deposit ? formats.money(deposit) : ''
  const agreed = feeSentence(catalogue, items, {
    texts,
    locale: language.locale,
    money: (money) => formats.money(money),
    reduced: checked?.price,
    ...{ paid: deposit, isLater: isRequest },
  })
  const savesCard = !deposit && card
  const submit = isRequest
    ? texts.submitRequest
    : deposit
      ? fill(texts.submitDeposit, { amount })
      : texts.submit
  const working = state.booking ? texts.toCheckout : isRequest ? texts.loading : texts.booking
  return (
    <div class="details">
      <aside class={`summary${state.held || busy ? '' : ' is-lost'}`} part="summary">
        <Summary
          {...props}
          appointment={{
            ...wanted,
            service: service.name,
            items: items.map(({ staffId, capacity, ...item }, at) => ({
              startsAtMs: wanted.startsAtMs,
              endsAtMs: wanted.endsAtMs,
              ...item,
              staff: nameOf(staffId),
              party: capacity > 1 ? (items[at]?.party ?? null) : null,
            })),
            price: checked?.price ?? price,
            discount: checked && { ...checked.discount, code: checked.code },
            isFrom,
            deposit: deposit && { ...deposit, status: 'wanted' },
            party: service.capacity > 1 ? party : null,
            location,
            staff: nameOf(items[0]?.staffId ?? choice.staffId),
            rules: strictestRules(services),
          }}
        />
        <Countdown {...props} />
        <button type="button" class="link" onClick={() => flow.goBack('time')}>
          {texts.chooseOther}
        </button>
      </aside>
      <form
        ref={form}
        noValidate
        part="form"
        onSubmit={(event) => {
          event.preventDefault()
          flow.write({
            fields: { ...draft.fields, [feesField]: agreed },
            ...(!takesCoupon && { coupon: '' }),
          })
          void flow.late?.submit()
        }}
      >
        <SlotNotice {...props} />
        <RepeatChoice {...props} />
        <ContactFields {...props} uses={asked.client_fields} faults={faults} />
        {asked.custom_fields.map((field) => (
          <CustomFieldInput
            key={field.id}
            field={field}
            {...(field.id === state.business?.id && { terms: texts.terms, label: texts.agreeTerms })}
            value={draft.fields[field.id]}
            fieldError={faults[fieldName(field.id)]}
            texts={texts}
            onWrite={(value) => flow.write({ fields: { ...draft.fields, [field.id]: value } })}
          />
        ))}
        <TextInput
          label={texts.notes}
          value={draft.notes}
          fieldError={faults['notes']}
          lines={3}
          max={1000}
          texts={texts}
          onWrite={(notes) => flow.write({ notes })}
        />
        {takesCoupon && <CouponInput {...props} coupon={coupon} fieldError={faults['coupon']} />}
        {Object.keys(faults).length > 0 && <p class="fault">{texts.faultsFound}</p>}
        {isRequest && (
          <p class="is-request">
            {fill(texts.isRequest, { time: momentText(formats, answerBy, state.zone) })}
            {deposit && ` ${fill(texts.depositLater, { amount })}`}
          </p>
        )}
        {(agreed || savesCard) && (
          <p class="is-request">
            {savesCard && `${texts.cardSaved} `}
            {agreed}
          </p>
        )}
        <button type="submit" class="primary" part="primary-button" aria-disabled={busy !== null}>
          {busy === 'booking' ? working : submit}
        </button>
      </form>
    </div>
  )
}
