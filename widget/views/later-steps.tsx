import { texts } from 'texts:en-later'
import { fallback } from '../languages.ts'
import styles from '../later-steps.css'

/* The steps after the first, in a separate file that loads while the visitor looks at the first step. */
export { accompany } from '../visit/visit.ts'
export { lateFlowOnPage as lateFlowOf } from './this-page.ts'
export { Announcements } from './announcements.tsx'
export { Basket } from './basket.tsx'
export { Confirmation } from './confirmation.tsx'
export { Details } from './details.tsx'
export { NoneFree } from './none-free.tsx'
export { SlotNotice } from './slot-notice.tsx'
export { WaitingList } from './waiting-list.tsx'

// English texts of these steps; other languages already have them
Object.assign(fallback.texts, texts)

/** Their styles, in one sheet for all elements of the page. */
export const sheet = new CSSStyleSheet()
sheet.replaceSync(styles)
