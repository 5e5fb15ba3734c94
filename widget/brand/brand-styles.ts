import { parseColor, shadesOf, type Shades } from './color-rules.ts'

const ownColor = '#1f6f5c'

/** Returns the colours of a brand as custom properties, for light and dark mode. */
export function brandStyles(brandColor: string | null): string {
  const color = brandColor !== null && parseColor(brandColor) ? brandColor : ownColor
  const [light, dark] = [shadesOf(color, 'light'), shadesOf(color, 'dark')]
  const property = (name: string, part: keyof Shades) =>
    `--brand-${name}: light-dark(${light[part]}, ${dark[part]});`
  return `:host { ${property('accent', 'accent')} ${property('accent-line', 'accentLine')} ${property('on-accent', 'onAccent')} ${property('accent-text', 'accentText')} ${property('tint', 'tint')} }`
}
