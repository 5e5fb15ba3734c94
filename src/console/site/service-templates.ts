/* Usual services of trades. Their names and categories are in texts/console, in the group templates. */

/** A usual service: category, minutes or those of its steps, and a price in euros. */
export type Template = readonly [category: string, minutes: number | readonly number[], euros: number]

/** The person is free during the middle step of three. */
export const templates = {
  hair: {
    womensCut: ['cutting', 60, 55],
    mensCut: ['cutting', 30, 32],
    childrensCut: ['cutting', 30, 22],
    fringe: ['cutting', 15, 10],
    rootColor: ['color', [30, 35, 25], 65],
    fullColor: ['color', [45, 40, 35], 89],
    highlights: ['color', [60, 35, 45], 120],
    balayage: ['color', [90, 35, 55], 180],
    blowDry: ['styling', 30, 28],
    updo: ['styling', 60, 70],
  },
  barber: {
    cut: ['hair', 30, 30],
    fade: ['hair', 45, 35],
    buzz: ['hair', 20, 20],
    kids: ['hair', 30, 22],
    beardTrim: ['beard', 20, 18],
    shave: ['beard', 30, 28],
    both: ['hair', 45, 45],
  },
  nails: {
    manicure: ['hands', 30, 28],
    shellac: ['hands', 45, 38],
    newSet: ['hands', 120, 75],
    refill: ['hands', 90, 50],
    removal: ['hands', 30, 20],
    repair: ['hands', 15, 8],
    pedicure: ['feet', 45, 38],
    pedicureGel: ['feet', 60, 48],
  },
  massage: {
    back: ['massages', 30, 38],
    classic: ['massages', 60, 65],
    sports: ['massages', 60, 70],
    hotStone: ['massages', 75, 85],
    thai: ['massages', 90, 85],
    lymph: ['treatments', 45, 55],
    reflex: ['treatments', 45, 50],
  },
  physio: {
    first: ['therapy', 40, 60],
    exercise: ['therapy', 20, 30],
    manual: ['therapy', 20, 35],
    lymph: ['therapy', 45, 50],
    massage: ['therapy', 20, 25],
    equipment: ['training', 60, 50],
  },
  lessons: {
    trial: ['lessons', 30, 15],
    short: ['lessons', 30, 28],
    usual: ['lessons', 45, 38],
    long: ['lessons', 60, 48],
    pair: ['lessons', 60, 64],
    advice: ['other', 30, 0],
  },
} as const satisfies Record<string, Record<string, Template>>

export type Trade = keyof typeof templates

/** Roughly how many units of a currency buy what a euro buys in a salon. */
const levels: Record<string, number> = {
  ...{ EUR: 1, USD: 1.2, GBP: 0.9, CHF: 1.6, CAD: 1.5, AUD: 1.6, NZD: 1.7, SEK: 11, NOK: 12, DKK: 8 },
  ...{ PLN: 3, CZK: 16, HUF: 250, RON: 3, TRY: 20, JPY: 120, KRW: 1_000, SGD: 1.5, HKD: 8, INR: 15 },
  ...{ AED: 4, ILS: 4, ZAR: 8, MXN: 10, BRL: 3 },
}

/** Returns a round price in a currency to begin with. Undefined without a price, or for other currencies. */
export function usualPrice(euros: number, currency: string): number | undefined {
  const { [currency]: level } = levels
  if (level === undefined || euros === 0) return undefined
  if (level === 1) return euros
  const step = 5 * 10 ** Math.max(0, Math.floor(Math.log10(euros * level)) - 2)
  return Math.max(step, Math.round((euros * level) / step) * step)
}
