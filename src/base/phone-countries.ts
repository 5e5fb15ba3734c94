/* Recognises the national and the international form of the same phone number. */

/** Calling codes by time zone, where national numbers begin with a 0 that international ones lack. */
const withZero = codes(`
  49 Europe/Berlin Europe/Busingen
  43 Europe/Vienna
  41 Europe/Zurich
  44 Europe/London Europe/Belfast Europe/Jersey Europe/Guernsey Europe/Isle_of_Man
  353 Europe/Dublin
  33 Europe/Paris
  31 Europe/Amsterdam
  32 Europe/Brussels
  46 Europe/Stockholm
  358 Europe/Helsinki Europe/Mariehamn
  421 Europe/Bratislava
  386 Europe/Ljubljana
  385 Europe/Zagreb
  381 Europe/Belgrade
  359 Europe/Sofia
  40 Europe/Bucharest
  380 Europe/Kyiv Europe/Kiev
  90 Europe/Istanbul
  972 Asia/Jerusalem
  971 Asia/Dubai
  91 Asia/Kolkata Asia/Calcutta
  81 Asia/Tokyo
  82 Asia/Seoul
  61 Australia/Sydney Australia/Melbourne Australia/Brisbane Australia/Perth Australia/Adelaide Australia/Hobart Australia/Darwin
  64 Pacific/Auckland
  27 Africa/Johannesburg
`)

/** Calling codes where international numbers only add the calling code in front. */
const withoutZero = codes(`
  34 Europe/Madrid Atlantic/Canary Africa/Ceuta
  39 Europe/Rome
  351 Europe/Lisbon Atlantic/Madeira Atlantic/Azores
  45 Europe/Copenhagen
  47 Europe/Oslo
  48 Europe/Warsaw
  420 Europe/Prague
  30 Europe/Athens
  352 Europe/Luxembourg
  356 Europe/Malta
`)

function codes(lines: string): Map<string, string> {
  const all = lines.trim().split('\n')
  return new Map(
    all.flatMap((line) => {
      const [code = '', ...zones] = line.trim().split(' ')
      return zones.map((zone) => [zone, code] as const)
    }),
  )
}

/**
 * Returns the digits of a phone number with its calling code, if known. A national number belongs to the country of the
 * time zone. If that country is not in these lists, the digits stay unchanged.
 */
export function wholeNumber(phone: string, timezone: string): string {
  const digits = phone.replaceAll(/\D/g, '')
  if (phone.trim().startsWith('+')) return phone.replace(/\(\s*0\s*\)/, '').replaceAll(/\D/g, '')
  const zeroCode = withZero.get(timezone)
  if (zeroCode !== undefined && /^0[1-9]/.test(digits)) return `${zeroCode}${digits.slice(1)}`
  const code = zeroCode ?? withoutZero.get(timezone)
  if (code === undefined) return digits
  if (digits.startsWith('00'))
    return phone
      .replace(/\(\s*0\s*\)/, '')
      .replaceAll(/\D/g, '')
      .slice(2)
  return zeroCode === undefined ? `${code}${digits}` : digits
}

/** Calling codes that time zones above lack, because national and international forms are not compared there. */
const northAmerica =
  /^(America\/(New_York|Detroit|Chicago|Denver|Phoenix|Los_Angeles|Anchorage|Boise|Indiana\/.+|Kentucky\/.+|Toronto|Vancouver|Montreal|Winnipeg|Edmonton|Halifax|Regina|St_Johns)|Pacific\/Honolulu|US\/.+|Canada\/.+)$/

/** Returns the calling code of a time zone's country. Undefined if it is not in these lists. */
export function callingCodeOf(timezone: string): string | undefined {
  return (
    withZero.get(timezone) ?? withoutZero.get(timezone) ?? (northAmerica.test(timezone) ? '1' : undefined)
  )
}

/**
 * Returns a number in the form of E.164, such as +4930123456. A national number belongs to the country of the time zone.
 * Undefined if that country is unknown or the number cannot be one.
 */
export function internationalNumber(phone: string, timezone: string): string | undefined {
  const code = callingCodeOf(timezone)
  const isWhole = phone.trim().startsWith('+')
  if (!isWhole && code === undefined) return undefined
  const digits = wholeNumber(phone, timezone)
  const isNational = !isWhole && code === '1' && digits.length === 10
  const number = isNational ? `1${digits}` : digits
  if (!isWhole && !number.startsWith(code ?? '')) return undefined
  return /^[1-9]\d{7,14}$/.test(number) ? `+${number}` : undefined
}

const codesKnown = ['1', ...new Set([...withZero.values(), ...withoutZero.values()])]

/**
 * Returns the digits that the national and the international form of a typed number share: `1705550001` for
 * `0170 5550001` and `+49 170 5550001`. Undefined for other texts and for fewer than five such digits.
 */
export function sharedDigits(text: string): string | undefined {
  if (!/^[0-9 +().-]+$/.test(text)) return undefined
  const digits = text.replace(/\(\s*0\s*\)/, '').replaceAll(/\D/g, '')
  const isWhole = text.trim().startsWith('+') || digits.startsWith('00')
  const whole = digits.replace(/^0+/, '')
  const code = isWhole ? codesKnown.find((known) => whole.startsWith(known)) : undefined
  const shared = code === undefined ? whole : whole.slice(code.length).replace(/^0/, '')
  return shared.length < 5 ? undefined : shared
}
