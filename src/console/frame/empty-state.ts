import { html, type Html } from '../../base/html.ts'
import type { IconName } from '../../pages/icons.ts'

/* Lists without entries. Six drawings stand for them, 160 by 100 units in the colours of the design. */

const sheet = (x: number, y: number, width: number, height: number) =>
  html`<rect
    x="${x}"
    y="${y}"
    width="${width}"
    height="${height}"
    rx="8"
    fill="var(--paper)"
    stroke="var(--line)"
    stroke-width="2"
  />`
const bar = ([x, y]: [number, number], width: number, height = 6, color = 'line') =>
  html`<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="3" fill="var(--${color})" />`
const circle = (x: number, y: number, radius: number, color: string) =>
  html`<circle cx="${x}" cy="${y}" r="${radius}" fill="var(--${color})" />`
const shoulders = (x: number, color: string) =>
  html`<path d="M${x - 22} 84a22 22 0 0 1 44 0z" fill="var(--${color})" />`
const plus = (x: number, y: number) =>
  html`${circle(x, y, 13, 'accent')}<path
      d="M${x - 5} ${y}h10M${x} ${y - 5}v10"
      stroke="var(--on-accent)"
      stroke-width="2.5"
      stroke-linecap="round"
    />`

const drawings = {
  calendar: html`${sheet(38, 20, 84, 66)}${bar([40, 22], 80, 14, 'accent-soft')}${bar([56, 14], 5, 12, 'edge')}
  ${bar([99, 14], 5, 12, 'edge')}${bar([48, 44], 18, 12)}${bar([71, 44], 18, 12)}${bar([94, 44], 18, 12)}
  ${bar([48, 62], 18, 12)}${bar([71, 62], 18, 12, 'accent-soft')}${plus(118, 80)}`,
  people: html`${circle(58, 42, 14, 'line')}${shoulders(58, 'line')}${circle(92, 38, 16, 'accent-soft')}
  ${shoulders(92, 'accent-soft')}${plus(118, 76)}`,
  search: html`${sheet(36, 16, 78, 68)}${bar([48, 30], 34)}${bar([48, 44], 50)}${bar([48, 58], 26)}
    <circle cx="104" cy="58" r="18" fill="var(--accent-soft)" stroke="var(--accent)" stroke-width="4" />
    <path d="m117 72 13 14" stroke="var(--accent)" stroke-width="6" stroke-linecap="round" />`,
  mails: html`${sheet(36, 24, 88, 60)}
    <path
      d="m40 30 40 30 40-30"
      fill="none"
      stroke="var(--accent)"
      stroke-width="3"
      stroke-linejoin="round"
    />
    ${circle(122, 26, 10, 'accent')}`,
  numbers: html`${sheet(32, 14, 96, 72)}${bar([46, 56], 12, 20, 'accent-soft')}
  ${bar([66, 44], 12, 32, 'accent-soft')}${bar([86, 50], 12, 26, 'line')}${bar([106, 30], 12, 46, 'accent')}`,
  rows: html`${[18, 42, 66].map(
    (y, index) =>
      html`${sheet(34, y, 92, 20)}${bar([40, y + 4], 12, 12, index === 0 ? 'accent' : 'accent-soft')}
      ${bar([60, y + 7], 32)}${bar([108, y + 7], 12)}`,
  )}`,
}

/** The drawing of a list. The others are rows. */
const drawingOf: Partial<Record<IconName, keyof typeof drawings>> = {
  ...{ calendar: 'calendar', bookings: 'calendar', clients: 'people', people: 'people', users: 'people' },
  ...{ waiting: 'people', search: 'search', audit: 'search', mails: 'mails', numbers: 'numbers' },
}

/** Renders a list without entries: a drawing, a sentence, and the next step, such as a link to a form. */
export function emptyState(sign: IconName, text: string, next: Html = html``): Html {
  return html`<div class="empty">
    <svg viewBox="0 0 160 100" aria-hidden="true">${drawings[drawingOf[sign] ?? 'rows']}</svg>
    <p>${text}</p>
    ${next}
  </div>`
}
