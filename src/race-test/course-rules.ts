import type { Course } from './race-types.ts'

/** How many ask at once. */
export const contenders = 16

/** How long each slot lasts, in minutes. */
export const slotMinutes = 30

/** How many staff members are made to choose from. */
export const staffCount = 4

interface CourseRule {
  name: string
  about: string
  capacity: number
  /** How many of the staff give it; 0 needs nobody. */
  staff: number
  /** When contenders want to begin, in turn, in minutes after the slot: what overlaps the first excludes it. */
  begins: number[]
  /** How many of the contenders have to get a place, no more and no fewer. */
  wins: number
}

/** What is raced for. */
export const courses: Record<Course, CourseRule> = {
  room: {
    name: 'one place',
    about: 'all for the same slot of a room',
    capacity: 1,
    staff: 0,
    begins: [0],
    wins: 1,
  },
  anybody: {
    name: 'any of the staff',
    about: `nobody named, ${staffCount} people free`,
    capacity: 1,
    staff: staffCount,
    begins: [0],
    wins: staffCount,
  },
  places: {
    name: 'several places',
    about: 'a room with 4 places, half of all a quarter of an hour later',
    capacity: 4,
    staff: 0,
    begins: [0, 15],
    wins: 4,
  },
  class: {
    name: 'a class',
    about: '3 seats with one person, half of all for a class that overlaps it',
    capacity: 3,
    staff: 1,
    begins: [0, 15],
    wins: 3,
  },
}

/** How many bookings are moved to one slot at once. */
export const movers = 6

/** How many holds are converted and wanted by others at the moment of their end. */
export const lapsing = 10

/** How many others want each of them. */
export const rivals = 2

/** A test that needs longer holds than this for the moment of their end does without it, in seconds. */
export const longestWaitSeconds = 20

const mostRounds = 20
/** To make what is raced for, to look at what is booked, and to take it away again, but for the bookings. */
const aroundRequests = 60
const lapsingRequests = lapsing * (3 + 2 * rivals)

/** The requests of one round, with those that cancel its bookings. */
export const roundRequests =
  Object.values(courses).reduce((sum, { wins }) => sum + contenders + 2 * wins, 0) + movers * 4

/** How many rounds the requests that a key may still make suffice for; 0: not for one. */
export function roundsFor(requestsLeft: number): number {
  const rounds = Math.floor((requestsLeft - aroundRequests - lapsingRequests) / roundRequests)
  return Math.max(0, Math.min(mostRounds, rounds))
}
