import styles from '../later-steps.css'

/* The steps that nobody needs at once: a file of their own, loaded while the visitor looks at the first one. */
export { Confirmation } from './confirmation.tsx'
export { Details } from './details.tsx'

/** Their styles; one sheet for all elements of the page. */
export const sheet = new CSSStyleSheet()
sheet.replaceSync(styles)
