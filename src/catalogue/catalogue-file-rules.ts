import type { Fault } from '../errors.ts'

/** Something that has a name; in a file perhaps a key too. */
export interface Named {
  id: string
  name: string
  key?: string | undefined
}

/** An entry of a file as far as it says which thing it is. */
export interface Identity {
  id?: string
  key?: string
  name: string
}

/** The entries of a list of a file, each with the id of what it is, or a new one. */
export interface Matched {
  ids: string[]
  faults: Fault[]
}

/**
 * Which things the entries of a list are: those with their id, else the only one with their name that no entry names
 * by its id, else new ones. Importing a file twice therefore doubles nothing.
 */
export function matchEntries(
  entries: Identity[],
  { list, existing, nextId }: { list: string; existing: Named[]; nextId: () => string },
): Matched {
  const named = new Set(entries.flatMap(({ id }) => id ?? []))
  const free = existing.filter(({ id }) => !named.has(id))
  const faults: Fault[] = []
  const ids = entries.map((entry, index) => {
    if (entry.id !== undefined) return entry.id
    const pointer = `/${list}/${index}/name`
    if (entries.some((other, at) => at < index && other.id === undefined && other.name === entry.name)) {
      const detail = 'is given twice; ids tell two of the same name apart'
      faults.push({ pointer, code: 'repeated', detail })
    }
    const same = free.filter(({ name }) => name === entry.name)
    if (same.length > 1) {
      const detail = `is the name of ${same.length} that are there already; say by its id which one is meant`
      faults.push({ pointer, code: 'unknown_reference', detail })
    }
    return same[0]?.id ?? nextId()
  })
  return { ids, faults: [...faults, ...repeatedFaults(entries, list)] }
}

function repeatedFaults(entries: Identity[], list: string): Fault[] {
  return (['id', 'key'] as const).flatMap((member) =>
    entries.flatMap((entry, index) => {
      const value = entry[member]
      if (value === undefined || entries.findIndex((other) => other[member] === value) === index) return []
      const pointer = `/${list}/${index}/${member}`
      return [{ pointer, code: 'repeated', detail: 'is given twice' }]
    }),
  )
}

/** All that a reference of a file can mean: the entries of the file, and what is there besides. */
export function namesOf(entries: Identity[], ids: string[], existing: Named[]): Named[] {
  const inFile = entries.map(({ key, name }, index): Named => ({ id: ids[index] ?? '', key, name }))
  return [...inFile, ...existing.filter(({ id }) => !ids.includes(id))]
}

/** The ids that references mean: by id, else by key, else by name; with a fault for each that means none, or several. */
export function resolveReferences(
  references: string[],
  { pointer, noun, known }: { pointer: string; noun: string; known: Named[] },
): { ids: string[]; faults: Fault[] } {
  const faults: Fault[] = []
  const ids = references.flatMap((reference, index) => {
    const found = meant(reference, known)
    if (found.length === 1) return found.map(({ id }) => id)
    const detail =
      found.length === 0
        ? `"${reference}" is no ${noun}${known.length === 0 ? '' : `; there are: ${someNames(known)}`}`
        : `"${reference}" can be ${found.length} of them; name the ${noun} by a key or its id`
    const place = `${pointer}/${index}`
    faults.push({ pointer: place, code: 'unknown_reference', detail })
    return []
  })
  return { ids: [...new Set(ids)].toSorted(), faults }
}

function meant(reference: string, known: Named[]): Named[] {
  const ways = [
    (one: Named) => one.id === reference.toLowerCase(),
    (one: Named) => one.key === reference,
    (one: Named) => one.name === reference,
  ]
  for (const way of ways) {
    const found = known.filter(way)
    if (found.length > 0) return found
  }
  return []
}

const mostNames = 10

function someNames(known: Named[]): string {
  const names = known.slice(0, mostNames).map(({ name }) => name)
  return known.length > mostNames ? `${names.join(', ')} …` : names.join(', ')
}
