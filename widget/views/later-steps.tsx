import { texts } from 'texts:en-later'
import { fallback } from '../languages.ts'
import styles from '../later-steps.css'

/* The steps that nobody needs at once: a file of their own, loaded while the visitor looks at the first one. */
export { accompany } from '../visit/visit.ts'
export { lateFlowOnPage as lateFlowOf } from './this-page.ts'
export { Announcements } from './announcements.tsx'
export { Confirmation } from './confirmation.tsx'
export { Details } from './details.tsx'
export { NoneFree } from './none-free.tsx'
export { SlotNotice } from './slot-notice.tsx'

// what English shows in these steps; other languages have it already
Object.assign(fallback.texts, texts)

/** Their styles; one sheet for all elements of the page. */
export const sheet = new CSSStyleSheet()
sheet.replaceSync(styles)
