'use client'

import { useState } from 'react'
import { HoldfastBooking } from '@holdfast/react'

/** The widget in the colours of the shop. After the booking, it leads to the page `/thanks`. */
export function Booking({
  server,
  publishableKey,
  campaign,
}: {
  server: string
  publishableKey: string
  campaign: string
}) {
  const [status, setStatus] = useState('')
  return (
    <>
      <HoldfastBooking
        server={server}
        publishableKey={publishableKey}
        theme="light dark"
        accent="#6b21a8"
        metadata={{ source: 'shop', campaign }}
        successUrl="/thanks"
        onHeld={({ hold }) => setStatus(`Held until ${new Date(hold.expires_at).toLocaleTimeString()}.`)}
        onBooked={({ booking }) => setStatus(`Booked: ${booking.service.name}.`)}
      />
      <p role="status">{status}</p>
    </>
  )
}
