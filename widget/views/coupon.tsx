import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { CheckedCoupon, Money } from '../api/api-types.ts'
import { codeOf, Refused, Unreachable } from '../api/refusals.ts'
import type { Fault } from '../flow/draft.ts'
import { fill } from '../texts.ts'
import { priceText } from './price-text.ts'
import { Labelled } from './text-input.tsx'
import type { View } from './view.ts'

/** The coupon of the form: its effect once the API has confirmed it, and its refusal. */
export interface CouponState {
  checked: CheckedCoupon | undefined
  isRefused: boolean
  check: () => Promise<void>
}

/**
 * Asks the API for the effect of the entered code. `items` has the services as in a query. The answer is for this code
 * and these services only. An unreachable API leaves the decision to the booking.
 */
export function useCoupon({ flow, state }: Pick<View, 'flow' | 'state'>, items: string): CouponState {
  const code = (state.draft.coupon ?? '').trim()
  const asked = `${code} ${items}`
  const [answer, setAnswer] = useState<{ asked: string; coupon: CheckedCoupon | null }>()
  const asking = useRef('')
  const isCurrent = answer?.asked === asked
  const check = async () => {
    if (code === '' || isCurrent || asking.current === asked) return
    asking.current = asked
    const query = new URLSearchParams({ code, items })
    try {
      const { body } = await flow.options.connection.call<CheckedCoupon>('GET', `/coupons/check?${query}`)
      setAnswer({ asked, coupon: body })
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error
      if (codeOf(error) === 'validation_failed') setAnswer({ asked, coupon: null })
    }
    asking.current = ''
  }
  useEffect(() => void check(), [items])
  return {
    checked: (isCurrent && answer.coupon) || undefined,
    isRefused: isCurrent && answer.coupon === null,
    check,
  }
}

/** Returns a deposit with a coupon: at most the price that remains. Null if nothing remains. */
export function depositBy(coupon: CheckedCoupon | undefined, deposit: Money | null): Money | null {
  if (!coupon || !deposit) return deposit
  const amount = Math.min(deposit.amount, coupon.price.amount)
  return amount > 0 ? { ...deposit, amount } : null
}

/** Renders the field for a code, with the button that shows its effect. */
export function CouponInput({
  flow,
  state,
  language: { texts },
  formats,
  coupon: { checked, isRefused, check },
  fieldError,
}: View & { coupon: CouponState; fieldError: Fault | undefined }) {
  const id = useId()
  // leaving the field checks the code, so the button may change while it is pressed
  const pressed = useRef<boolean | undefined>(undefined)
  const { coupon = '' } = state.draft
  const fault = fieldError ?? (isRefused ? 'coupon' : undefined)
  const isJudged = Boolean(checked || fault) && coupon.trim() !== ''
  const isOpen = coupon.trim() !== '' && !isJudged
  return (
    <Labelled id={id} label={texts.coupon} required={false} fieldError={fault} texts={texts}>
      <div class="coupon">
        <input
          id={id}
          type="text"
          value={coupon}
          maxLength={40}
          autocomplete="off"
          autocapitalize="characters"
          dir="auto"
          part="input"
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-${fault ? 'fault' : 'effect'}`}
          onInput={(event) => flow.write({ coupon: event.currentTarget.value })}
          onChange={() => void check()}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !isOpen) return
            event.preventDefault() // the price comes before the booking
            void check()
          }}
        />
        <button
          type="button"
          class="secondary"
          part="secondary-button"
          aria-disabled={!isOpen && !isJudged}
          onPointerDown={() => (pressed.current = isJudged)}
          onClick={() => {
            const isRemoval = pressed.current ?? isJudged
            pressed.current = undefined
            if (isRemoval) flow.write({ coupon: '' })
            else void check()
          }}
        >
          {isJudged ? texts.removeCoupon : texts.applyCoupon}
        </button>
      </div>
      <p class="hint" id={`${id}-effect`} role="status">
        {checked && !fault && (
          <>
            {fill(texts.discount, { code: checked.code, amount: formats.money(checked.discount) })}
            {' · '}
            {fill(texts.newPrice, { amount: priceText(checked.price, { texts, formats }) })}
          </>
        )}
      </p>
    </Labelled>
  )
}
