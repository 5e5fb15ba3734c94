import type { FieldError } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { instantFromMs } from '../../base/instants.ts'
import {
  choice,
  type Field,
  field,
  type FormState,
  hidden,
  linesOf,
  numberOf,
  numberText,
  radios,
  tick,
  ticked,
  tickedOf,
  ticks,
  type Typed,
} from '../../pages/form.ts'
import { wallFields } from './formats.ts'

/*
 * Forms as rows. Each row names an API field by its pointer, such as `client_fields.phone`. The pointer names
 * the input, locates the value in the body, and identifies the input's faults.
 */

export type Row<Pointer extends string = string> = readonly [
  pointer: Pointer,
  codec: Codec,
  label: string,
  hint?: string | undefined,
]

export type Rows<Shown> = readonly Row<PointerOf<Shown>>[]

/** The fields of an API object and its nested objects. */
type PointerOf<Shown> = {
  [Name in keyof Shown & string]: Name | `${Name}.${keyof Exclude<NonNullable<Shown[Name]>, Plain> & string}`
}[keyof Shown & string]

type Plain = string | number | boolean | readonly unknown[]

/** Converts input into a value of the API and back. */
export interface Codec {
  /** Returns undefined for a field that the body leaves out, such as one that the form lacks. */
  read: (typed: Typed, name: string) => unknown
  show: (value: unknown, name: string) => Typed
  input: (state: FormState, parts: LabelledField) => Html
  /**
   * Returns how many units of the API a typed unit has, such as 60 minutes an hour. The parts name a member
   * below the pointer.
   */
  factorOf?: (typed: Typed, parts: (string | undefined)[]) => number
  /** Returns the input for a fault below the pointer. */
  inputAt?: (parts: (string | undefined)[], typed: Typed, name: string) => string
}

type LabelledField = Pick<Field, 'name' | 'label' | 'hint' | 'focus'>

/** Returns a form's values from an API object. */
export function fillRows(rows: readonly Row[], shown: object): Typed {
  return Object.assign({}, ...rows.map(([name, { show }]) => show(valueAt(shown, name), name))) as Typed
}

function valueAt(shown: object, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((outer, part) => (outer as Members | null | undefined)?.[part], shown)
}

type Members = Record<string, unknown>

/** Returns the body for the API. A nested object is null if all its fields are. */
export function readRows(rows: readonly Row[], typed: Typed): Members {
  const body: Members = {}
  for (const [name, { read }] of rows) {
    const value = read(typed, name)
    const [member = '', part] = name.split('.')
    if (value === undefined) continue
    if (part === undefined) body[member] = value
    else if (value === null) body[member] ??= null
    else body[member] = { ...(body[member] as Members | null), [part]: value }
  }
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

/** Converts the numbers of faults to the units of the inputs: at most 8760 hours, not 525600 minutes. */
export function inTypedUnits(
  rows: readonly Row[],
  errors: readonly FieldError[],
  typed: Typed,
): FieldError[] {
  return errors.map((error) => {
    const row = rows.find(([name]) => `${error.pointer}/`.startsWith(`/${name.replaceAll('.', '/')}/`))
    const parts = error.pointer.split('/').slice(1 + (row?.[0].split('.').length ?? 0))
    const factor = row?.[1].factorOf?.(typed, parts) ?? 1
    if (factor === 1 || error.code !== 'out_of_range') return error
    return { ...error, detail: error.detail.replace(/\d+/, (given) => numberText(Number(given), factor)) }
  })
}

/** Returns a function that shows some of the fields, or all of them, in the order of the rows. */
export function fieldsOf<Pointer extends string>(
  rows: readonly Row<Pointer>[],
  state: FormState,
  { focus }: { focus?: string | undefined } = {},
): (...pointers: Pointer[]) => Html {
  return (...pointers) => {
    const shown = pointers.length === 0 ? rows : rows.filter(([name]) => pointers.includes(name))
    return html`${shown.map(([name, { input }, label, hint]) =>
      input(state, { name, label, hint, focus: focus === name }),
    )}`
  }
}

/** Returns true if one of the fields has a fault, such as those inside a closed section. */
export function areWrong({ faults }: FormState, pointers: readonly string[]): boolean {
  return Object.keys(faults).some((fault) => pointers.some((name) => `${fault}.`.startsWith(`${name}.`)))
}

type Look = Omit<Field, 'name' | 'label' | 'hint' | 'focus'>
type Options = (readonly [value: string, text: string])[]

interface Usual {
  /** The value without input. Undefined omits the field. */
  usual?: unknown
}

interface TextParts extends Look, Usual {
  /** A drop-down list. */
  options?: Options
  /** The same, with all options visible. */
  radios?: Options
  /** Converts input into the format of the API. */
  spell?: (text: string) => string
}

/** Returns the codec of a text; without input, null by default. */
export function optional(parts: TextParts = {}): Codec {
  const { usual, spell = String, options, radios: shown, ...look } = { usual: null, ...parts }
  return {
    read: (typed, name) => (name in typed ? spell(typed[name] ?? '') || usual : undefined),
    show: (value, name) => ({ [name]: (value ?? '') as string }),
    input: (state, labelled) => {
      const all = { ...look, ...labelled }
      if (shown) return radios(state, { ...all, options: shown })
      return options ? choice(state, { ...all, options }) : field(state, all)
    },
  }
}

/** Returns the codec of a text that may be empty. */
export function text(parts: TextParts = {}): Codec {
  return optional({ usual: '', ...parts })
}

/** Returns the codec of a time of day, or null. */
export function time(): Codec {
  return optional({ type: 'time' })
}

/** Returns the codec of the date on which a time begins, or before which it ends. Null without one. */
export function day(timezone: string, { isEnd = false } = {}): Codec {
  const shift = isEnd ? 1 : 0
  const startOf = (date: string) => {
    try {
      return Temporal.PlainDate.from(date)
        .add({ days: shift })
        .toZonedDateTime(timezone)
        .toInstant()
        .toString()
    } catch {
      return date // the API refuses it
    }
  }
  return {
    read: (typed, name) => (name in typed ? (typed[name] ? startOf(typed[name]) : null) : undefined),
    show: (value, name) => {
      if (typeof value !== 'string') return { [name]: '' }
      return { [name]: wallFields(instantFromMs(Date.parse(value) - shift), timezone).date }
    },
    input: (state, parts) => field(state, { ...parts, type: 'date' }),
  }
}

/** Returns the codec of a number, entered in units of `factor`; without input, null by default. */
export function number(parts: Look & Usual & { factor?: number } = {}): Codec {
  const { usual, factor = 1, ...look } = { usual: null, ...parts }
  return {
    read: (typed, name) => (name in typed ? (numberOf(typed[name], factor) ?? usual) : undefined),
    show: (value, name) => ({ [name]: numberText((value ?? null) as number | null, factor) }),
    input: (state, labelled) => field(state, { ...look, ...labelled, type: 'number' }),
    factorOf: () => factor,
  }
}

/** Returns the codec of a checkbox. A form without it leaves the field as it is. */
export function yesOrNo(): Codec {
  const shownName = (name: string) => `${name}.shown`
  return {
    read: (typed, name) => (shownName(name) in typed ? typed[name] === 'on' : undefined),
    show: (value, name) => (value === true ? { [name]: 'on' } : {}),
    input: (state, { name, label }) => html`${hidden({ [shownName(name)]: '1' })}${tick(state, name, label)}`,
  }
}

interface ListParts extends Look, Usual {
  between?: RegExp
  each?: (text: string) => unknown
}

/** Returns the codec of several values, by default one per line. An empty list without input. */
export function lines(parts: ListParts): Codec {
  const { between, each = String, usual, ...look } = { usual: [], ...parts }
  return {
    read: (typed, name) => {
      const list = linesOf(typed[name], between).map((one) => each(one))
      return list.length > 0 ? list : name in typed ? usual : undefined
    },
    show: (value, name) => ({ [name]: ((value ?? []) as unknown[]).join(look.rows ? '\n' : ', ') }),
    input: (state, labelled) => field(state, { ...look, ...labelled }),
  }
}

/** A checkbox of a form. */
export interface Offered {
  id: string
  name: string | Html
  active?: boolean
}

/**
 * Returns the codec of checkboxes. Fewer than `least` are hidden, and all of these ticked if `isOnlyTicked`.
 */
export function ids(all: readonly Offered[], { least = 1, isOnlyTicked = false } = {}): Codec {
  return {
    read: (typed, name) => ticked(typed, `${name}.`),
    show: (value, name) => tickedOf(`${name}.`, (value ?? []) as string[]),
    input: (state, { name, ...parts }) => {
      const isTicked = ({ id }: Offered) => state.typed[`${name}.${id}`] === 'on'
      const shown = all.filter((one) => one.active !== false || isTicked(one))
      if (shown.length >= least || state.faults[name] !== undefined) {
        const boxes = shown.map((one) => tick(state, `${name}.${one.id}`, html`<bdi>${one.name}</bdi>`))
        return boxes.length === 0 ? html`` : ticks(state, { ...parts, name, boxes })
      }
      const kept = shown.filter((one) => isOnlyTicked || isTicked(one)).map(({ id }) => id)
      return hidden(tickedOf(`${name}.`, kept))
    },
  }
}

/** Renders the fields of a long form in two columns if there is room. */
export function inColumns(left: Html, right: Html): Html {
  return html`<div class="columns">
    <div>${left}</div>
    <div>${right}</div>
  </div>`
}
