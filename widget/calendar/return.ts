/*
 * Who comes back from a form finds the calendar as they left it: what had the focus, and how far it was scrolled. The entry
 * in the history of the browser keeps that, so that it is for going back alone.
 */

interface Left {
  focused?: string
  x: number
  y: number
}

/** Takes up the place where the calendar was left, and keeps it when it is left again. */
export function keepPlace(root: HTMLElement): void {
  const view = () => root.querySelector('.cal-scroll')
  addEventListener('pagehide', () => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-key]')?.dataset['key']
    const { scrollLeft: x = 0, scrollTop: y = 0 } = view() ?? {}
    history.replaceState({ x, y, ...(focused !== undefined && { focused }) } satisfies Left, '')
  })
  const left = history.state as Left | null
  if (!left) return
  view()?.scrollTo(left.x, left.y)
  if (left.focused === undefined) return
  root
    .querySelector<HTMLElement>(`[data-key="${CSS.escape(left.focused)}"] a`)
    ?.focus({ preventScroll: true })
}
