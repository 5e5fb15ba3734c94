/* The steps that nobody needs at once: a file of their own, loaded while the visitor looks at the first one. */
export { Confirmation } from './confirmation.tsx'
export { Details } from './details.tsx'
