import * as Turbo from '@hotwired/turbo'

/*
 * Opens bookings, clients and forms in a panel next to the calendar. Turbo loads the frame of their pages and
 * sends the frame's forms. The calendar's address names the page, so that reloading and going back keep it.
 * Without this script, each of them is a page.
 */

/** Pages that fit into the panel. Their server side sets `panel`. */
const fitting =
  /^\/console\/(?:book|block(?:\/.+)?|away(?:\/.+)?|class|bookings\/[^/.]+(?:\/.+)?|clients\/[^/.]+(?:\/.+)?)$/

const parameter = 'panel'

/** Turbo's report of a response without the frame. */
interface MissingFrame {
  response: Response
  visit: (response: Response) => unknown
}

// only for the frame: pages outside of it load without Turbo, which must not restore them either
Turbo.session.drive = false
Turbo.session.history.stop()
Turbo.session.linkPrefetchObserver.stop()
history.replaceState({}, '')

/** Receives changes of the panel. */
interface Listener {
  /** Called after its forms have been sent. */
  changed: () => void
  /** Called with the path of its page; undefined if it is closed. */
  shown: (path: string | undefined) => void
}

/** Adds the panel to the page. */
export function addPanel(
  texts: { close: string; again: string; unreached: string },
  { changed, shown }: Listener,
): void {
  const aside = document.createElement('aside')
  aside.className = 'panel not-printed'
  aside.hidden = true
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'panel-close'
  button.textContent = '×'
  button.setAttribute('aria-label', texts.close)
  const frame = document.createElement('turbo-frame')
  frame.id = 'panel'
  frame.className = 'text console'
  const failed = document.createElement('p')
  failed.className = 'alert'
  failed.setAttribute('role', 'alert')
  failed.tabIndex = -1
  failed.hidden = true
  const again = document.createElement('button')
  again.type = 'button'
  again.textContent = texts.again
  again.addEventListener('click', () => {
    failed.hidden = true
    void (frame as HTMLElement & { reload: () => Promise<void> }).reload()
  })
  failed.append(texts.unreached, ' ', again)
  aside.append(button, failed, frame)
  document.querySelector('main')?.after(aside)
  let opener: Element | null = null

  const covers = matchMedia('(width <= 40rem)') // it then covers the page, whose focus would be out of sight
  const seal = () => {
    for (const part of document.querySelectorAll<HTMLElement>('body > :not(.panel, script)'))
      part.inert = covers.matches && !aside.hidden
  }
  covers.addEventListener('change', seal)

  const show = (path: string | undefined) => {
    failed.hidden = true
    const hadFocus = aside.contains(document.activeElement) || document.activeElement === document.body
    const wasShown = !aside.hidden
    aside.hidden = path === undefined
    seal()
    document.body.classList.toggle('has-panel', path !== undefined)
    shown(path)
    if (path === undefined) {
      frame.removeAttribute('src')
      frame.replaceChildren()
      if (wasShown && hadFocus) giveBack(opener)
    } else if (frame.getAttribute('src') !== path) frame.setAttribute('src', path)
  }
  const shut = () => {
    show(undefined)
    history.pushState({}, '', addressWith(undefined))
  }

  document.addEventListener('click', (event) => {
    const { target, button: pressed, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event
    if (defaultPrevented || pressed !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
    const link = target instanceof Element ? target.closest('a') : null
    if (!link || aside.contains(link)) return
    const path = fittingPath(link.href)
    if (path === undefined) return
    event.preventDefault()
    opener = document.activeElement
    link.closest<HTMLElement>('[popover]')?.hidePopover()
    show(path)
    history.pushState({}, '', addressWith(path))
  })
  button.addEventListener('click', shut)
  aside.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || isInOpenList(event.target)) return
    event.stopPropagation()
    shut()
  })
  // a part of the page with the focus may be below the panel
  addEventListener('keydown', ({ key, target, defaultPrevented }) => {
    if (key !== 'Escape' || defaultPrevented || aside.hidden || !(target instanceof Element)) return
    const isElsewhere = target.closest('input, select, textarea, dialog, .panel') !== null
    if (isElsewhere || document.querySelector('dialog[open], :popover-open') !== null) return
    shut()
  })
  addEventListener('popstate', () => show(pathInAddress()))

  frame.addEventListener('turbo:frame-load', () => {
    const path = fittingPath(frame.getAttribute('src') ?? '')
    if (path !== undefined) history.replaceState({}, '', addressWith(path))
    shown(path)
    for (const link of frame.querySelectorAll('a')) {
      if (fittingPath(link.href) === undefined) link.dataset['turbo'] = 'false' // Turbo would keep the scripts of this page
    }
    const wanted = frame.querySelector<HTMLElement>('[autofocus]') // such as a warning below the fields
    const heading = frame.querySelector<HTMLElement>('h1, h2')
    if (heading) heading.tabIndex = -1
    ;(wanted ?? heading)?.focus()
  })
  frame.addEventListener('turbo:submit-end', changed)
  frame.addEventListener('turbo:fetch-request-error', (event) => {
    event.preventDefault()
    failed.hidden = false
    again.hidden = frame.childElementCount > 0 // a form is sent again by its own button
    failed.focus()
  })
  frame.addEventListener('turbo:frame-missing', (event) => {
    event.preventDefault() // a whole page, such as the calendar or the log-in
    const { response, visit } = (event as CustomEvent<MissingFrame>).detail
    // Turbo would not start the scripts of the page again. Only the log-in after a form keeps the form's contents.
    if (response.redirected) location.assign(response.url)
    else void visit(response)
  })

  show(pathInAddress())
  document.querySelector('main')?.removeAttribute('data-panel')
}

/** Returns the path of a page that fits into the panel; undefined for others. */
function fittingPath(address: string): string | undefined {
  const url = new URL(address, location.href)
  return url.origin === location.origin && fitting.test(url.pathname) ? url.pathname + url.search : undefined
}

function pathInAddress(): string | undefined {
  const path = new URLSearchParams(location.search).get(parameter)
  return path === null ? undefined : fittingPath(path)
}

function addressWith(path: string | undefined): string {
  const url = new URL(location.href)
  for (const name of ['done', 'undo']) url.searchParams.delete(name)
  if (path === undefined) url.searchParams.delete(parameter)
  else url.searchParams.set(parameter, path)
  return url.pathname + url.search
}

/** Returns true within an open drop-down list, which Escape closes first. */
function isInOpenList(target: EventTarget | null): boolean {
  const select = target instanceof Element ? target.closest('select') : null
  return select !== null && CSS.supports('selector(:open)') && select.matches(':open')
}

/** Focuses the link that opened the panel, or the one that replaced it in the calendar since. Otherwise the page. */
function giveBack(opener: Element | null): void {
  const href = opener?.getAttribute('href')
  const link = opener?.isConnected
    ? opener
    : [...document.querySelectorAll('a')].find((one) => one.getAttribute('href') === href)
  if (link instanceof HTMLElement) link.focus()
  else document.querySelector('main')?.focus({ preventScroll: true })
}
