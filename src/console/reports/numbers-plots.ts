import { html, type Html } from '../../base/html.ts'

/*
 * Plots for reports, as SVG without a script. A table repeats their content, and colours are never the only
 * distinction.
 */

/** A part of a bar: filled, half as strong, hatched or an outline. */
type PlotLook = 'full' | 'half' | 'hatched' | 'outline'

/** A bar, with its parts from the bottom up. */
interface PlotBar {
  /** Text below it. */
  label: string
  /** Text on top of it. */
  value?: string
  /** The same for narrow bars. */
  short?: string
  parts: { look: PlotLook; value: number }[]
}

const size = { width: 360, height: 150 }
const inner = { left: 40, right: 356, top: 16, bottom: 130 }
/** Width of a character, at most. */
const characterWidth = 6
const maxLabels = 7
/** Maximum number of bars with their value on top. */
const maxValues = 10
/** Room of a text on top of a bar, in which three characters fit at any number of bars. */
const minValueRoom = 4 * characterWidth
/** Maximum width of a bar, because a single one would look like a wall. */
const maxBarWidth = 36

/**
 * Renders bars next to each other, those below zero downwards. `top` is the highest value of the axis, by default a
 * round one above all bars.
 */
export function barPlot(
  bars: readonly PlotBar[],
  { title, axis, top }: { title: string; axis: (value: number) => string; top?: number },
): Html {
  const lines = axisLines(bars.map(sumOf), top)
  const [min = 0, max = 1] = [lines[0], lines.at(-1)]
  const y = (value: number) =>
    rounded(inner.bottom - ((value - min) / (max - min)) * (inner.bottom - inner.top))
  const left = Math.max(inner.left, widest(lines.map(axis)) + 4)
  const step = (inner.right - left) / Math.max(bars.length, 1)
  const width = Math.min(step * 0.7, maxBarWidth)
  const every = Math.ceil(bars.length / maxLabels)
  const values = fitting(bars, step)
  return html`<svg class="plot" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${title}">
    ${hatch}
    ${lines.map(
      (value) =>
        html`<line class="grid" x1="${left}" x2="${inner.right}" y1="${y(value)}" y2="${y(value)}" />
          <text x="${left - 4}" y="${y(value) + 3}" text-anchor="end">${axis(value)}</text>`,
    )}
    ${bars.map((bar, index) => {
      const { label, parts } = bar
      const value = values[index]
      const middle = left + step * (index + 0.5)
      const sum = sumOf(bar)
      return html`${stacked(parts).map(({ look, from, to }) =>
        partOf(look, {
          x: rounded(middle - width / 2),
          y: Math.min(y(from), y(to)),
          width: rounded(width),
          height: rounded(Math.abs(y(from) - y(to))),
        }),
      )}
      ${
        value !== undefined && sum !== 0
          ? html`<text
              class="value"
              x="${rounded(middle)}"
              y="${y(Math.max(sum, 0)) - 4}"
              text-anchor="middle"
              >${value}</text
            >`
          : ''
      }
      ${
        index % every === 0
          ? html`<text x="${rounded(middle)}" y="${inner.bottom + 14}" text-anchor="middle">${label}</text>`
          : ''
      }`
    })}
  </svg>`
}

function sumOf({ parts }: PlotBar): number {
  return parts.reduce((sum, { value }) => sum + value, 0)
}

/** Returns the values of the lines of the axis, the lowest first. Zero is always one of them. */
function axisLines(sums: readonly number[], top: number | undefined): number[] {
  const [lowest, highest] = [Math.min(...sums, 0), Math.max(...sums, 0)]
  if (top !== undefined) return [0, Math.max(top, highest) / 2, Math.max(top, highest)]
  const step = roundAbove(Math.max(highest, -lowest)) / 2
  const below = Math.ceil(-lowest / step)
  const above = below === 0 ? 2 : Math.ceil(highest / step)
  return Array.from({ length: below + above + 1 }, (_, at) => (at - below) * step)
}

/** Returns the texts on top of the bars: the long ones, the short ones or none, so that they do not overlap. */
function fitting(bars: readonly PlotBar[], step: number): (string | undefined)[] {
  if (bars.length > maxValues) return []
  const long = bars.map(({ value }) => value)
  const short = bars.map(({ value, short: text = value }) => text)
  return [long, short].find((texts) => widest(texts) <= Math.max(step, minValueRoom)) ?? []
}

function widest(texts: readonly (string | undefined)[]): number {
  return Math.max(0, ...texts.map((text) => (text ?? '').length)) * characterWidth
}

/** Renders the meaning of each fill, with a swatch. */
export function plotLegend(entries: readonly (readonly [look: PlotLook, text: string])[]): Html {
  return html`<ul class="legend">
    ${entries.map(
      ([look, text]) =>
        html`<li>
          <svg class="plot swatch" viewBox="0 0 16 16" aria-hidden="true">
            ${hatch} ${partOf(look, { x: 1, y: 1, width: 14, height: 14 })}
          </svg>
          ${text}
        </li>`,
    )}
  </ul>`
}

/** A cell of a heat map: a share, or nothing for closed hours. */
type HeatCell = number | undefined

/** Renders shares as a table whose cells are the darker the higher they are. Each has its number. */
export function heatMap(
  { corner, heads, closed }: { corner: string; heads: readonly string[]; closed: string },
  rows: readonly { head: Html | string; cells: readonly HeatCell[] }[],
  percent: (share: number) => string,
): Html {
  const cell = (share: HeatCell) =>
    share === undefined
      ? html`<td><span class="unseen">${closed}</span></td>`
      : html`<td class="heat-${Math.min(Math.floor(share * 10), 9)}">${percent(Math.min(share, 1))}</td>`
  return html`<table class="heat">
    <thead>
      <tr>
        <th scope="col"><span class="unseen">${corner}</span></th>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ head, cells }) =>
          html`<tr>
            <th scope="row">${head}</th>
            ${cells.map(cell)}
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** Renders a share as a bar, next to its number. */
export function shareBar(share: number): Html {
  return html`<svg class="plot share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="whole" x="0" y="0" width="100" height="8" />
    <rect class="full" x="0" y="0" width="${rounded(Math.min(share, 1) * 100)}" height="8" />
  </svg>`
}

const hatch = html`<defs>
  <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <line class="hatching" x1="0" x2="0" y1="0" y2="5" />
  </pattern>
</defs>`

function partOf(look: PlotLook, box: { x: number; y: number; width: number; height: number }): Html {
  if (box.height <= 0) return html``
  // a URL in a style sheet would be relative to the sheet
  const fill = look === 'hatched' ? html`fill="url(#hatch)"` : ''
  return html`<rect
    class="${look}"
    ${fill}
    x="${box.x}"
    y="${box.y}"
    width="${box.width}"
    height="${box.height}"
  />`
}

function stacked(parts: PlotBar['parts']): { look: PlotLook; from: number; to: number }[] {
  let at = 0
  return parts.map(({ look, value }) => ({ look, from: at, to: (at += value) }))
}

/** Returns 2, 4, 10, 20, 40, 100 and so on, whose halves are whole numbers. */
function roundAbove(value: number): number {
  for (let tens = 1; ; tens *= 10) {
    for (const one of [2, 4, 10]) if (one * tens >= value) return one * tens
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
