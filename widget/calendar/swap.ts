/**
 * Updates a part of the page from a fresh copy. Unchanged elements stay in the page, and with them focus,
 * scroll position and open menus.
 */
export function swap(old: Element, fresh: Element): void {
  const focused = keyOf(document.activeElement?.closest('[data-key]'))
  makeLike(old, fresh)
  if (focused === undefined || old.contains(document.activeElement)) return
  // elements that moved to another column were created again
  const again = old.querySelector(`[data-key="${CSS.escape(focused)}"] a`)
  if (again instanceof HTMLElement) again.focus({ preventScroll: true })
}

function makeLike(old: Element, fresh: Element): void {
  if (old.isEqualNode(fresh)) return
  for (const { name } of Array.from(old.attributes)) if (!fresh.hasAttribute(name)) old.removeAttribute(name)
  for (const { name, value } of Array.from(fresh.attributes))
    if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  const keyed = new Map(Array.from(old.children, (child) => [keyOf(child), child]))
  let place: ChildNode | null = old.firstChild
  for (const node of Array.from(fresh.childNodes)) {
    const key = keyOf(node)
    const same = key === undefined ? (isLike(place, node) ? place : undefined) : keyed.get(key)
    if (!same) {
      old.insertBefore(document.importNode(node, true), place)
      continue
    }
    if (same === place) place = place.nextSibling
    else old.insertBefore(same, place)
    if (same instanceof Element && node instanceof Element) makeLike(same, node)
    else if (same.textContent !== node.textContent) same.textContent = node.textContent
  }
  while (place) {
    const rest: ChildNode = place
    place = rest.nextSibling
    rest.remove()
  }
}

function keyOf(node: Node | null | undefined): string | undefined {
  return node instanceof HTMLElement ? node.dataset['key'] : undefined
}

/**
 * Returns true if one node may become the other. Elements with a key never do, because the key identifies one
 * object.
 */
function isLike(one: Node | null, other: Node): boolean {
  return one?.nodeName === other.nodeName && keyOf(one) === undefined
}
