import { html, type Html } from '../../base/html.ts'

/** Number of hues of categories, and of names. */
const hues = 6
const faceHues = 8

/** Returns the number of a name's hue. */
function faceHue(name: string): number {
  return (
    Array.from(name).reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 997, 0) %
    faceHues
  )
}

/** Renders the initials of a person or business on one of eight hues. A name has the same hue on every page. */
export function face(name: string): Html {
  return html`<span class="face is-${faceHue(name)}" aria-hidden="true">${initials(name)}</span>`
}

/** A person, service or room with an optional picture. */
interface Pictured {
  name: string
  image_url?: string | null
}

/** Returns the address of a picture that this server stores. The policy of the pages allows no others. */
const storedPicture = ({ image_url: url }: Pictured) => (url?.startsWith('/') ? url : undefined)

/** Renders the picture of a person, or the initials. */
export function faceOf(person: Pictured): Html {
  const picture = storedPicture(person)
  return picture === undefined ? face(person.name) : html`<img class="face" src="${picture}" alt="" />`
}

/** Renders the picture of a service or a room, or its initials on the hue of its category. */
export function thumbnail(item: Pictured, hue?: number): Html {
  const picture = storedPicture(item)
  return picture === undefined
    ? html`<span class="face is-thing is-${hue ?? 'plain'}" aria-hidden="true">${initials(item.name)}</span>`
    : html`<img class="face is-thing" src="${picture}" alt="" loading="lazy" />`
}

/** Renders a face with a tooltip. Its letters are no text, because the link around it has a label. */
export function titledFace(name: string, title: string): Html {
  return html`<span
    class="face is-${faceHue(name)}"
    title="${title}"
    data-initials="${initials(name)}"
  ></span>`
}

function initials(name: string): string {
  const words = name.split(/[\s-]+/u).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) =>
    firstLetter(word ?? ''),
  )
  return letters.join('')
}

function firstLetter(word: string): string {
  return (Array.from(word)[0] ?? '').toUpperCase()
}

/** Returns the number of each category's hue, in the order of the services. The calendar has the same ones. */
export function categoryHues(services: readonly { category: string | null }[]): Map<string, number> {
  const categories = new Set(services.flatMap(({ category }) => category ?? []))
  return new Map([...categories].map((category, index) => [category, index % hues]))
}

/** Renders the mark of a hue. */
export function hueMark(hue: number | undefined): Html {
  return html`<span class="hue${hue === undefined ? '' : ` is-${hue}`}" aria-hidden="true"></span>`
}
