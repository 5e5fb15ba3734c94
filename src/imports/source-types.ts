import type { Instant } from '../base/instants.ts'
import type { ServiceEntry, StaffEntry } from '../catalogue/catalogue-file-schemas.ts'

/*
 * A business in another system, in the terms of Holdfast. Each reader makes one of these; `import.ts` plans and applies
 * it. Keys are the IDs of the source. Parts refer to each other by key.
 */

interface SourceLocation {
  key: string
  name: string
  timezone: string
}

interface SourcePerson {
  key: string
  /** Fields as in a file for import, without references. */
  entry: Omit<StaffEntry, 'id' | 'key' | 'locations'>
  /** Keys of locations. */
  locations: string[]
}

interface SourceService {
  key: string
  entry: Omit<ServiceEntry, 'id' | 'key' | 'locations' | 'staff'>
  /** Keys. */
  locations: string[]
  staff: string[]
}

/** Texts as the source has them. Empty: none. */
export interface SourceClient {
  key: string
  first_name: string
  last_name: string
  email: string
  phone: string
  notes: string
  locale: string
  time_zone: string
}

export interface SourceBooking {
  key: string
  /** Its row in a file, which names it for people instead of the key. */
  row?: number
  service: string
  /** Undefined: that of the person or service. */
  location: string | undefined
  /** Undefined: a service without staff. */
  staff: string | undefined
  client: string
  starts_at: Instant
  ends_at: Instant
  party_size: number
  state: 'booked' | 'cancelled' | 'no_show'
  notes: string
  /** Undefined: unknown. */
  created_at: Instant | undefined
}

/** A time at which a person, or a whole location, is away. */
interface SourceBlock {
  key: string
  staff: string | undefined
  location: string | undefined
  starts_at: Instant
  ends_at: Instant
  reason: string
}

/** Something that is not imported, or not as it was. */
export interface ImportRemark {
  /** Names the thing for people, such as "appointment 17". */
  what: string
  /** Its row in a file. */
  row?: number | undefined
  /** Set for remarks that a page says in another language. */
  code?: 'differs' | 'needs_more' | undefined
  detail: string
  /** True if it is left out. */
  isLeftOut: boolean
}

export interface Source {
  /** Part of the IDs that an import gives. */
  system: 'easyappointments' | 'calcom' | 'calendly' | 'csv'
  /** The word of the source for its bookings. */
  noun: string
  locations: SourceLocation[]
  people: SourcePerson[]
  services: SourceService[]
  clients: SourceClient[]
  bookings: SourceBooking[]
  blocks: SourceBlock[]
  remarks: ImportRemark[]
}
