import { closest } from 'fastest-levenshtein'
import { isLine, isWebAddress } from '../contact-formats.ts'
import type { Context } from '../context.ts'
import type { BusinessesTable, HubsTable, PlanName } from '../database/tables.ts'
import { UsageError } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { isTimeZone } from '../instants.ts'
import { exists, insertMissing } from './write-queries.ts'

const longestName = 200

/** Makes a hub: a platform that acts for all its businesses. Throws a UsageError. */
export async function createHub(
  context: Context,
  input: { name: string; plan: PlanName },
): Promise<HubsTable> {
  const name = checkName(input.name)
  return context.db.transaction(async (tx) => {
    const hub: HubsTable = { id: context.ids.next(), name, plan: input.plan, created_at: tx.now }
    await insertMissing(tx.db, 'hubs', [hub])
    return hub
  })
}

/** What a business is made from. The brand is shown on the Enterprise plan only. */
export interface BusinessInput {
  name: string
  plan: PlanName
  timezone: string
  hubId?: string
  brandName?: string
  brandColor?: string
  brandLogoUrl?: string
}

/** Makes a business, alone or in a hub. Throws a UsageError that names what is wrong. */
export async function createBusiness(context: Context, input: BusinessInput): Promise<BusinessesTable> {
  const { plan, timezone, hubId } = input
  const parts = {
    hub_id: hubId?.toLowerCase() ?? null,
    name: checkName(input.name),
    plan,
    timezone: checkTimeZone(timezone),
    ...checkBrand(input),
  }
  return context.db.transaction(async (tx) => {
    if (parts.hub_id !== null && !(isUuid(parts.hub_id) && (await exists(tx.db, 'hubs', parts.hub_id)))) {
      throw new UsageError(`There is no hub with the id ${parts.hub_id}.`)
    }
    const business: BusinessesTable = { id: context.ids.next(), ...parts, created_at: tx.now }
    await insertMissing(tx.db, 'businesses', [business])
    return business
  })
}

function checkName(text: string): string {
  const name = text.trim().normalize('NFC')
  const length = Array.from(name).length // code points
  if (isLine(name) && length >= 1 && length <= longestName) return name
  throw new UsageError(`A name is one line of 1 to ${longestName} characters.`)
}

function checkTimeZone(name: string): string {
  if (isTimeZone(name)) return name
  const near = closest(name, Intl.supportedValuesOf('timeZone'))
  throw new UsageError(`There is no time zone "${name}"; did you mean ${near}? The form is Region/City.`)
}

function checkBrand({ brandName, brandColor, brandLogoUrl }: BusinessInput) {
  if (brandColor !== undefined && !/^#[0-9a-f]{6}$/i.test(brandColor)) {
    throw new UsageError('A brand colour has the form #1a2b3c.')
  }
  if (brandLogoUrl !== undefined && !isWebAddress(brandLogoUrl)) {
    throw new UsageError('The address of a brand logo begins with https:// or http://.')
  }
  return {
    brand_name: brandName === undefined ? null : checkName(brandName),
    brand_color: brandColor ?? null,
    brand_logo_url: brandLogoUrl ?? null,
  }
}
