import { useId } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { Fault } from '../flow/draft.ts'
import type { Texts } from '../texts.ts'

const fieldErrorTexts: Record<Fault, keyof Texts> = {
  required: 'faultRequired',
  tick: 'faultTick',
  email: 'faultEmail',
  phone: 'faultPhone',
  coupon: 'faultCoupon',
  invalid: 'faultInvalid',
}

interface InputParts {
  label: string
  value: string
  fieldError?: Fault | undefined
  required?: boolean
  type?: string
  /** The `autocomplete` of the field. */
  complete?: string
  /** Maximum length. */
  max?: number
  /** Rows of a text area. */
  lines?: number
  texts: Texts
  onWrite: (value: string) => void
}

/** Renders a labelled text field. */
export function TextInput(parts: InputParts) {
  const {
    label,
    value,
    fieldError,
    required = false,
    type = 'text',
    complete,
    max,
    lines,
    texts,
    onWrite,
  } = parts
  const id = useId()
  const shared = {
    id,
    value,
    required,
    'aria-invalid': fieldError !== undefined,
    ...(fieldError !== undefined && { 'aria-describedby': `${id}-fault` }),
    ...(complete !== undefined && { autocomplete: complete as 'email' }),
    ...(max !== undefined && { maxLength: max }),
  }
  return (
    <Labelled id={id} label={label} required={required} fieldError={fieldError} texts={texts}>
      {lines === undefined ? (
        <input
          {...shared}
          type={type as 'text'}
          dir={type === 'email' || type === 'tel' || type === 'url' ? 'ltr' : 'auto'}
          part="input"
          onInput={(event) => onWrite(event.currentTarget.value)}
        />
      ) : (
        <textarea
          {...shared}
          rows={lines}
          dir="auto"
          part="input"
          onInput={(event) => onWrite(event.currentTarget.value)}
        />
      )}
    </Labelled>
  )
}

interface LabelledParts {
  id: string
  label: string
  required: boolean
  fieldError: Fault | undefined
  texts: Texts
  children: ComponentChildren
}

/** Renders a field with its label above and its error below. */
export function Labelled({ id, label, required, fieldError, texts, children }: LabelledParts) {
  return (
    <div class="field" part="field">
      <label for={id}>
        <bdi>{label}</bdi>
        {!required && <span class="hint"> ({texts.optional})</span>}
      </label>
      {children}
      <FaultText id={id} fieldError={fieldError} texts={texts} />
    </div>
  )
}

export function FaultText({
  id,
  fieldError,
  texts,
}: {
  id: string
  fieldError: Fault | undefined
  texts: Texts
}) {
  if (!fieldError) return null
  return (
    <p class="fault" id={`${id}-fault`}>
      {texts[fieldErrorTexts[fieldError]]}
    </p>
  )
}
