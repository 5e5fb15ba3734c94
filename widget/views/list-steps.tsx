import type { ComponentChildren } from 'preact'
import type { Service } from '../api/api-types.ts'
import { anyone, locationsFor, serviceOf, staffFor, type ListStep } from '../flow/choice-rules.ts'
import { fill } from '../locales/texts.ts'
import type { View } from './view.ts'

/** An option: a service, location or staff member. */
export function ListSteps({ flow, state, language, formats, step }: View & { step: ListStep }) {
  const { catalogue, choice } = state
  const choose = (id: string) => () => flow.choose(step, id)
  if (step === 'service') {
    return (
      <ul class="options" part="options">
        {catalogue.services.map((service) => (
          <Option key={service.id} name={service.name} onChoose={choose(service.id)}>
            {service.description && <bdi class="hint description">{service.description}</bdi>}
            <span class="hint facts">
              <ServiceFacts service={service} language={language} formats={formats} />
            </span>
          </Option>
        ))}
      </ul>
    )
  }
  if (step === 'location') {
    return (
      <ul class="options" part="options">
        {locationsFor(catalogue, choice).map(({ id, name, address }) => (
          <Option key={id} name={name} onChoose={choose(id)}>
            {address && <bdi class="hint">{address}</bdi>}
          </Option>
        ))}
      </ul>
    )
  }
  return (
    <ul class="options" part="options">
      <Option key={anyone} name={language.texts.anyone} face="✳" onChoose={choose(anyone)}>
        <span class="hint">{language.texts.anyoneHint}</span>
      </Option>
      {staffFor(catalogue, choice).map(({ id, name }) => (
        <Option key={id} name={name} face={initialsOf(name)} onChoose={choose(id)} />
      ))}
    </ul>
  )
}

function ServiceFacts({
  service: { duration_minutes, price, deposit },
  language,
  formats,
}: Pick<View, 'language' | 'formats'> & { service: Service }) {
  return (
    <>
      <span>{formats.minutes(duration_minutes)}</span>
      {price && <span>{formats.money(price)}</span>}
      {deposit && <span>{fill(language.texts.deposit, { amount: formats.money(deposit) })}</span>}
    </>
  )
}

/** Of the chosen service, above its times; with the names of what was no choice, which no step has shown. */
export function Facts(props: View) {
  const { catalogue, choice } = props.state
  const service = serviceOf(catalogue, choice)
  if (!service) return null
  const names = [catalogue.services, staffFor(catalogue, choice)].map(
    (all) => all.length === 1 && all[0]?.name,
  )
  return (
    <p class="hint facts" part="facts">
      {names[0] && <bdi>{names[0]}</bdi>}
      <ServiceFacts {...props} service={service} />
      {names[1] && <bdi>{names[1]}</bdi>}
    </p>
  )
}

interface OptionParts {
  name: string
  /** An icon in place of a picture. */
  face?: string
  onChoose: () => void
  children?: ComponentChildren
}

function Option({ name, face, onChoose, children }: OptionParts) {
  return (
    <li>
      <button type="button" class="option" part="option" onClick={onChoose}>
        {face !== undefined && (
          <span class="face" aria-hidden="true">
            {face}
          </span>
        )}
        <span class="option-text">
          <bdi class="option-name">{name}</bdi>
          {children}
        </span>
        <svg class="chevron" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M6 3l5 5-5 5" />
        </svg>
      </button>
    </li>
  )
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean)
  const shown = [...words.slice(0, 1), ...words.slice(1).slice(-1)]
  // by code point, so that no character is split
  return shown
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 32))
    .join('')
    .toLocaleUpperCase()
}
