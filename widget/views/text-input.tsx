import { useId } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { Fault } from '../flow/draft-rules.ts'
import type { Texts } from '../locales/texts.ts'

const faultTexts: Record<Fault, keyof Texts> = {
  required: 'faultRequired',
  email: 'faultEmail',
  invalid: 'faultInvalid',
}

interface InputParts {
  label: string
  value: string
  fault?: Fault | undefined
  required?: boolean
  type?: string
  /** The `autocomplete` of the field. */
  complete?: string
  /** The most characters. */
  most?: number
  /** Lines of a longer text. */
  lines?: number
  texts: Texts
  onWrite: (value: string) => void
}

/** A labelled field for text. */
export function TextInput(parts: InputParts) {
  const {
    label,
    value,
    fault,
    required = false,
    type = 'text',
    complete,
    most,
    lines,
    texts,
    onWrite,
  } = parts
  const id = useId()
  const shared = {
    id,
    value,
    required,
    'aria-invalid': fault !== undefined,
    ...(fault !== undefined && { 'aria-describedby': `${id}-fault` }),
    ...(complete !== undefined && { autocomplete: complete as 'email' }),
    ...(most !== undefined && { maxLength: most }),
  }
  return (
    <Labelled id={id} label={label} required={required} fault={fault} texts={texts}>
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
  fault: Fault | undefined
  texts: Texts
  children: ComponentChildren
}

/** A field with its label above, and what is wrong with it below. */
export function Labelled({ id, label, required, fault, texts, children }: LabelledParts) {
  return (
    <div class="field" part="field">
      <label for={id}>
        <bdi>{label}</bdi>
        {!required && <span class="hint"> ({texts.optional})</span>}
      </label>
      {children}
      <FaultText id={id} fault={fault} texts={texts} />
    </div>
  )
}

export function FaultText({ id, fault, texts }: { id: string; fault: Fault | undefined; texts: Texts }) {
  if (!fault) return null
  return (
    <p class="fault" id={`${id}-fault`}>
      {texts[faultTexts[fault]]}
    </p>
  )
}
