import { networkErrors } from '../base/client-network.ts'
import { isLine, isPhone } from '../base/contact-formats.ts'
import { UsageError } from '../base/errors.ts'
import { timeZoneNamed } from '../base/instants.ts'
import { nearestTimeZone } from '../base/time-zone-names.ts'
import {
  colorErrors,
  logoUrlErrors,
  maxBookingsPerClient,
  leastOfferMinutes,
  maxGap,
  maxOfferMinutes,
  maxNetworks,
  maxRetentionDays,
} from '../catalogue/business-rules.ts'
import { readInteger } from './input.ts'
import { highestCatalogueLimit } from '../catalogue/limit-rules.ts'
import { slugErrors } from '../catalogue/slug-rules.ts'

/* Readers for the options of hubs and businesses. Each throws a UsageError that names the fix. */

const maxNameLength = 200
const highestLimit = 1_000_000

/** Returns a name of 1 to 200 code points, trimmed and NFC. */
export function readName(text: string): string {
  const name = text.trim().normalize('NFC')
  const length = Array.from(name).length // code points
  if (isLine(name) && length >= 1 && length <= maxNameLength) return name
  throw new UsageError(`A name is one line of 1 to ${maxNameLength} characters.`)
}

/** Returns an IANA time zone in the spelling of the tz database. */
export function readTimeZone(name: string): string {
  const zone = timeZoneNamed(name)
  if (zone !== undefined) return zone
  throw new UsageError(
    `There is no time zone "${name}"; did you mean ${nearestTimeZone(name)}? The form is Region/City.`,
  )
}

export function readColor(text: string): string {
  if (colorErrors(text).length === 0) return text
  throw new UsageError(`A brand colour has the form #1a2b3c; "${text}" is not valid.`)
}

export function readLogoUrl(text: string): string {
  if (logoUrlErrors(text).length === 0) return text
  throw new UsageError(
    `The URL of a brand logo begins with https:// or http:// and a host name; "${text}" is not valid.`,
  )
}

function readCount(text: string, most: number, wanted: string): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= most) return count
  throw new UsageError(`${wanted}; "${text}" is not valid.`)
}

export function readRequestLimit(text: string): number {
  return readCount(text, highestLimit, `A limit is a whole number of requests from 1 to ${highestLimit}`)
}

export function readCatalogueLimit(text: string): number {
  return readCount(
    text,
    highestCatalogueLimit,
    `A catalogue limit is a whole number from 1 to ${highestCatalogueLimit}, or "none" for the plan's limit`,
  )
}

/** Reads minutes from 0. Throws a UsageError. */
export function readGap(text: string): number {
  return readInteger(text, '--max-gap', [0, maxGap])
}

export function readOfferMinutes(text: string): number {
  return readInteger(text, '--offer-minutes', [leastOfferMinutes, maxOfferMinutes])
}

export function readBookingsPerClient(text: string): number {
  return readCount(
    text,
    maxBookingsPerClient,
    `Bookings per client are a whole number from 1 to ${maxBookingsPerClient}, or "none" for no limit`,
  )
}

export function readRetentionDays(text: string): number {
  return readCount(
    text,
    maxRetentionDays,
    `Retention is a whole number of days from 1 to ${maxRetentionDays}, or "none" to keep clients forever`,
  )
}

export function readPhone(text: string): string {
  if (text !== '' && isPhone(text)) return text
  throw new UsageError(
    `A phone number has at most 32 digits, spaces and + ( ) - . characters; "${text}" is not valid.`,
  )
}

export function readSlug(text: string): string {
  const [fault] = slugErrors(text)
  if (!fault) return text
  throw new UsageError(`A slug ${fault.detail}; "${text}" is not valid.`)
}

/** Reads comma-separated address ranges. */
export function readNetworks(text: string): string[] {
  const ranges = [...new Set(text.split(',').map((range) => range.trim()))]
  if (ranges.length > maxNetworks)
    throw new UsageError(`A business can trust at most ${maxNetworks} networks.`)
  for (const range of ranges) {
    const [fieldError] = networkErrors(range)
    if (fieldError) throw new UsageError(`A trusted network ${fieldError.detail}; "${range}" is not valid.`)
  }
  return ranges
}
