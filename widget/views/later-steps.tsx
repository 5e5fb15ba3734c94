import '../locales/en-later.ts'
import styles from '../later-steps.css'

/* The steps that nobody needs at once: a file of their own, loaded while the visitor looks at the first one. */
export { accompany } from '../visit/visit.ts'
export { lateFlowOf } from '../flow/late-flow.ts'
export { Announcements } from './announcements.tsx'
export { Confirmation } from './confirmation.tsx'
export { Details } from './details.tsx'
export { SlotNotice } from './slot-notice.tsx'

/** Their styles; one sheet for all elements of the page. */
export const sheet = new CSSStyleSheet()
sheet.replaceSync(styles)
