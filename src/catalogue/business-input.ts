import { isLine } from '../contact-formats.ts'
import { UsageError } from '../errors.ts'
import { networkFaults } from '../access/trusted-networks.ts'
import { timeZoneNamed } from '../instants.ts'
import { colorFaults, logoUrlFaults, mostBookingsPerClient, mostNetworks } from './business-rules.ts'
import { nearestTimeZone } from './time-zone-names.ts'

/* Checks of what operators say of hubs and businesses. Each throws a UsageError that names the fix. */

const longestName = 200
/** More than any server can answer. */
const highestLimit = 1_000_000

/** A name of 1 to 200 code points, trimmed and NFC. */
export function checkName(text: string): string {
  const name = text.trim().normalize('NFC')
  const length = Array.from(name).length // code points
  if (isLine(name) && length >= 1 && length <= longestName) return name
  throw new UsageError(`A name is one line of 1 to ${longestName} characters.`)
}

/** An IANA time zone that the runtime knows, as the tz database spells it. */
export function checkTimeZone(name: string): string {
  const zone = timeZoneNamed(name)
  if (zone !== undefined) return zone
  throw new UsageError(
    `There is no time zone "${name}"; did you mean ${nearestTimeZone(name)}? The form is Region/City.`,
  )
}

/** A colour such as #1a2b3c. */
export function checkColor(text: string): string {
  if (colorFaults(text).length === 0) return text
  throw new UsageError(`A brand colour has the form #1a2b3c; "${text}" is none.`)
}

/** An http or https address of a host. */
export function checkLogoUrl(text: string): string {
  if (logoUrlFaults(text).length === 0) return text
  throw new UsageError(
    `The address of a brand logo begins with https:// or http:// and a host's name; "${text}" is none.`,
  )
}

/** A number of requests that a key may make. */
export function checkRequestLimit(text: string): number {
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= highestLimit) return limit
  throw new UsageError(`A limit is a whole number of requests from 1 to ${highestLimit}; "${text}" is none.`)
}

/** A number of bookings ahead that sessions may make for one client. */
export function checkBookingsPerClient(text: string): number {
  const most = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (most >= 1 && most <= mostBookingsPerClient) return most
  throw new UsageError(
    `Bookings for one client are a whole number from 1 to ${mostBookingsPerClient}, or "none" for any number; "${text}" is none.`,
  )
}

/** Address ranges with commas between, as they are kept. */
export function checkNetworks(text: string): string {
  const ranges = [...new Set(text.split(',').map((range) => range.trim()))]
  if (ranges.length > mostNetworks)
    throw new UsageError(`A business trusts at most ${mostNetworks} networks.`)
  for (const range of ranges) {
    const [fault] = networkFaults(range)
    if (fault) throw new UsageError(`A trusted network ${fault.detail}; "${range}" is none.`)
  }
  return JSON.stringify(ranges)
}
