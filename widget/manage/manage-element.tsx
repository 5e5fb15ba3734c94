import { render } from 'preact'
import { brandStyles } from '../brand/brand-styles.ts'
import '../locales/en-later.ts'
import { fallback, type Language, loadLanguage } from '../locales/languages.ts'
import type { Texts } from '../locales/texts.ts'
import { Formats } from '../times/formats.ts'
import { ownZoneName } from '../times/zones.ts'
import styles from '../widget.css'
import laterStyles from '../later-steps.css'
import manageStyles from './manage.css'
import { ManageApi } from './manage-api.ts'
import { ManageFlow } from './manage-flow.ts'
import { texts as english } from './locales/en.ts'
import type { ManageTexts } from './manage-texts.ts'
import { ManagePage } from './manage-view.tsx'

/** The API is at the origin of the script. */
const apiBase = new URL('../api/v1', import.meta.url).href

const nowMs = () => Date.now()

const languages: Record<string, () => Promise<{ texts: ManageTexts }>> = {
  de: () => import('./locales/de.ts'),
  fr: () => import('./locales/fr.ts'),
  es: () => import('./locales/es.ts'),
  ar: () => import('./locales/ar.ts'),
  pl: () => import('./locales/pl.ts'),
  it: () => import('./locales/it.ts'),
  pt: () => import('./locales/pt.ts'),
  nl: () => import('./locales/nl.ts'),
  tr: () => import('./locales/tr.ts'),
  ja: () => import('./locales/ja.ts'),
}

/** `<holdfast-manage>`: one booking, by the token in the fragment of the page's address. */
export class ManageElement extends HTMLElement {
  private readonly root = this.attachShadow({ mode: 'open' })
  private readonly brand = new CSSStyleSheet()
  private readonly mount = document.createElement('div')
  private readonly ownZone = ownZoneName()
  private language: Language = fallback
  private texts: Texts & ManageTexts = { ...fallback.texts, ...english }
  private formats = new Formats(fallback.locale)
  private flow: ManageFlow | undefined
  private isReady = false
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
  }

  disconnectedCallback(): void {
    removeEventListener('hashchange', this.begin)
    document.removeEventListener('visibilitychange', this.lookAgain)
  }

  private readonly begin = (): void => {
    const api = new ManageApi(apiBase, location.hash.slice(1))
    this.flow = new ManageFlow({ api, nowMs, zone: this.ownZone, changed: () => this.drawSoon() })
    void this.flow.load()
  }

  /** Whoever comes back to the page sees the booking as it is now. */
  private readonly lookAgain = (): void => {
    const { flow } = this
    if (document.visibilityState !== 'visible' || !flow) return
    if (flow.state.phase === 'shown' && flow.state.mode === 'view') void flow.load()
  }

  private async readLanguage(): Promise<void> {
    this.language = await loadLanguage(navigator.languages)
    const { language } = new Intl.Locale(this.language.locale)
    const own = await languages[language]?.().then(
      ({ texts }) => texts,
      () => english,
    )
    this.texts = { ...this.language.texts, ...(own ?? english) }
    this.formats = new Formats(this.language.locale)
    const { documentElement } = document
    documentElement.lang = this.language.locale
    documentElement.dir = this.language.direction
    document.title = this.texts.title
    const heading = document.querySelector('h1')
    if (heading) heading.textContent = this.texts.title
    this.isReady = true
    this.drawSoon()
  }

  /** Draws concurrent changes once. */
  private drawSoon(): void {
    if (this.isToBeDrawn) return
    this.isToBeDrawn = true
    queueMicrotask(() => {
      this.isToBeDrawn = false
      this.draw()
    })
  }

  private draw(): void {
    const { flow, isReady, language, texts, formats, ownZone } = this
    if (!flow || !isReady) return
    const color = flow.state.managed?.business.brand_color ?? null
    if (color !== this.shownColor) {
      this.shownColor = color
      this.brand.replaceSync(brandStyles(color))
    }
    render(
      <ManagePage {...{ flow, language, texts, formats, ownZone, nowMs }} state={flow.state} />,
      this.mount,
    )
  }
}

customElements.define('holdfast-manage', ManageElement)
