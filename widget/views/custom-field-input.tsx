import { useId } from 'preact/hooks'
import type { CustomField, FieldValue } from '../api/api-types.ts'
import type { Fault } from '../flow/draft.ts'
import type { Texts } from '../texts.ts'
import { FaultText, Labelled, TextInput } from './text-input.tsx'

interface CustomFieldParts {
  field: CustomField
  /** The terms of the business have a sentence of their own as label. */
  terms?: string
  label?: string
  value: FieldValue | undefined
  fieldError: Fault | undefined
  texts: Texts
  onWrite: (value: FieldValue) => void
}

const inputTypes: Partial<Record<CustomField['type'], string>> = {
  date: 'date',
  email: 'email',
  phone: 'tel',
  url: 'url',
}

/** Renders the input of a custom field. */
export function CustomFieldInput(parts: CustomFieldParts) {
  const { field, value, fieldError, texts, onWrite } = parts
  switch (field.type) {
    case 'boolean':
    case 'consent':
      return <Check {...parts} />
    case 'select':
      return <Select {...parts} />
    case 'multi_select':
      return <Checks {...parts} />
    case 'text':
    case 'textarea':
    case 'number':
    case 'date':
    case 'email':
    case 'phone':
    case 'url':
      return (
        <TextInput
          label={field.label}
          value={value === undefined ? '' : String(value)}
          fieldError={fieldError}
          required={field.required}
          type={inputTypes[field.type] ?? 'text'}
          {...(field.type === 'textarea' && { lines: 3 })}
          texts={texts}
          onWrite={onWrite}
        />
      )
  }
}

function Check({ field, terms, label, value, fieldError, texts, onWrite }: CustomFieldParts) {
  const id = useId()
  return (
    <div class="field" part="field">
      <label class="check">
        <input
          type="checkbox"
          checked={value === true}
          required={field.required}
          aria-invalid={fieldError !== undefined}
          {...(fieldError !== undefined && { 'aria-describedby': `${id}-fault` })}
          onChange={(event) => onWrite(event.currentTarget.checked)}
        />
        <bdi>
          {field.type === 'consent' && !label ? <Linked label={field.label} /> : (label ?? field.label)}
        </bdi>
      </label>
      {terms && (
        <details class="terms">
          <summary>{terms}</summary>
          <bdi>{field.label}</bdi>
        </details>
      )}
      <FaultText id={id} fieldError={fieldError} texts={texts} />
    </div>
  )
}

/** Renders a label with at most one link, `[text](https://…)`. */
function Linked({ label }: { label: string }) {
  const [, before, text, url, after] = /^(.*?)\[([^[\]]+)\]\((https:\/\/[^\s()]+)\)(.*)$/.exec(label) ?? []
  if (url === undefined) return <>{label}</>
  return (
    <>
      {before}
      <a href={url} target="_blank" rel="noopener noreferrer">
        {text}
      </a>
      {after}
    </>
  )
}

function Select({ field, value, fieldError, texts, onWrite }: CustomFieldParts) {
  const id = useId()
  return (
    <Labelled id={id} label={field.label} required={field.required} fieldError={fieldError} texts={texts}>
      <select
        id={id}
        part="input"
        required={field.required}
        aria-invalid={fieldError !== undefined}
        {...(fieldError !== undefined && { 'aria-describedby': `${id}-fault` })}
        onChange={(event) => onWrite(event.currentTarget.value)}
      >
        <option value="" selected={value === undefined || value === ''}>
          {texts.choose}
        </option>
        {(field.options ?? []).map((option) => (
          <option key={option} value={option} selected={option === value}>
            {option}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

function Checks({ field, value, fieldError, texts, onWrite }: CustomFieldParts) {
  const id = useId()
  const chosen = Array.isArray(value) ? value : []
  const options = field.options ?? []
  return (
    <fieldset
      class="field"
      part="field"
      {...(fieldError !== undefined && { 'aria-describedby': `${id}-fault` })}
    >
      <legend>
        <bdi>{field.label}</bdi>
        {!field.required && <span class="hint"> ({texts.optional})</span>}
      </legend>
      {options.map((option, index) => (
        <label class="check" key={option}>
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            {...(index === 0 && { 'aria-invalid': fieldError !== undefined })}
            onChange={({ currentTarget: { checked } }) =>
              onWrite(options.filter((one) => (one === option ? checked : chosen.includes(one))))
            }
          />
          <bdi>{option}</bdi>
        </label>
      ))}
      <FaultText id={id} fieldError={fieldError} texts={texts} />
    </fieldset>
  )
}
