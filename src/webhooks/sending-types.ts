import type { Exchange } from './delivery-types.ts'

/** What the thread that sends has to know from the beginning. */
export interface SendingSettings {
  /** Of Holdfast, for `User-Agent`. */
  version: string
  /** A receiver has so long for the whole exchange. */
  timeoutMs: number
  /** Whether any address may be connected to: outside of production. */
  isUnguarded: boolean
  /** Beside public addresses, those in these ranges (CIDR) may be connected to. */
  allowedRanges: readonly string[]
}

/** A delivery as it is sent. */
export interface Parcel {
  /** By which it is told what came of it: cheaper to look up than an id, and to pass on. */
  number: number
  eventId: string
  body: string
  /** Whether it is of no event, for trying out. */
  isSample: boolean
}

/** What is to be sent to one webhook. */
export interface Consignment {
  webhookId: string
  url: string
  /** The one in force, and for a day after a rotation the one before. */
  secrets: string[]
  /** What has not begun after so many milliseconds is not sent: its lease may be another server's. */
  inTimeMs: number
  parcels: Parcel[]
}

/** What the thread is told: to send, to begin nothing more, or to end what is in flight too. */
export type ToThread =
  /** `nowMs` is the present, in milliseconds since 1970-01-01T00:00:00Z. */
  { type: 'send'; nowMs: number; consignments: Consignment[] } | { type: 'drain' } | { type: 'end' }

/** An attempt that was made. */
export interface Made extends Exchange {
  /** When it began, in milliseconds since 1970-01-01T00:00:00Z. */
  atMs: number
  tookMs: number
}

/** Something that the thread was given, and what came of it. */
export interface Returned {
  /** That of the parcel. */
  number: number
  /** Undefined when no attempt was made, or none to its end. */
  made: Made | undefined
  /** Why it could not be handled, which ought not to happen. */
  fault?: unknown
}
