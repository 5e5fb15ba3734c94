import { render } from 'preact'
import { Connection } from './api/connection.ts'
import { brandStyles } from './brand/brand-styles.ts'
import { BookingFlow } from './flow/booking-flow.ts'
import { tabCheckouts } from './flow/checkouts.ts'
import { keptLink } from './kept-link.ts'
import { fallback, loadLanguage, type Language } from './locales/languages.ts'
import { Formats } from './times/formats.ts'
import { isZone, ownZoneName } from './times/zones.ts'
import { Widget } from './views/widget.tsx'
import styles from './widget.css'

/** The API is at the origin of the script. */
const apiBase = new URL('../api/v1', import.meta.url).href

const nowMs = () => Date.now()

/** `<holdfast-booking publishable-key="cal_pub_…">`: the whole flow, in a shadow root of its own. */
export class BookingElement extends HTMLElement {
  static readonly observedAttributes = [
    'publishable-key',
    'service-id',
    'location-id',
    'staff-id',
    'locale',
    'time-zone',
  ]

  private readonly root = this.attachShadow({ mode: 'open' })
  private readonly brand = new CSSStyleSheet()
  private mount: HTMLElement | undefined
  private flow: BookingFlow | undefined
  private language: Language = fallback
  private formats = new Formats(fallback.locale)
  private restarting = false
  private stopListening: () => void = () => undefined

  constructor() {
    super()
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    this.brand.replaceSync(brandStyles(null))
    this.root.adoptedStyleSheets = [sheet, this.brand]
  }

  connectedCallback(): void {
    this.mount ??= this.makeMount()
    this.listenToPage()
    if (this.flow) void this.flow.lookAgain()
    else this.restart()
  }

  disconnectedCallback(): void {
    this.stopListening()
    // moving an element takes it out for a moment
    queueMicrotask(() => {
      if (!this.isConnected) this.flow?.leave()
    })
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.flow || before === after) return
    if (name === 'time-zone') this.flow.setZone(this.zone())
    else if (name === 'locale') void this.readLanguage()
    else this.restart()
  }

  /** Restarts the flow, once for several attributes that change together. */
  private restart(): void {
    if (this.restarting) return
    this.restarting = true
    queueMicrotask(() => {
      this.restarting = false
      this.flow?.leave()
      void this.begin()
    })
  }

  private async begin(): Promise<void> {
    const key = this.getAttribute('publishable-key') ?? ''
    const ownPath = this.ownPath()
    const isOwn = ownPath !== null
    const place = { key: `holdfast:manage:${key}`, isOwn }
    const kept = keptLink(place)
    if (isOwn && kept) {
      location.replace(new URL(`../manage${kept}`, import.meta.url)) // reloaded after a booking
      return
    }
    const connection = new Connection(apiBase, key, {
      fetch: (input, init) => fetch(input, init),
      nowMs,
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      randomId,
    })
    const flow = new BookingFlow({
      connection,
      checkouts: tabCheckouts(key, {
        storage: () => sessionStorage,
        ownPath,
        goTo: (url) => location.assign(url),
        openBeside,
      }),
      preset: {
        serviceId: this.getAttribute('service-id'),
        locationId: this.getAttribute('location-id'),
        staffId: this.getAttribute('staff-id'),
      },
      zone: () => this.zone(),
      place,
      manageUrl: kept,
      nowMs,
      locale: () => this.language.locale,
      events: {
        held: (hold) => this.tell('held', { hold }),
        // the link is for the client, not for the scripts of the website
        booked: ({ manage_url: _, ...booking }) => this.tell('booked', { booking }),
        error: (error) => this.tell('error', error),
      },
    })
    this.flow = flow
    flow.subscribe(() => this.drawSoon())
    // wait for the language, so that no English text flashes up first
    const reading = this.readLanguage()
    const starting = flow.start()
    await reading
    this.draw()
    this.formats.warmUp(flow.state.zone, nowMs())
    await starting
    // load now: after a server upgrade, the old file names may no longer exist
    void this.loadLaterSteps().catch(() => undefined)
  }

  private readonly loadLaterSteps = async () => {
    const steps = await import('./views/later-steps.tsx')
    const sheets = this.root.adoptedStyleSheets
    if (!sheets.includes(steps.sheet)) sheets.splice(-1, 0, steps.sheet) // the brand's comes last
    return steps
  }

  private async readLanguage(): Promise<void> {
    this.language = await loadLanguage(this.wantedLocales())
    this.formats = new Formats(this.language.locale)
    this.isReady = true
    this.draw()
  }

  private isReady = false

  private wantedLocales(): string[] {
    const own = this.getAttribute('locale')
    return [...(own === null ? [] : [own]), ...navigator.languages, document.documentElement.lang]
  }

  private zone(): string {
    const wanted = this.getAttribute('time-zone') ?? ''
    return isZone(wanted) ? wanted : ownZoneName()
  }

  /** As an overlay it would be closed when the visitor returns. */
  private ownPath(): string | null {
    const isOwn = new URL(apiBase).origin === location.origin && !this.hasAttribute('overlay')
    return isOwn ? location.pathname + location.search : null
  }

  private tell(name: 'held' | 'booked' | 'error', detail: unknown): void {
    this.dispatchEvent(new CustomEvent(`holdfast:${name}`, { detail, bubbles: true, composed: true }))
  }

  private isToBeDrawn = false

  /** Draws concurrent changes once. */
  private drawSoon(): void {
    if (this.isToBeDrawn) return
    this.isToBeDrawn = true
    queueMicrotask(() => {
      this.isToBeDrawn = false
      this.draw()
    })
  }

  private shownColor: string | null = null

  private draw(): void {
    const { flow, mount, language, formats } = this
    if (!flow || !mount || !this.isReady) return
    const color = flow.state.business?.brand_color ?? null
    if (color !== this.shownColor) {
      this.shownColor = color
      this.brand.replaceSync(brandStyles(color))
    }
    const onClose = mount instanceof HTMLDialogElement ? () => mount.close() : undefined
    if (onClose) mount.setAttribute('aria-label', language.texts.book)
    const { loadLaterSteps } = this
    render(
      <Widget {...{ flow, language, formats, nowMs, loadLaterSteps, onClose }} state={flow.state} />,
      mount,
    )
  }

  private makeMount(): HTMLElement {
    if (!this.hasAttribute('overlay')) {
      const place = document.createElement('div')
      this.root.append(place)
      return place
    }
    const dialog = document.createElement('dialog')
    dialog.className = 'overlay'
    dialog.part.add('overlay')
    dialog.addEventListener('close', () => this.remove())
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog) dialog.close()
    })
    this.root.append(dialog)
    queueMicrotask(() => dialog.showModal())
    return dialog
  }

  private listenToPage(): void {
    const leave = () => this.flow?.leave()
    const look = () => {
      if (document.visibilityState === 'visible') void this.flow?.lookAgain()
    }
    addEventListener('pagehide', leave)
    addEventListener('pageshow', look)
    document.addEventListener('visibilitychange', look)
    this.stopListening = () => {
      removeEventListener('pagehide', leave)
      removeEventListener('pageshow', look)
      document.removeEventListener('visibilitychange', look)
    }
  }
}

/** Clears the opener, so that the new tab cannot control this one. */
function openBeside(url: string): boolean {
  const tab = open(url, '_blank')
  if (!tab) return false
  tab.opener = null
  return true
}

/** Not randomUUID, which needs a secure context. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
