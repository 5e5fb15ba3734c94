import type { Instant } from '../base/instants.ts'
import type { AccountCalendar } from '../database/tables.ts'
import type { Appointment } from '../mails/calendar.ts'
import type { BusyTime } from './busy-times.ts'

/* The interface to the server of a calendar account. Queue, pauses, notices and limits are the same for every kind. */

/** An event that Holdfast has written. */
export interface WrittenEvent {
  /** ID of the booking, or of the item of a visit. */
  item: string
  /** Address of its calendar. */
  calendar: string
  /** Entity tag; empty if nothing is known of it. */
  etag: string
  /** SHA-256 of what was written. */
  digest: string
  starts_at: Instant
  ends_at: Instant
  /** ID that the server gave it. Absent where its ID follows from `item`. */
  key?: string
  /** Digest of what a reading shows of it. Absent: its entity tag. */
  shown?: string
}

/** The result of a write, as stored. */
export type WriteResult = Pick<WrittenEvent, 'etag' | 'key' | 'shown'>

/** An event to write. */
export interface EventToWrite {
  item: string
  calendar: string
  appointment: Appointment
  /** Differs after each change of the booking. Equal for a repeated write. */
  changes: number
}

/** The span to read, in milliseconds since 1970-01-01T00:00:00Z, and the zone of all-day events. */
export interface Span {
  fromMs: number
  toMs: number
  timezone: string
}

/** All times of a calendar in a span. */
export interface CalendarReading {
  times: BusyTime[]
  /** Events that Holdfast may have written: their key (or item) with `shown` (or entity tag). */
  own: [key: string, shown: string][]
  /** Finds out next time whether anything has changed. Null: the server has no such thing. */
  state: string | null
}

/** The request for a channel by which a server reports changes. */
export interface ChannelRequest {
  /** The present channel. */
  known: ChannelKey | undefined
  /** ID for another channel. */
  freshId: string
  nowMs: number
  /** Returns the token that each report of a channel must have. */
  token: (id: string) => string
  /** Returns the address that gets the reports of a channel. */
  address: (id: string) => string
}

/** IDs of a channel: ours, and that of the server. */
export interface ChannelKey {
  id: string
  key: string
}

/** An open channel. */
export interface OpenChannel extends ChannelKey {
  untilMs: number
}

/** The server of an account. Its methods throw a FetchFailed, or the error of the connection (see `faultOf`). */
export interface CalendarServer {
  /** Reads a calendar. Returns undefined if nothing has changed since `state`. */
  read(calendar: string, span: Span, state: string | null): Promise<CalendarReading | undefined>
  /** Writes an event. Replaces what a lost answer or somebody else left there. */
  write(event: EventToWrite, known: WrittenEvent | undefined): Promise<WriteResult>
  /** Deletes an event, if it is there. */
  delete(event: WrittenEvent): Promise<void>
  /** Opens or renews a channel. Absent if the server reports no changes. */
  watch?(calendar: string, request: ChannelRequest): Promise<OpenChannel>
  /** Ends a channel, if it is open. */
  unwatch?(channel: ChannelKey): Promise<void>
}

/** An account that was found on connecting. */
export interface FoundAccount {
  /** Address of the list of its calendars. */
  address: string
  userName: string
  calendars: AccountCalendar[]
}

/** Calendars beyond that are not offered. */
export const maxCalendars = 50
/** Longer names are cut. */
export const maxName = 200
