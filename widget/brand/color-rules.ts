/* Derives readable colours from any brand colour. Contrast as defined in WCAG 2.2 (section 1.4.3). */

type Rgb = [number, number, number]

/** Minimum for normal text (WCAG 2.2, level AA). */
export const minContrast = 4.5
/** Minimum between a button and its surroundings (WCAG 2.2, section 1.4.11). */
const minOutline = 3.05
/** Minimum for a visible tint. */
const minTint = 1.14
/** Target with a margin, so that rounding to 256 steps never falls below the minimum. */
const wantedContrast = 4.6

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]

/** Target in dark mode, where a button with minimum contrast looks disabled. */
const wantedByNight = 6.5

/** The colours of light or dark mode, as `#rrggbb`. */
export interface Shades {
  /** Background of buttons and selected days. */
  accent: string
  /** Their border: the same colour, or a stronger one if it would hardly be visible. */
  accentLine: string
  /** Text on buttons and selected days. */
  onAccent: string
  /** Text and icons in the brand colour, on the surface and on the tint. */
  accentText: string
  /** Faint tint behind free days. */
  tint: string
}

/** The background of the widget in light and dark mode. */
export const surfaces = { light: '#ffffff', dark: '#171b1f' }

/** Parses `#rrggbb`, and `rgb(r, g, b)` as computed by browsers. */
export function parseColor(text: string): Rgb | undefined {
  const hex = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text)
  const parts = hex ?? /^rgb\((\d+), (\d+), (\d+)\)$/.exec(text)
  return parts?.slice(1).map((part) => Number.parseInt(part, hex ? 16 : 10)) as Rgb | undefined // the patterns have three parts
}

function textOf(rgb: Rgb): string {
  return `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((part) => {
    const share = Math.round(part) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrastOf(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** Returns the contrast of two colours, from 1 to 21. */
export function contrast(one: string, other: string): number {
  return contrastOf(parseColor(one) ?? black, parseColor(other) ?? white)
}

function mixed(from: Rgb, to: Rgb, share: number): Rgb {
  return from.map((part, index) => part + ((to[index] ?? 0) - part) * share) as Rgb
}

/** Mixes a colour towards another until it has just enough contrast to all given colours. */
function readable(color: Rgb, towards: Rgb, against: Rgb[], enough = wantedContrast): Rgb {
  for (let step = 0; step < 100; step += 1) {
    const candidate = mixed(color, towards, step / 100)
    if (against.every((other) => contrastOf(candidate, other) >= enough)) return candidate
  }
  return towards
}

const maxTint = 0.3

/** Returns a faint tint of a colour on the surface. A pale colour needs a larger share, or a darker shade. */
function tintOf(color: Rgb, surface: Rgb, { from, away }: { from: number; away: Rgb }): Rgb {
  for (let share = from; share <= maxTint; share += 0.02) {
    const candidate = mixed(surface, color, share)
    if (contrastOf(candidate, surface) >= minTint) return candidate
  }
  return readable(mixed(surface, color, maxTint), away, [surface], minTint)
}

/** Returns the shades of a brand colour, or those of black for an invalid one. */
export function shadesOf(brandColor: string, appearance: keyof typeof surfaces): Shades {
  const color = parseColor(brandColor) ?? black
  const surface = parseColor(surfaces[appearance]) ?? white
  const away = appearance === 'light' ? black : white
  const tint = tintOf(color, surface, { from: appearance === 'light' ? 0.1 : 0.2, away })
  const onAccent = contrastOf(color, white) >= wantedContrast ? white : black
  const accent = contrastOf(color, onAccent) >= wantedContrast ? color : readable(color, black, [white])
  return {
    accent: textOf(accent),
    accentLine: textOf(readable(accent, away, [surface], minOutline)),
    onAccent: textOf(contrastOf(accent, onAccent) >= wantedContrast ? onAccent : white),
    accentText: textOf(
      readable(color, away, [surface, tint], appearance === 'dark' ? wantedByNight : wantedContrast),
    ),
    tint: textOf(tint),
  }
}
