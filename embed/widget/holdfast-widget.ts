import { type BookingAttributes, bookingAttributes, type BookingOptions, type Prefill } from './attributes.ts'
import type {
  Booked,
  BookingStep,
  Held,
  HoldfastDetails,
  HoldfastEventMap,
  HoldfastEventName,
  Money,
  StepDetail,
} from './events.ts'

export { bookingAttributes }
export type {
  Booked,
  BookingAttributes,
  BookingOptions,
  BookingStep,
  Held,
  HoldfastDetails,
  HoldfastEventMap,
  HoldfastEventName,
  Money,
  Prefill,
  StepDetail,
}

/** The global object of `/widget/holdfast.js`. */
export interface Holdfast {
  /**
   * Opens the widget over the page. Resolves when it is open. If the widget does not load, the booking page replaces
   * the current page.
   */
  open(options: BookingOptions): Promise<void>
  /** Closes the widget over the page. It asks first if the visitor has typed something. */
  close(): void
  /** Listens to all widgets of the page. Returns a function that stops it. */
  on<Name extends HoldfastEventName>(
    name: Name,
    listener: (detail: HoldfastDetails[Name]) => void,
  ): () => void
}

const loading = new Map<string, Promise<Holdfast>>()

/**
 * Loads `/widget/holdfast.js` from a server such as `https://book.example.com`, once. It loads the elements too. Call it in
 * the browser only. Rejects if the script does not load; a later call tries again.
 */
export function loadHoldfast(server: string): Promise<Holdfast> {
  const src = `${server.replace(/\/+$/, '')}/widget/holdfast.js`
  const known = loading.get(src)
  if (known) return known
  const loads = new Promise<Holdfast>((resolve, reject) => {
    const fail = () => {
      loading.delete(src)
      script.remove()
      reject(new Error(`Holdfast did not load from ${src}`))
    }
    const take = () => (window.Holdfast ? resolve(window.Holdfast) : fail())
    const script = Object.assign(document.createElement('script'), { src, async: true, onerror: fail })
    script.onload = take
    if (window.Holdfast) take()
    else document.head.append(script)
  })
  loading.set(src, loads)
  return loads
}

declare global {
  interface Window {
    /** Present once `/widget/holdfast.js` has run. */
    Holdfast?: Holdfast
  }

  interface HTMLElementTagNameMap {
    'holdfast-booking': HTMLElement
    'holdfast-button': HTMLElement
  }

  // merged with TypeScript's own declaration
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type
  interface HTMLElementEventMap extends HoldfastEventMap {}

  // eslint-disable-next-line @typescript-eslint/no-empty-object-type
  interface DocumentEventMap extends HoldfastEventMap {}
}
