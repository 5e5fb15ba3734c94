import { useLayoutEffect } from 'preact/hooks'
import type { Draft, Faults } from '../flow/draft.ts'
import { type Asked, textsField } from '../flow/draft-rules.ts'
import { remembersTexts } from '../flow/text-memory.ts'
import { TextInput } from './text-input.tsx'
import type { View } from './view.ts'

/** Languages that put the family name first. */
const startsWithFamily = /^ja\b/

interface ContactParts {
  uses: Asked['client_fields']
  faults: Faults
}

/** Renders the fields of the visitor's name and addresses, and the consent to text messages. */
export function ContactFields({ flow, state, language, uses, faults }: View & ContactParts) {
  const { draft, business } = state
  const { texts } = language
  const text = (
    name: Exclude<keyof Draft, 'fields' | 'coupon'>,
    options: Partial<Parameters<typeof TextInput>[0]> = {},
  ) => (
    <TextInput
      label={texts[name]}
      value={draft[name]}
      fieldError={faults[name]}
      texts={texts}
      onWrite={(value) => flow.write({ [name]: value })}
      {...options}
    />
  )
  const names = [
    text('firstName', { required: true, complete: 'given-name', max: 100 }),
    ...(uses.last_name === 'hidden'
      ? []
      : [text('lastName', { required: uses.last_name === 'required', complete: 'family-name', max: 100 })]),
  ]
  const hasPhone = uses.phone !== 'hidden'
  return (
    <>
      <div class="pair">{startsWithFamily.test(language.locale) ? names.reverse() : names}</div>
      {text('email', { required: true, complete: 'email', type: 'email', max: 254 })}
      {hasPhone &&
        text('phone', { required: uses.phone === 'required', complete: 'tel', type: 'tel', max: 32 })}
      {business?.sends_texts && draft.phone.trim() !== '' && hasPhone && (
        <TextConsent flow={flow} draft={draft} sentence={texts.textMessages} />
      )}
    </>
  )
}

/** Set while the tick is from the memory of this device, and not from the visitor. */
const rememberedField = 'texts-remembered'

/** Renders the consent to text messages. It is ticked for a visitor who agreed to it on this device before. */
function TextConsent({ flow, draft, sentence }: Pick<View, 'flow'> & { draft: Draft; sentence: string }) {
  const { [textsField]: agreed, [rememberedField]: isRemembered, ...others } = draft.fields
  const write = (own: Draft['fields'] = {}) => flow.write({ fields: { ...others, ...own } })
  useLayoutEffect(() => {
    const isKnown = remembersTexts(flow.options.checkout.publishableKey, draft.phone)
    if (isKnown && agreed === undefined) write({ [textsField]: sentence, [rememberedField]: true })
    else if (!isKnown && isRemembered) write()
  }, [draft.phone])
  return (
    <div class="field texts" part="field">
      <label class="check">
        <input
          type="checkbox"
          checked={Boolean(agreed)}
          onChange={({ currentTarget: { checked } }) => write({ [textsField]: checked ? sentence : '' })}
        />
        <bdi>{sentence}</bdi>
      </label>
    </div>
  )
}
