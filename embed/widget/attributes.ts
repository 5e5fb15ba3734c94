/** Details of the visitor that the page already knows. The visitor can change them. */
export interface Prefill {
  firstName?: string | undefined
  lastName?: string | undefined
  email?: string | undefined
  phone?: string | undefined
  notes?: string | undefined
}

/** Options of the widget. Each one is an attribute of the element: `serviceId` is `service-id`. */
export interface BookingOptions {
  /** The key of the business, such as `cal_pub_…`. */
  publishableKey: string
  /** Preselects a service by its ID. */
  serviceId?: string | undefined
  /** Preselects several services for one visit: IDs or names in links. */
  services?: readonly string[] | undefined
  locationId?: string | undefined
  /** Preselects a person by their ID, or `anyone`. */
  staffId?: string | undefined
  /** Shows this day first, such as `2026-12-01`, or the next free one. */
  date?: string | undefined
  /** Language and date format (BCP 47). Default: the visitor's language. */
  locale?: string | undefined
  /** Initial time zone, such as `Asia/Tokyo`. */
  timeZone?: string | undefined
  /** Default: the `color-scheme` of the page. */
  theme?: 'light' | 'dark' | 'light dark' | undefined
  /** The colour from which all shades follow, readable in both themes. Default: the colour of the business. */
  accent?: string | undefined
  /** The page after the booking, relative to the current page. It gets the ID of the booking as `booking_id`. */
  successUrl?: string | undefined
  /** True adds each step to the browser history. */
  history?: boolean | undefined
  prefill?: Prefill | undefined
  /** Values of your own, kept with the booking. Names are in lower case. */
  metadata?: Readonly<Record<string, string>> | undefined
}

/** Attributes of `<holdfast-booking>`, and of `<holdfast-button>`, which passes them on. */
export interface BookingAttributes {
  'publishable-key': string
  'service-id'?: string | undefined
  /** IDs or names in links, separated by commas. */
  services?: string | undefined
  'location-id'?: string | undefined
  'staff-id'?: string | undefined
  date?: string | undefined
  locale?: string | undefined
  'time-zone'?: string | undefined
  /** Present to add each step to the browser history. */
  history?: '' | undefined
  theme?: 'light' | 'dark' | 'light dark' | undefined
  accent?: string | undefined
  'success-url'?: string | undefined
  'prefill-first-name'?: string | undefined
  'prefill-last-name'?: string | undefined
  'prefill-email'?: string | undefined
  'prefill-phone'?: string | undefined
  'prefill-notes'?: string | undefined
  [metadata: `metadata-${string}`]: string | undefined
}

/** Returns the options as attributes of the elements. */
export function bookingAttributes(options: BookingOptions): BookingAttributes {
  const { prefill = {}, metadata = {}, services, history, ...rest } = options
  const given = [
    ...Object.entries(rest).map(([name, value]) => [kebab(name), value] as const),
    ...Object.entries(prefill).map(([name, value]) => [`prefill-${kebab(name)}`, value] as const),
    ...Object.entries(metadata).map(([name, value]) => [`metadata-${name}`, value] as const),
    ['services', services?.join()] as const,
    ['history', history ? '' : undefined] as const,
  ]
  return Object.fromEntries(
    given.filter(([, value]) => typeof value === 'string'),
  ) as unknown as BookingAttributes
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
