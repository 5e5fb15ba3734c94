import type { FrameElement } from '@hotwired/turbo'
import { addPanel } from './panel.ts'

/*
 * Filters of a list that apply at once, and the panel next to it. Without this script, a button applies the
 * filters, and each row leads to a page.
 */

/** Pause after a key before a search, in milliseconds. */
const pauseMs = 250

/** Enhances the page of a list, whose server side renders a frame around the rows. */
export function enhanceList(list: FrameElement): void {
  document.body.classList.add('scripted')
  addPanel(
    {
      close: list.dataset['close'] ?? '',
      again: list.dataset['again'] ?? '',
      unreached: list.dataset['unreached'] ?? '',
    },
    {
      changed: () => void (list.src === null ? show(list, location.href) : list.reload()),
      shown: (path) => select(list, path),
    },
  )
  const form = document.querySelector<HTMLFormElement>('form[role="search"]')
  let timer: ReturnType<typeof setTimeout> | undefined
  const apply = () => {
    clearTimeout(timer)
    if (form) show(list, addressOf(form))
  }
  form?.addEventListener('input', ({ target }) => {
    clearTimeout(timer)
    timer = setTimeout(apply, target instanceof HTMLInputElement ? pauseMs : 0)
  })
  form?.addEventListener('submit', (event) => {
    event.preventDefault()
    apply()
  })
  const inputs = [...(form?.querySelectorAll('input') ?? [])]
  if (inputs.some((input) => input.value !== input.defaultValue)) apply() // typed before this script was there
  list.addEventListener('turbo:frame-load', ({ target }) => {
    if (target !== list) return
    const address = new URL(list.src ?? '', location.href)
    const panel = new URLSearchParams(location.search).get('panel')
    if (panel !== null) address.searchParams.set('panel', panel)
    history.replaceState({}, '', address)
    select(list, panel ?? undefined)
  })
}

function show(list: FrameElement, address: string): void {
  const url = new URL(address, location.href)
  url.searchParams.delete('panel')
  url.searchParams.delete('done')
  list.src = url.href
}

/** Returns the address of a list with the filters of its form. */
function addressOf(form: HTMLFormElement): string {
  const fields = [...new FormData(form)].flatMap(([name, text]) =>
    typeof text === 'string' && text.trim() !== '' ? [[name, text]] : [],
  )
  return `${form.action}?${new URLSearchParams(fields).toString()}`
}

/** Marks the row that is open in the panel. */
function select(list: HTMLElement, path: string | undefined): void {
  const open = path?.split('?', 1)[0]
  for (const link of list.querySelectorAll<HTMLAnchorElement>('a.row')) {
    const isOpen = open !== undefined && (open === link.pathname || open.startsWith(`${link.pathname}/`))
    link.toggleAttribute('aria-current', isOpen)
    if (isOpen) link.setAttribute('aria-current', 'true')
  }
}
