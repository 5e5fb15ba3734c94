import { describe, expect, test } from 'vitest'
import { brandStyles } from '../../widget/brand/brand-styles.ts'
import { contrast, minContrast, shadesOf, surfaces } from '../../widget/brand/color-rules.ts'
import { randomFrom } from '../support/random.ts'

describe('contrast', () => {
  test('is that of WCAG', () => {
    expect(contrast('#000000', '#ffffff')).toBe(21)
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
    expect(contrast('#ffffff', 'rgb(255, 255, 255)')).toBe(1)
  })
})

describe('a brand colour', () => {
  const random = randomFrom(8)
  const part = () => random.below(256).toString(16).padStart(2, '0')
  const colors = [
    ...['#ffffff', '#000000', '#ffff00', '#777777', '#1f6f5c', '#0000ff', '#e5c100', '#767676'],
    ...Array.from({ length: 200 }, () => `#${part()}${part()}${part()}`),
  ]

  test.each(['light', 'dark'] as const)(
    'can be read in all that the widget makes of it (%s)',
    (appearance) => {
      for (const color of colors) {
        const { accent, accentLine, onAccent, accentText, tint } = shadesOf(color, appearance)
        const pairs = {
          onAccent: [onAccent, accent],
          text: [accentText, surfaces[appearance]],
          tint: [accentText, tint],
        }
        for (const [name, [one = '', other = '']] of Object.entries(pairs)) {
          expect({ color, name, enough: contrast(one, other) >= minContrast }).toEqual({
            color,
            name,
            enough: true,
          })
        }
        // a button is recognisable (WCAG 2.2, section 1.4.11), and a free day is distinguishable from the others
        const seen = [contrast(accentLine, surfaces[appearance]) >= 3, tint !== surfaces[appearance]]
        expect({ color, seen }).toEqual({ color, seen: [true, true] })
      }
    },
  )

  test('is that of buttons, however pale, with a line around them that is seen', () => {
    const { accent, accentLine, onAccent } = shadesOf('#ffe08a', 'light')
    expect({ accent, onAccent }).toEqual({ accent: '#ffe08a', onAccent: '#000000' })
    expect(accentLine).not.toBe(accent)
  })

  test('that can be read as it is stays as it is', () => {
    expect(shadesOf('#1f6f5c', 'light')).toMatchObject({
      accent: '#1f6f5c',
      accentLine: '#1f6f5c',
      accentText: '#1f6f5c',
      onAccent: '#ffffff',
    })
  })

  test('that is none does no harm', () => {
    expect(brandStyles('red; } * { display: none')).toBe(brandStyles(null))
    expect(brandStyles('#12345')).toBe(brandStyles(null))
  })
})
