/* Types of the elements in React's JSX: `import '@holdfast/widget/jsx'`. */
import type { DetailedHTMLProps, HTMLAttributes } from 'react'
import type { BookingAttributes } from './attributes.ts'

type Tag<Attributes> = DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> & Attributes

declare module 'react' {
  // React's own name for the types of its JSX
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace JSX {
    interface IntrinsicElements {
      'holdfast-booking': Tag<BookingAttributes>
      'holdfast-button': Tag<BookingAttributes>
    }
  }
}
