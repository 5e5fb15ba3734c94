import { render } from 'preact'
import { brandStyles } from '../brand/brand-styles.ts'
import { fallback, type Language, loadLanguage } from '../languages.ts'
import { Formats } from '../times/formats.ts'
import { ownZoneName } from '../times/zones.ts'
import styles from '../widget.css'
import laterStyles from '../later-steps.css'
import manageStyles from './manage.css'
import { ManageApi } from './manage-api.ts'
import { ManageFlow } from './manage-flow.ts'
import { ManagePage } from './manage-view.tsx'

/** The API is at the origin of the script. */
const apiBase = new URL('../api/v1', import.meta.url).href

const nowMs = () => Date.now()

/** Returns the URL of the client's own page that led here, if it is still open in this browser. */
async function findWayBack(): Promise<string | undefined> {
  const id = new URLSearchParams(location.search).get('me') ?? ''
  if (!/^[\da-f-]{36}$/.test(id)) return undefined
  try {
    const { href } = new URL(`../me/${id}`, import.meta.url)
    const reply = await fetch(`${href}/state`, { credentials: 'same-origin', referrerPolicy: 'no-referrer' })
    const { open } = (await reply.json()) as { open?: boolean }
    return open === true ? href : undefined
  } catch {
    return undefined
  }
}

/** `<holdfast-manage>`: one booking, identified by the token in the fragment of the page's URL. */
export class ManageElement extends HTMLElement {
  private readonly root = this.attachShadow({ mode: 'open' })
  private readonly brand = new CSSStyleSheet()
  private readonly mount = document.createElement('div')
  private readonly ownZone = ownZoneName()
  private language: Language = fallback
  private formats = new Formats(fallback.locale)
  private flow: ManageFlow | undefined
  private isReady = false
  private wayBack: string | undefined
  private isToBeDrawn = false
  private shownColor: string | null = null

  constructor() {
    super()
    this.brand.replaceSync(brandStyles(null))
    const sheets = [styles, laterStyles, manageStyles].map((text) => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(text)
      return sheet
    })
    this.root.adoptedStyleSheets = [...sheets, this.brand]
    this.root.append(this.mount)
  }

  connectedCallback(): void {
    addEventListener('hashchange', this.begin)
    document.addEventListener('visibilitychange', this.lookAgain)
    this.begin()
    void this.readLanguage()
    void findWayBack().then((found) => {
      this.wayBack = found
      if (found !== undefined) this.drawSoon()
    })
  }

  disconnectedCallback(): void {
    removeEventListener('hashchange', this.begin)
    document.removeEventListener('visibilitychange', this.lookAgain)
  }

  private readonly begin = (): void => {
    const api = new ManageApi(apiBase, location.hash.slice(1))
    const isLater = this.flow !== undefined
    const changed = () => this.drawSoon()
    this.flow = new ManageFlow({ api, nowMs, zone: this.ownZone, isLater, changed })
    if (isLater) this.drawSoon()
    void this.flow.load()
  }

  /** Refreshes the booking when somebody returns to the page. */
  private readonly lookAgain = (): void => {
    const { flow } = this
    if (document.visibilityState !== 'visible' || !flow) return
    if (flow.state.phase === 'shown' && flow.state.mode === 'view') void flow.load()
  }

  private async readLanguage(): Promise<void> {
    this.language = await loadLanguage(navigator.languages)
    const { locale, direction, texts } = this.language
    this.formats = new Formats(locale)
    const { documentElement } = document
    documentElement.lang = locale
    documentElement.dir = direction
    document.title = texts['manage.title']
    const heading = document.querySelector('h1')
    if (heading) heading.textContent = texts['manage.title']
    this.isReady = true
    this.drawSoon()
  }

  /** Draws once for concurrent changes. */
  private drawSoon(): void {
    if (this.isToBeDrawn) return
    this.isToBeDrawn = true
    queueMicrotask(() => {
      this.isToBeDrawn = false
      this.draw()
    })
  }

  private draw(): void {
    const { flow, isReady, language, formats, ownZone, wayBack } = this
    if (!flow || !isReady) return
    const color = flow.state.managed?.business.brand_color ?? null
    if (color !== this.shownColor) {
      this.shownColor = color
      this.brand.replaceSync(brandStyles(color))
    }
    render(
      <ManagePage
        {...{ flow, language, formats, ownZone, nowMs, wayBack }}
        texts={language.texts}
        state={flow.state}
      />,
      this.mount,
    )
  }
}

customElements.define('holdfast-manage', ManageElement)
