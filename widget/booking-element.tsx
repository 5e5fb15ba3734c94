import { render } from 'preact'
import type { BookingStart } from './api/api-types.ts'
import { Connection } from './api/connection.ts'
import { brandStyles } from './brand/brand-styles.ts'
import { BookingFlow } from './flow/booking-flow.ts'
import { staffFor } from './flow/choice-rules.ts'
import type { FlowState, WantedZone } from './flow/flow-state.ts'
import { keptLink } from './kept-link.ts'
import { fallback, loadLanguage, type Language } from './languages.ts'
import { Formats } from './times/formats.ts'
import { isZone, ownZoneName } from './times/zones.ts'
import type { LaterSteps } from './views/view.ts'
import { Widget } from './views/widget.tsx'
import { readVisit } from './visit/kept-visit.ts'
import type { Visit } from './visit/visit.ts'
import styles from './widget.css'

/** The API is at the origin of the script. */
const apiBase = new URL('../api/v1', import.meta.url).href

const nowMs = () => Date.now()

/** `<holdfast-booking publishable-key="cal_pub_…">`: the whole booking flow, in a shadow root. */
export class BookingElement extends HTMLElement {
  static readonly observedAttributes = [
    'publishable-key',
    'service-id',
    'services',
    'location-id',
    'staff-id',
    'date',
    'locale',
    'time-zone',
    'history',
    'theme',
    'accent',
    'prefill-first-name',
    'prefill-last-name',
    'prefill-email',
    'prefill-phone',
    'prefill-notes',
  ]

  /** The element that opened the overlay. */
  opener: HTMLElement | undefined

  private readonly root = this.attachShadow({ mode: 'open' })
  private readonly brand = new CSSStyleSheet()
  /** Shows the page's own content of the element until the first drawing. */
  private readonly meanwhile = document.createElement('slot')
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
    this.goOn()
  }

  disconnectedCallback(): void {
    this.stopListening()
    // moving an element briefly disconnects it
    queueMicrotask(() => {
      if (!this.isConnected) this.leave()
    })
  }

  private leave(): void {
    this.flow?.late?.leave()
    this.visit?.stop()
    this.visit = undefined
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.flow || before === after) return
    if (name === 'time-zone') this.flow.setZone(this.zone().zone)
    else if (name === 'locale') void this.readLanguage()
    else if (name.startsWith('prefill-')) this.visit?.prefill()
    else if (name === 'theme' || name === 'accent') this.draw()
    else this.restart()
  }

  /** Continues or starts the flow. A returning visitor gets back to their previous step. */
  private goOn(): void {
    if (this.flow && !this.flow.late?.hasLeft) void this.flow.lookAgain()
    else this.restart()
  }

  /** Restarts the flow, once for several attributes that change together. */
  private restart(): void {
    if (this.restarting) return
    this.restarting = true
    queueMicrotask(() => {
      this.restarting = false
      this.leave()
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
      location.replace(new URL(`../manage${kept}`, import.meta.url)) // the page was reloaded after a booking
      return
    }
    const connection = new Connection(apiBase, key, {
      fetch: (input, init) => fetch(input, init),
      nowMs,
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      randomId,
      storage: () => sessionStorage,
      carried: () => this.carried(),
    })
    const preset = {
      serviceId: this.getAttribute('service-id'),
      services:
        this.getAttribute('services')
          ?.split(/[\s,+]+/)
          .filter(Boolean) ?? [],
      locationId: this.getAttribute('location-id'),
      staffId: this.getAttribute('staff-id'),
      date: this.wantedDate(),
    }
    const visitKey = `holdfast:visit:${key}`
    const keptVisit = readVisit(visitKey, preset)
    const flow = new BookingFlow({
      connection,
      later: this.loadLaterSteps,
      checkout: { publishableKey: key, storage: () => sessionStorage, ownPath },
      preset,
      kept: keptVisit,
      zone: () => this.zone(),
      place,
      manageUrl: kept,
      nowMs,
      locale: () => this.language.locale,
      events: {
        held: (hold) => this.tell('held', { hold }),
        // withholds the link and the client's input from scripts of the website
        booked: ({ manage_url, client, notes, custom_field_values, ...booking }) =>
          this.tell('booked', { booking }),
        error: (error) => {
          this.tell('error', error)
          if (flow.state.trouble?.kind === 'misconfigured') this.giveUp(error.code)
        },
      },
    })
    this.flow = flow
    flow.subscribe(() => this.drawSoon())
    // waits for the language, so that no English text flashes up first
    const reading = this.readLanguage()
    const starting = flow.start()
    await reading
    this.draw()
    this.formats.warmUp(flow.state.zone, nowMs())
    await starting
    // loads now, because the old file names may be gone after a server upgrade
    const later = await this.loadLaterSteps().catch(() => undefined)
    if (!later || flow !== this.flow || !this.isConnected) return
    const { mount } = this
    this.visit = later.accompany({
      flow,
      key: visitKey,
      element: this,
      kept: keptVisit,
      dialog: mount instanceof HTMLDialogElement ? mount : undefined,
      language: () => this.language,
    })
    this.draw()
  }

  /** Returns the data that the hosted page embeds in the element. */
  private carried(): BookingStart | null {
    const script = this.querySelector<HTMLScriptElement>('script[type*=json]')
    script?.remove()
    return script && (JSON.parse(script.text) as BookingStart)
  }

  private later: LaterSteps | undefined
  private visit: Visit | undefined

  private readonly loadLaterSteps = async () => {
    const later = await import('./views/later-steps.tsx')
    if (!this.later) this.root.adoptedStyleSheets.splice(-1, 0, later.sheet) // the brand's sheet stays last
    this.later = later
    return later
  }

  private async readLanguage(): Promise<void> {
    this.language = await loadLanguage(this.wantedLocales())
    this.formats = new Formats(this.language.locale)
    this.isReady = true
    this.draw()
  }

  private isReady = false

  /** Returns the wanted languages. The last one is from the element's `lang`, or inherited from the page. */
  private wantedLocales(): string[] {
    const own = this.getAttribute('locale') ?? ''
    return [own, ...navigator.languages, this.closest<HTMLElement>('[lang]')?.lang ?? '']
  }

  private zone(): WantedZone {
    const wanted = this.getAttribute('time-zone') ?? ''
    const isChosen = isZone(wanted)
    return { zone: isChosen ? wanted : ownZoneName(), isChosen }
  }

  /** Returns the calendar date that the page wants to show first. Ignores invalid dates. */
  private wantedDate(): string | null {
    const date = this.getAttribute('date') ?? ''
    return /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date)) ? date : null
  }

  /**
   * Returns the path for the return from a checkout. Null for an overlay, which would be closed on return,
   * and in a frame, where no checkout opens.
   */
  private ownPath(): string | null {
    const isOwn = new URL(apiBase).origin === location.origin && !this.hasAttribute('overlay') && top === self
    return isOwn ? location.pathname + location.search : null
  }

  private toldStep: FlowState['step'] | undefined

  /** Reports the visitor's current step to the page, once the services have loaded. */
  private tellStep({ step, catalogue, choice, business }: FlowState): void {
    const { toldStep } = this
    if (!business || step === toldStep) return
    this.toldStep = step
    const { serviceId: service_id, locationId: location_id, staffId } = choice
    const staff_id = staffFor(catalogue, choice).length > 0 ? staffId : null
    const told = { step, service_id, location_id, staff_id }
    if (toldStep) this.tell('step', told)
    else this.tell('ready', told)
  }

  private tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(`holdfast:${name}`, { detail, bubbles: true, composed: true }))
  }

  private isToBeDrawn = false

  /** Draws once for concurrent changes. */
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
    const { flow, mount, language, formats, later } = this
    if (!flow || !mount || !this.isReady) return
    // the browser resolves the website's colour, or that of the business
    mount.style.colorScheme = this.getAttribute('theme') ?? ''
    mount.style.accentColor = `var(--holdfast-accent, ${this.getAttribute('accent') ?? flow.state.business?.brand_color ?? 'auto'})`
    const color = getComputedStyle(mount).accentColor
    if (color !== this.shownColor) {
      this.shownColor = color
      this.brand.replaceSync(brandStyles(color))
    }
    const onClose = mount instanceof HTMLDialogElement ? () => this.close(mount) : undefined
    if (onClose) mount.setAttribute('aria-label', language.texts.book)
    this.meanwhile.remove()
    render(<Widget {...{ flow, language, formats, nowMs, later, onClose }} state={flow.state} />, mount)
    this.tellStep(flow.state)
  }

  /** Gives up the reserved height, and logs the reason for the website's developers. */
  private giveUp(code: string): void {
    this.style.minHeight = '0'
    console.warn(`Holdfast: ${code}`)
  }

  private makeMount(): HTMLElement {
    if (!this.hasAttribute('overlay')) {
      const place = document.createElement('div')
      this.root.append(this.meanwhile, place)
      return place
    }
    const dialog = document.createElement('dialog')
    dialog.className = 'overlay'
    dialog.part.add('overlay')
    dialog.addEventListener('close', () => {
      this.tell('closed', { step: this.toldStep ?? null })
      this.remove()
      this.opener?.focus()
    })
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault()
      this.close(dialog)
    })
    // ignores a drag that selects text and ends outside
    let isPressedBeside = false
    dialog.addEventListener('pointerdown', ({ target }) => {
      isPressedBeside = target === dialog
    })
    dialog.addEventListener('click', ({ target }) => {
      if (target === dialog && isPressedBeside) this.close(dialog)
    })
    this.root.append(dialog)
    queueMicrotask(() => dialog.showModal())
    return dialog
  }

  private close(dialog: HTMLDialogElement): void {
    if (this.visit) this.visit.close()
    else dialog.close()
  }

  private listenToPage(): void {
    const leave = () => this.flow?.late?.leave()
    const look = () => {
      if (document.visibilityState === 'visible') this.goOn()
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

/** Not randomUUID, which requires a secure context. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
