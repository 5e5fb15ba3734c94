import { describe, expect, test } from 'vitest'
import { barPlot } from '../../src/console/reports/numbers-plots.ts'
import { randomFrom } from '../support/random.ts'

const frame = { left: 40, right: 356, top: 16, bottom: 130 }

interface Drawn {
  x: number
  y: number
  width: number
  height: number
}

function drawn(plot: string): Drawn[] {
  const all = plot.matchAll(/<rect\s[^>]*x="([^"]+)"\s+y="([^"]+)"\s+width="([^"]+)"\s+height="([^"]+)"/g)
  return [...all].map(([, ...parts]) => {
    const [x = NaN, y = NaN, width = NaN, height = NaN] = parts.map(Number)
    return { x, y, width, height }
  })
}

function lines(plot: string): number[] {
  return [...plot.matchAll(/class="grid"[^>]* y1="([^"]+)"/g)].map(([, y]) => Number(y))
}

function plotOf(bars: readonly (readonly number[])[]): string {
  const looks = ['full', 'hatched', 'outline'] as const
  return barPlot(
    bars.map((values, index) => ({
      label: String(index),
      value: String(values.reduce((sum, value) => sum + value, 0)),
      parts: values.map((value, at) => ({ look: looks[at % 3] ?? 'full', value })),
    })),
    { title: 'Plot', axis: String },
  ).text
}

describe('bars of a plot', () => {
  test('below zero go downwards from the line of zero, with their value above it', () => {
    const plot = plotOf([[3_000], [-1_500], [0]])
    const [up, down, ...more] = drawn(plot)
    expect(more).toEqual([])
    const zero = (up?.y ?? 0) + (up?.height ?? 0)
    expect(down?.y).toBeCloseTo(zero, 2)
    expect(down?.height).toBeCloseTo((up?.height ?? 0) / 2, 1)
    expect(lines(plot).some((y) => Math.abs(y - zero) < 0.02)).toBe(true)
    expect(plot).toMatch(/class="value"[^>]*>-1500</)
    expect(plot).not.toMatch(/class="value"[^>]*>0</)
  })

  test('all below zero stay below the highest line', () => {
    const plot = plotOf([[-20], [-70]])
    expect(Math.min(...lines(plot))).toBe(frame.top)
    expect(Math.min(...drawn(plot).map(({ y }) => y))).toBe(frame.top)
  })

  test('lie within the frame and on top of each other, whatever their values', () => {
    const random = randomFrom(45)
    for (let round = 0; round < 300; round += 1) {
      const isBelow = random.chance(0.3)
      const bars = Array.from({ length: 1 + random.below(14) }, () =>
        isBelow
          ? [random.below(20_000) - 10_000]
          : Array.from(
              { length: 1 + random.below(3) },
              () => random.below(100_000) / (random.chance(0.5) ? 1 : 7),
            ),
      )
      const plot = plotOf(bars)
      for (const { x, y, width, height } of drawn(plot)) {
        expect(height).toBeGreaterThan(0)
        expect(x).toBeGreaterThanOrEqual(frame.left - 0.01)
        expect(x + width).toBeLessThanOrEqual(frame.right + 0.01)
        expect(y).toBeGreaterThanOrEqual(frame.top - 0.01)
        expect(y + height).toBeLessThanOrEqual(frame.bottom + 0.01)
      }
      const columns = Map.groupBy(drawn(plot), ({ x }) => x)
      for (const column of isBelow ? [] : columns.values())
        for (const [at, { y }] of column.slice(0, -1).entries()) {
          const above = column[at + 1]
          expect((above?.y ?? 0) + (above?.height ?? 0)).toBeCloseTo(y, 1)
        }
    }
  })
})
