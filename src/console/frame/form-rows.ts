import { html, type Html } from '../../base/html.ts'
import {
  choice,
  type Field,
  field,
  type FormState,
  hidden,
  numberOf,
  numberText,
  radios,
  tick,
  ticked,
  tickedOf,
  ticks,
  type Typed,
} from '../../pages/form.ts'

/*
 * A form as rows. Each names a field of the API by its pointer, such as `client_fields.phone`: so is the input called, there
 * the body of a request gets its value, and there a fault finds its input.
 */

export type Row<Pointer extends string = string> = readonly [
  pointer: Pointer,
  codec: Codec,
  label: string,
  hint?: string | undefined,
]

export type Rows<Shown> = readonly Row<PointerOf<Shown>>[]

/** The fields of an object of the API, and those of objects in it. */
type PointerOf<Shown> = {
  [Name in keyof Shown & string]: Name | `${Name}.${keyof Exclude<NonNullable<Shown[Name]>, Plain> & string}`
}[keyof Shown & string]

type Plain = string | number | boolean | readonly unknown[]

/** Reads a field of the API from what was typed, and shows it. */
export interface Codec {
  /** Returns undefined if the form lacks the field, which is then left out. */
  read: (typed: Typed, name: string) => unknown
  show: (value: unknown, name: string) => Typed
  input: (state: FormState, parts: LabelledField) => Html
  /** Names the input for a fault below the pointer. */
  inputAt?: (parts: (string | undefined)[], typed: Typed, name: string) => string
}

type LabelledField = Pick<Field, 'name' | 'label' | 'hint' | 'focus'>

/** Fills in the inputs from an object of the API. */
export function fillRows(rows: readonly Row[], shown: object): Typed {
  return Object.assign({}, ...rows.map(([name, { show }]) => show(valueAt(shown, name), name))) as Typed
}

function valueAt(shown: object, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((outer, part) => (outer as Members | null | undefined)?.[part], shown)
}

type Members = Record<string, unknown>

/** Returns the body for the API. An object in it without any value is null. */
export function readRows(rows: readonly Row[], typed: Typed): Members {
  const body: Members = {}
  for (const [name, { read }] of rows) {
    const value = read(typed, name)
    const [member = '', part] = name.split('.')
    if (value === undefined) continue
    body[member] = part === undefined ? value : { ...(body[member] as Members | undefined), [part]: value }
  }
  const nested = new Set(rows.flatMap(([name]) => (name.includes('.') ? [name.split('.', 1)[0] ?? ''] : [])))
  for (const member of nested)
    if (Object.values(body[member] ?? { some: true }).every((value) => value === '')) body[member] = null
  return body
}

/** Returns the input for a fault; an empty name if there is none. */
export function inputOfFault(rows: readonly Row[], pointer: string, typed: Typed): string {
  const path = pointer.split('/').slice(1)
  for (const [name, { inputAt }] of rows) {
    const own = name.split('.')
    if (own.every((part, index) => part === path[index]))
      return inputAt?.(path.slice(own.length), typed, name) ?? name
  }
  return rows.find(([name]) => name.startsWith(`${path.join('.')}.`))?.[0] ?? ''
}

/** Shows the fields with some pointers; without any, all. */
export function fieldsOf<Pointer extends string>(
  rows: readonly Row<Pointer>[],
  state: FormState,
  { focus }: { focus?: string | undefined } = {},
): (...pointers: Pointer[]) => Html {
  return (...pointers) => {
    const shown = pointers.length === 0 ? rows : pointers.map((one) => rows.find(([name]) => name === one))
    return html`${shown
      .filter((row) => row !== undefined)
      .map(([name, { input }, label, hint]) =>
        input(state, { ...{ name, label, focus: focus === name }, ...(hint !== undefined && { hint }) }),
      )}`
  }
}

/** Whether some of the fields have a fault, such as those behind a summary. */
export function areWrong({ faults }: FormState, pointers: readonly string[]): boolean {
  return Object.keys(faults).some((name) =>
    pointers.some((one) => name === one || name.startsWith(`${one}.`)),
  )
}

type Look = Omit<Field, 'name' | 'label' | 'hint' | 'focus'>
type Options = (readonly [value: string, text: string])[]
interface Choices {
  /** One of a few. */
  options?: Options
  /** The same, all in sight. */
  radios?: Options
  /** Brings what people type into the form of the API. */
  spell?: (text: string) => string
}

/** A text that is always given. */
export function text({ options, radios: shown, spell = String, ...look }: Look & Choices = {}): Codec {
  return {
    read: (typed, name) => (name in typed ? spell(typed[name] ?? '') : undefined),
    show: (value, name) => ({ [name]: (value ?? '') as string }),
    input: (state, parts) => {
      if (shown) return radios(state, { ...parts, options: shown })
      return options ? choice(state, { ...look, ...parts, options }) : field(state, { ...look, ...parts })
    },
  }
}

/** A text; `usual` if nothing is typed, by default null. */
export function optional(given: Look & Choices & Usual = {}): Codec {
  const { usual, spell = String, ...look } = { usual: null, ...given }
  return {
    ...text(look),
    read: (typed, name) => (name in typed ? spell(typed[name] ?? '') || usual : undefined),
  }
}

interface Usual {
  /** Undefined leaves the field out. */
  usual?: unknown
}

/** A number, in units of `factor`; `usual` if nothing is typed, by default null. */
export function number({ factor = 1, ...look }: Look & Usual & { factor?: number } = {}): Codec {
  const { usual, ...shown } = { usual: null, ...look }
  return {
    read: (typed, name) => (name in typed ? (numberOf(typed[name], factor) ?? usual) : undefined),
    show: (value, name) => ({ [name]: numberText((value ?? null) as number | null, factor) }),
    input: (state, parts) => field(state, { ...shown, ...parts, type: 'number' }),
  }
}

/** A time of day; empty if nothing is typed. */
export function time(): Codec {
  return text({ type: 'time' })
}

/** Texts that are not empty, one a line or with something else between them. */
export function lines(given: Look & ListParts): Codec {
  const { between = /\n/, each = String, usual, ...look } = { usual: [], ...given }
  const listOf = (typed: string) =>
    typed
      .split(between)
      .map((one) => one.trim())
      .filter((one) => one !== '')
  return {
    read: (typed, name) => {
      if (!(name in typed)) return undefined
      const list = listOf(typed[name] ?? '')
      return list.length === 0 ? usual : list.map((one) => each(one))
    },
    show: (value, name) => ({
      [name]: ((value ?? []) as unknown[]).join(look.rows === undefined ? ', ' : '\n'),
    }),
    input: (state, parts) => field(state, { ...look, ...parts }),
  }
}

interface ListParts extends Usual {
  between?: RegExp
  each?: (text: string) => unknown
}

/** What a form offers to tick. */
export interface Offered {
  id: string
  name: string | Html
  active?: boolean
}

/** Boxes to tick. Fewer than `least` are not shown; then `isOnlyTicked` ticks them. */
export function ids(all: readonly Offered[], { least = 1, isOnlyTicked = false } = {}): Codec {
  return {
    read: (typed, name) => ticked(typed, `${name}.`),
    show: (value, name) => tickedOf(`${name}.`, (value ?? []) as string[]),
    input: (state, { name, ...parts }) => {
      const isTicked = ({ id }: Offered) => state.typed[`${name}.${id}`] === 'on'
      const shown = all.filter((one) => one.active !== false || isTicked(one))
      if (shown.length < least && state.faults[name] === undefined)
        return hidden(
          tickedOf(
            `${name}.`,
            shown.filter((one) => isOnlyTicked || isTicked(one)).map(({ id }) => id),
          ),
        )
      if (shown.length === 0) return html``
      const boxes = shown.map((one) =>
        tick(
          state,
          `${name}.${one.id}`,
          typeof one.name === 'string' ? html`<bdi>${one.name}</bdi>` : one.name,
        ),
      )
      return ticks(state, { ...parts, name, boxes })
    },
  }
}
