/* The order of services in lists. Services of a category stand together. */

export interface Ordered {
  id: string
  category: string | null
}

/** A service's new place: up or down by one, with its category or within it, or before another or last in it. */
export type Move =
  { id: string; to: 'up' | 'down'; withCategory: boolean } | { id: string; before: string | null }

/** Returns the services in their new order. A move that leads nowhere, such as up from the first, changes nothing. */
export function moved<One extends Ordered>(services: readonly One[], move: Move): One[] {
  const groups = Map.groupBy(services, ({ category }) => category)
    .values()
    .toArray()
  const group = groups.find((some) => some.some(({ id }) => id === move.id))
  if (!group) return groups.flat()
  const index = group.findIndex(({ id }) => id === move.id)
  if ('before' in move) {
    const [one] = group.splice(index, 1)
    const place = group.findIndex(({ id }) => id === move.before)
    if (one) group.splice(place === -1 ? group.length : place, 0, one)
  } else {
    const step = move.to === 'up' ? -1 : 1
    if (move.withCategory) swap(groups, groups.indexOf(group), step)
    else swap(group, index, step)
  }
  return groups.flat()
}

function swap(list: unknown[], index: number, step: 1 | -1): void {
  if (index + step < 0 || index + step >= list.length) return
  ;[list[index], list[index + step]] = [list[index + step], list[index]]
}
