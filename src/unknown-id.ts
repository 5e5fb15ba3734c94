import { closest, distance } from 'fastest-levenshtein'
import { UsageError } from './errors.ts'

/** Something that has an id, and what people call it. */
export interface Named {
  id: string
  name: string
}

/** So many wrong characters still leave an id recognisable. */
const mostSlips = 3
const shortestPrefix = 4
/** Of an id with fewer characters than this, too much is missing to compare it with others. */
const shortestComparable = 30

/**
 * A UsageError for an id that nothing has, with the one of the known ones that was probably meant. `noun` is the
 * word for people, and of the command that lists what there is; where there is none, `otherwise` helps instead.
 */
export function unknownId(
  noun: string,
  id: string,
  { known, otherwise = `"holdfast ${noun} list" shows them.` }: { known: Named[]; otherwise?: string },
): UsageError {
  const wanted = id.trim().toLowerCase()
  const near = known.find(({ name }) => name.toLowerCase() === wanted) ?? nearest(wanted, known)
  const hint = near ? `did you mean ${near.id} (${near.name})?` : otherwise
  return new UsageError(`There is no ${noun} with the id ${id}; ${hint}`)
}

/** What alone begins with the same characters, or what differs by a few slips. */
function nearest(wanted: string, known: Named[]): Named | undefined {
  const begins = known.filter(({ id }) => wanted.length >= shortestPrefix && id.startsWith(wanted))
  if (begins.length === 1) return begins[0]
  if (wanted.length < shortestComparable || known.length === 0) return undefined
  const ids = known.map(({ id }) => id)
  const near = closest(wanted, ids)
  return distance(wanted, near) <= mostSlips ? known.find(({ id }) => id === near) : undefined
}
