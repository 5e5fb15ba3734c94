import { Suspense } from 'react'
import { createHoldfastClient, HoldfastError } from '@holdfast/client'

type Search = Promise<{ booking_id?: string }>

/** The page after a booking. Everybody who has the ID of a booking sees its service and time, and nothing else. */
export default function Thanks({ searchParams }: { searchParams: Search }) {
  return (
    <main>
      <h1>Thank you!</h1>
      <Suspense>
        <Booked searchParams={searchParams} />
      </Suspense>
    </main>
  )
}

async function Booked({ searchParams }: { searchParams: Search }) {
  const { booking_id: id = '' } = await searchParams
  const holdfast = createHoldfastClient({
    baseUrl: process.env.HOLDFAST_URL ?? 'http://127.0.0.1:3000',
    key: process.env.HOLDFAST_BUSINESS_KEY ?? '',
  })
  const booking = await holdfast.bookings.get(id).catch((error: unknown) => {
    if (error instanceof HoldfastError && error.code === 'not_found') return undefined
    throw error
  })
  return (
    booking && (
      <p>
        {booking.service.name}, {timeOf(booking.starts_at, booking.location.timezone)}
      </p>
    )
  )
}

function timeOf(instant: string, timeZone: string): string {
  return new Date(instant).toLocaleString('en', { dateStyle: 'full', timeStyle: 'short', timeZone })
}
