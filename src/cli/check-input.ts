import type { Static, TSchema } from 'typebox'
import { Problem, UsageError, type Fault } from '../errors.ts'
import { compileCreation, compileSchema, faultsOf } from '../http/validation.ts'
import { normalise } from '../http/json-body.ts'

/** For the first member of a pointer, what the operator has written: an option such as --duration. */
export type OptionNames = Record<string, string>

/** A creation as the API would take it; an optional null counts as absent. Throws a UsageError with every fault. */
export function checkedCreation<T extends TSchema>(schema: T, value: unknown, names: OptionNames): Static<T> {
  return checked(compileCreation(schema), value, names) as Static<T> // it fits the schema
}

/** A change as the API would take it. Throws a UsageError with every fault. */
export function checkedChange<T extends TSchema>(schema: T, value: unknown, names: OptionNames): Static<T> {
  return checked(compileSchema(schema), value, names) as Static<T> // as above
}

function checked(validate: ReturnType<typeof compileCreation>, given: unknown, names: OptionNames): unknown {
  const value = normalise(given)
  if (validate(value)) return value
  throw faultyOptions(faultsOf(validate.errors ?? []), names)
}

/** The faults in the words of the command line. */
function faultyOptions(faults: Fault[], names: OptionNames): UsageError {
  return new UsageError(`${faults.map((fault) => `${optionOf(fault, names)} ${fault.detail}`).join('; ')}.`)
}

function optionOf({ pointer }: Fault, names: OptionNames): string {
  const [, member = '', index] = pointer.split('/')
  const name = names[member] ?? `--${member.replaceAll('_', '-')}`
  return index !== undefined && /^\d+$/.test(index) ? `${name} (number ${Number(index) + 1})` : name
}

/** What `work` gives; what the catalogue itself refuses is said in the words of the command line. */
export async function inOptions<T>(names: OptionNames, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && error.parts.errors) throw faultyOptions(error.parts.errors, names)
    throw error
  }
}
