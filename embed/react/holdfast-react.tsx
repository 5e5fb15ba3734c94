'use client'

import { type CSSProperties, type ReactNode, type RefObject, useEffect, useRef } from 'react'
import {
  bookingAttributes,
  type BookingOptions,
  type HoldfastDetails,
  type HoldfastEventName,
} from '@holdfast/widget'
import type {} from '@holdfast/widget/jsx'

type Listeners = { [Name in HoldfastEventName]?: ((detail: HoldfastDetails[Name]) => void) | undefined }

interface Shared extends BookingOptions {
  /** The public URL of your Holdfast, such as `https://book.example.com`. */
  server: string
  className?: string | undefined
  id?: string | undefined
  style?: CSSProperties | undefined
  /** The nonce of your Content-Security-Policy, for the script. */
  nonce?: string | undefined
  /** The first step appears. On a page from the server, this may happen before React listens. */
  onReady?: Listeners['ready']
  /** Another step appears. */
  onStep?: Listeners['step']
  /** A time is held. */
  onHeld?: Listeners['held']
  /** It is booked. While a deposit is due, `status` is `pending`, and a second call follows the payment. */
  onBooked?: Listeners['booked']
  /** A request failed. The widget has told the visitor. */
  onError?: Listeners['error']
}

export interface HoldfastBookingProps extends Shared {
  /** Replaces the link to the booking page, which shows until the widget has loaded. */
  children?: ReactNode
  /**
   * Reserved height in pixels, so that nothing shifts while the widget loads. Default: 800. With 0, the element has no
   * inline style, which a strict Content-Security-Policy refuses. Then set its height in a style sheet.
   */
  minHeight?: number | undefined
}

/** The widget as a part of the page. */
export function HoldfastBooking(props: HoldfastBookingProps) {
  const { children, minHeight = 800, ...shared } = props
  const { server, id, className, style, nonce, options, listeners } = split(shared)
  const element = useRef<HTMLElement>(null)
  useEvents(element, listeners)
  return (
    <>
      <script async src={`${server}/widget/v1.js`} nonce={nonce} />
      <holdfast-booking
        {...bookingAttributes(options)}
        ref={element}
        id={id}
        className={className}
        style={minHeight === 0 ? style : { display: 'block', minHeight, ...style }}
        suppressHydrationWarning
      >
        {/* the widget gives up the height if its key does not work, maybe before hydration */}
        {children ?? <a href={`${server}/book/${options.publishableKey}`}>Book an appointment</a>}
      </holdfast-booking>
    </>
  )
}

export interface HoldfastButtonProps extends Shared {
  /** The text of the button. */
  children: ReactNode
  /** The widget over the page has closed. */
  onClosed?: Listeners['closed']
}

/** A button at the corner of the window, which opens the widget over the page. Put it at the end of the page. */
export function HoldfastButton(props: HoldfastButtonProps) {
  const { children, onClosed, ...shared } = props
  const { server, id, className, style, nonce, options, listeners } = split(shared)
  const element = useRef<HTMLElement>(null)
  useEvents(element, { ...listeners, closed: onClosed })
  return (
    <>
      <script async src={`${server}/widget/holdfast.js`} nonce={nonce} />
      <holdfast-button
        {...bookingAttributes(options)}
        ref={element}
        id={id}
        className={className}
        style={style}
      >
        <a href={`${server}/book/${options.publishableKey}`}>{children}</a>
      </holdfast-button>
    </>
  )
}

function split(shared: Shared) {
  const { server, id, className, style, nonce, onReady, onStep, onHeld, onBooked, onError, ...options } =
    shared
  const listeners: Listeners = {
    ready: onReady,
    step: onStep,
    held: onHeld,
    booked: onBooked,
    error: onError,
  }
  return { server: server.replace(/\/+$/, ''), id, className, style, nonce, options, listeners }
}

const names: readonly HoldfastEventName[] = ['ready', 'step', 'held', 'booked', 'closed', 'error']

/** Calls the latest listeners for the events of an element, or of the widget over the page that it opened. */
function useEvents(element: RefObject<HTMLElement | null>, listeners: Listeners): void {
  const latest = useRef(listeners)
  useEffect(() => {
    latest.current = listeners
  })
  useEffect(() => {
    const hear = ({ type, target, detail }: CustomEvent) => {
      const { opener } = target as HTMLElement & { opener?: HTMLElement }
      const root = opener?.getRootNode()
      const source = root instanceof ShadowRoot ? root.host : target
      if (source === element.current)
        latest.current[type.slice('holdfast:'.length) as HoldfastEventName]?.(detail as never)
    }
    for (const name of names) document.addEventListener(`holdfast:${name}`, hear)
    return () => {
      for (const name of names) document.removeEventListener(`holdfast:${name}`, hear)
    }
  }, [element])
}
