/*
 * The slow, obvious search for a plan of a visit: tries every pause, person and room, and checks each plan cell by cell.
 * All times are whole cells of five minutes.
 */

/** Time that something cannot be used, or a claim of another client. Half-open, in cells. */
export interface Used {
  from: number
  to: number
}

export interface OracleClaim extends Used {
  seats: number
  occurrence: string
}

export interface Keeper {
  id: string
  /** Cells in which it is open and not blocked. */
  open: boolean[]
  claims: OracleClaim[]
}

export interface OracleRoom extends Keeper {
  quantity: number
}

export interface OracleStep {
  cells: number
  staffed: boolean
}

export interface OracleItem {
  serviceId: string
  /** Null: an unstaffed item, whose place has these claims. */
  staff: Keeper[] | null
  place: Keeper
  steps: (staffId: string | null) => OracleStep[]
  before: number
  after: number
  capacity: number
  party: number
  startsWith: boolean
  needs: { rooms: OracleRoom[]; quantity: number; isWhole: boolean }[]
}

export interface OracleWorld {
  items: OracleItem[]
  /** Cells in which the location is open and not blocked. */
  open: boolean[]
  maxPause: number
  bookings: Record<string, number>
}

export interface OraclePlace {
  from: number
  to: number
  person: Keeper | null
  rooms: OracleRoom[]
}

export interface OracleOptions {
  keepsHours: boolean
  /** True if more items follow: then no buffer is the last one. */
  isPart?: boolean
}

/** Returns the best plan from a start, or undefined. */
export function bestPlan(
  world: OracleWorld,
  start: number,
  options: OracleOptions,
): OraclePlace[] | undefined {
  const plans = allPlans(world, start, []).filter((plan) => isPossible(world, plan, options))
  const [best] = plans
    .map((plan) => ({ plan, rank: rankOf(world, plan, options) }))
    .sort((one, other) => compare(one.rank, other.rank))
  return best?.plan
}

/** Returns the IDs of all who could give an item of a plan, the rest of which stays. */
export function othersFor(
  world: OracleWorld,
  plan: OraclePlace[],
  { index, options }: { index: number; options: OracleOptions },
): string[] {
  const item = world.items[index]
  const place = plan[index]
  if (!item?.staff || !place) return []
  return item.staff
    .filter((person) =>
      productOf(item.needs.map(({ rooms }) => rooms)).some((rooms) => {
        const to = place.from + lengthOf(item.steps(person.id))
        const changed = plan.map((other, at) =>
          at === index ? { from: place.from, to, person, rooms } : other,
        )
        return keepsPauses(world, changed) && isPossible(world, changed, options)
      }),
    )
    .map(({ id }) => id)
}

function keepsPauses({ items, maxPause }: OracleWorld, plan: OraclePlace[]): boolean {
  return plan.every((place, index) => {
    if (index === 0 || items[index]?.startsWith) return true
    const pause = place.from - groupEnd(items, plan.slice(0, index))
    return pause >= 0 && pause <= maxPause
  })
}

function groupEnd(items: OracleItem[], plan: OraclePlace[]): number {
  let first = plan.length - 1
  while (first > 0 && items[first]?.startsWith) first -= 1
  return Math.max(...plan.slice(first).map(({ to }) => to))
}

/** Returns every choice of pauses, people and rooms, possible or not. */
function allPlans(world: OracleWorld, start: number, plan: OraclePlace[]): OraclePlace[][] {
  const { items, maxPause } = world
  const item = items[plan.length]
  if (!item) return [plan]
  const last = plan.at(-1)
  const end = last ? groupEnd(items, plan) : start
  const pauses = last && !item.startsWith ? Array.from({ length: maxPause + 1 }, (_, pause) => pause) : [0]
  const starts = last && item.startsWith ? [last.from] : pauses.map((pause) => end + pause)
  return starts.flatMap((from) =>
    (item.staff ?? [null]).flatMap((person) =>
      productOf(item.needs.map(({ rooms }) => rooms)).flatMap((rooms) => {
        const to = from + lengthOf(item.steps(person?.id ?? null))
        return allPlans(world, start, [...plan, { from, to, person, rooms }])
      }),
    ),
  )
}

function productOf<T>(lists: T[][]): T[][] {
  return lists.reduce<T[][]>(
    (some, list) => some.flatMap((one) => list.map((entry) => [...one, entry])),
    [[]],
  )
}

function lengthOf(steps: OracleStep[]): number {
  return steps.reduce((sum, { cells }) => sum + cells, 0)
}

function cellsOf({ from, to }: Used): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}

/** Returns the cells of an item with its person. */
function staffedCells(item: OracleItem, { from, person }: OraclePlace): number[] {
  let at = from
  return item.steps(person?.id ?? null).flatMap(({ cells, staffed }) => {
    const step = { from: at, to: (at += cells) }
    return staffed || !item.staff ? cellsOf(step) : []
  })
}

function isPossible(world: OracleWorld, plan: OraclePlace[], options: OracleOptions): boolean {
  const { items, open } = world
  const { keepsHours } = options
  const isOpenThen = plan.every((place) => cellsOf(place).every((cell) => open[cell]))
  if (keepsHours && !isOpenThen) return false
  const people = new Set(plan.flatMap(({ person }) => person ?? []))
  if (![...people].every((person) => isPersonFree(world, plan, { person, options }))) return false
  // each cell of each room and place: the seats of others and of this visit
  const uses = plan.flatMap((place, index) => {
    const item = items[index]
    if (!item) return []
    const ofNeeds = item.needs.map(({ quantity, isWhole }, need) => ({
      thing: place.rooms[need] as OracleRoom,
      cells: isWhole ? cellsOf(place) : staffedCells(item, place),
      seats: quantity,
      capacity: place.rooms[need]?.quantity ?? 0,
    }))
    const taken = cellsOf({ from: place.from - item.before, to: place.to + item.after })
    const ofPlace = { thing: item.place, cells: taken, seats: item.party, capacity: item.capacity }
    return item.staff ? ofNeeds : [...ofNeeds, ofPlace]
  })
  return uses.every(({ thing, cells, capacity }) =>
    cells.every((cell) => {
      const own = uses.filter((use) => use.thing.id === thing.id && use.cells.includes(cell))
      const theirs = thing.claims.filter(({ from, to }) => from <= cell && cell < to)
      const seats = [...own, ...theirs].reduce((sum, use) => sum + use.seats, 0)
      return seats <= capacity && (!keepsHours || (thing.open[cell] ?? true))
    }),
  )
}

function isPersonFree(
  world: OracleWorld,
  plan: OraclePlace[],
  { person, options: { keepsHours, isPart = false } }: { person: Keeper; options: OracleOptions },
): boolean {
  const own = servedBy(world, plan, person)
  const overlap = own.some((one) =>
    own.some((other) => one !== other && one.place.from < other.place.to && other.place.from < one.place.to),
  )
  if (overlap) return false
  if (keepsHours && !own.every(({ cells }) => cells.every((cell) => person.open[cell]))) return false
  const uses = personUses(world, plan, { person, isPart })
  return [...uses].every(
    ([
      cell,
      {
        item,
        place: { from },
      },
    ]) => {
      const theirs = person.claims.filter((claim) => claim.from <= cell && cell < claim.to)
      const isSame = theirs.every(({ occurrence }) => occurrence === `${item.serviceId} ${String(from)}`)
      // a shared appointment counts at its fullest cell, as its clients come together
      return isSame && theirs.reduce((sum, { seats }) => sum + seats, 0) + item.party <= item.capacity
    },
  )
}

interface Served {
  item: OracleItem
  place: OraclePlace
  /** With the person. */
  cells: number[]
}

function servedBy({ items }: OracleWorld, plan: OraclePlace[], person: Keeper): Served[] {
  return plan.flatMap((place, index) => {
    const item = items[index]
    return item && place.person === person ? [{ item, place, cells: staffedCells(item, place) }] : []
  })
}

/** Returns the item that takes each cell of a person, with buffers. */
function personUses(
  world: OracleWorld,
  plan: OraclePlace[],
  { person, isPart = false }: { person: Keeper; isPart?: boolean },
): Map<number, Served> {
  const own = servedBy(world, plan, person)
  const uses = new Map<number, Served>()
  for (const served of own) for (const cell of served.cells) uses.set(cell, served)
  // buffers fill what is left next to the items, that after an item first
  const isServing = (cell: number) => own.some(({ place }) => place.from <= cell && cell < place.to)
  const fill = (cell: number, step: number, served: Served, length: number) => {
    for (let at = cell, left = length; left > 0 && !isServing(at) && !uses.has(at); at += step, left -= 1) {
      uses.set(at, served)
    }
  }
  for (const served of own) {
    const isLast = own.every((other) => other.place.from <= served.place.from)
    if (!isPart || !isLast) fill(served.place.to, 1, served, served.item.after)
  }
  for (const served of own) fill(served.place.from - 1, -1, served, served.item.before)
  return uses
}

/** Time of one thing that a plan takes, in cells. */
export interface OracleUse extends Used {
  thing: Keeper
  /** The item's start for a person, who serves one appointment; undefined for a room or place. */
  start: number | undefined
  item: number
  seats: number
}

/** Returns all that a plan takes, each without a gap. */
export function usesOf(world: OracleWorld, plan: OraclePlace[]): OracleUse[] {
  return plan.flatMap((place, index) => {
    const item = world.items[index]
    if (!item) return []
    const { person } = place
    const ofPerson = person
      ? [...personUses(world, plan, { person })].filter(([, served]) => served.place === place)
      : []
    const staffed = ofPerson.map(([cell]) => cell)
    const taken = person ? staffed : cellsOf({ from: place.from - item.before, to: place.to + item.after })
    const start = person ? place.from : undefined
    const ofItem = { thing: person ?? item.place, start, item: index, seats: item.party }
    const ofNeeds = item.needs.flatMap(({ quantity: seats, isWhole }, need) => {
      const thing = place.rooms[need]
      const cells = isWhole ? cellsOf(place) : staffedCells(item, place)
      if (!thing) return []
      return runsOf(cells).map((run) => ({ ...run, thing, start: undefined, item: index, seats }))
    })
    return [...runsOf(taken).map((run) => ({ ...run, ...ofItem })), ...ofNeeds]
  })
}

function runsOf(cells: number[]): Used[] {
  const runs: Used[] = []
  for (const cell of cells.toSorted((one, other) => one - other)) {
    const last = runs.at(-1)
    if (last?.to === cell) last.to += 1
    else runs.push({ from: cell, to: cell + 1 })
  }
  return runs
}

/** Returns numbers and texts to compare in order: the lower, the better. */
function rankOf(
  { items, bookings }: OracleWorld,
  plan: OraclePlace[],
  { keepsHours }: OracleOptions,
): (number | string)[] {
  const pauses = plan.filter(
    ({ from }, index) =>
      index > 0 && !items[index]?.startsWith && from > groupEnd(items, plan.slice(0, index)),
  )
  const people = new Set(plan.flatMap(({ person }) => person ?? [])).size
  const ofItems = plan.flatMap((place, index) => {
    const { from, person, rooms } = place
    const item = items[index]
    const works = !person || !item || staffedCells(item, place).every((cell) => person.open[cell])
    const ofRooms = rooms.map((room, need) => item?.needs[need]?.rooms.indexOf(room) ?? 0)
    const { id = '' } = person ?? {}
    return [from, keepsHours || works ? 0 : 1, bookings[id] ?? 0, id, ...ofRooms]
  })
  return [pauses.length > 0 ? 1 : 0, people, ...ofItems]
}

function compare(one: (number | string)[], other: (number | string)[]): number {
  for (const [index, value] of one.entries()) {
    const theirs = other[index] ?? ''
    if (value !== theirs) return value < theirs ? -1 : 1
  }
  return 0
}
