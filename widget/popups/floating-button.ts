import { brandStyles } from '../brand/brand-styles.ts'
import styles from './floating-button.css'

/**
 * `<holdfast-button publishable-key="cal_pub_…"><a href="…">Book</a></holdfast-button>`: keeps its link at the corner of the
 * window. The link opens the widget over the page, with the attributes of the element.
 */
export class FloatingButton extends HTMLElement {
  static readonly observedAttributes = ['accent', 'theme']

  private readonly brand = new CSSStyleSheet()
  private readonly opener = document.createElement('span')

  constructor() {
    super()
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    const root = this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [sheet, this.brand]
    this.opener.append(document.createElement('slot'))
    root.append(this.opener)
    // the widget reads the opener at a click, so its attributes are those of that moment
    this.addEventListener('click', () => this.describe(), { capture: true })
  }

  connectedCallback(): void {
    this.draw()
  }

  attributeChangedCallback(): void {
    this.draw()
  }

  private draw(): void {
    this.opener.style.colorScheme = this.getAttribute('theme') ?? ''
    // the browser resolves names of colours
    this.opener.style.accentColor = this.getAttribute('accent') ?? ''
    this.brand.replaceSync(brandStyles(getComputedStyle(this.opener).accentColor))
  }

  private describe(): void {
    for (const { name } of [...this.opener.attributes])
      if (name.startsWith('data-')) this.opener.removeAttribute(name)
    for (const { name, value } of this.attributes) this.opener.setAttribute(`data-${name}`, value)
    this.opener.dataset['holdfastOpen'] = this.getAttribute('publishable-key') ?? ''
  }
}
