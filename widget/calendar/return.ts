/*
 * Restores the calendar's focus and scroll position on return from a form. The state is in the history
 * entry, so it applies only when going back. Otherwise a day opens at the present time.
 */

interface Left {
  focused?: string
  x: number
  y: number
}

/** Empty if the panel has written it. */
const left = history.state as Left | Record<string, never> | null

/** Scrolls until the present time is in the upper part. A week on a phone opens at today. */
function showNow(view: Element | null): void {
  const now = view?.querySelector<HTMLElement>('.cal-axis .cal-now')
  if (!view || !now) return
  const today = view.querySelector('.cal-col:has(.cal-now)')?.getBoundingClientRect()
  const { left: edge, width } = view.getBoundingClientRect()
  if (today) view.scrollLeft += today.left + today.width / 2 - edge - width / 2
  view.scrollTop = now.offsetTop - view.clientHeight / 3
}

/** Restores the position from the last visit, and stores it when leaving the page. */
export function keepPlace(root: HTMLElement): void {
  const view = () => root.querySelector('.cal-scroll')
  addEventListener('pagehide', () => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-key]')?.dataset['key']
    const { scrollLeft: x = 0, scrollTop: y = 0 } = view() ?? {}
    history.replaceState({ x, y, ...(focused !== undefined && { focused }) } satisfies Left, '')
  })
  if (left?.x === undefined) return showNow(view())
  view()?.scrollTo(left.x, left.y)
  if (left.focused === undefined) return
  root
    .querySelector<HTMLElement>(`[data-key="${CSS.escape(left.focused)}"] a`)
    ?.focus({ preventScroll: true })
}
