import type { PlanName } from '../database/tables.ts'

interface Brand {
  brand_name: string | null
  brand_color: string | null
  brand_logo_url: string | null
}

/** What visitors see of a business: its brand on Enterprise only, and on all other plans that Holdfast serves it. */
export function shownBusiness<T extends Brand>(
  { brand_name, brand_color, brand_logo_url, ...rest }: T,
  plan: PlanName,
) {
  const whiteLabel = plan === 'enterprise'
  const brand: Brand = {
    brand_name: whiteLabel ? brand_name : null,
    brand_color: whiteLabel ? brand_color : null,
    brand_logo_url: whiteLabel ? brand_logo_url : null,
  }
  return {
    showBranding: Object.values(brand).every((value) => value === null),
    business: { ...rest, ...brand },
  }
}
