/** A booking as far as a race is judged by it: as the API shows it. */
export interface BookingShown {
  id: string
  status: string
  starts_at: string
  ends_at: string
  service: { id: string; name: string }
  location: { id: string }
  staff: { id: string; name: string } | null
}

/** A kind of race, and what came of all its rounds. */
export interface RaceResult {
  race: string
  /** What was tried, in words. */
  tried: string
  /** What was seen, in words; why it was left out, when it was. */
  saw: string
  skipped: boolean
  /** Each broken promise, in words; none when all was as it has to be. */
  faults: string[]
}

/** What a whole race test has found. */
export interface RaceReport {
  rounds: number
  races: RaceResult[]
  requests: number
  seconds: number
  /** What was made for the test and could not be taken away again, in words. */
  leftovers: string[]
  /** How many bookings were cancelled again. */
  cancelled: number
}

/** The services that are made to race for, by what they are to show. */
export type Course = 'room' | 'anybody' | 'places' | 'class'

/** What was made for the test: nothing else is touched, and nothing real is in the way. */
export interface RaceGround {
  /** What all of it is called. */
  label: string
  locationId: string
  services: Record<Course, string>
  staffIds: string[]
}
