import { Suspense } from 'react'
import { Booking } from './booking'

type Search = Promise<{ campaign?: string }>

export default function Page({ searchParams }: { searchParams: Search }) {
  return (
    <main>
      <h1>Book an appointment</h1>
      <Suspense fallback={<div style={{ minHeight: 800 }} />}>
        <ConfiguredBooking searchParams={searchParams} />
      </Suspense>
    </main>
  )
}

/** The query is known at the request, so this reads the environment of the server, not of the build. */
async function ConfiguredBooking({ searchParams }: { searchParams: Search }) {
  const { campaign = 'none' } = await searchParams
  return (
    <Booking
      server={process.env.HOLDFAST_URL ?? 'http://127.0.0.1:3000'}
      publishableKey={process.env.HOLDFAST_PUBLISHABLE_KEY ?? ''}
      campaign={campaign}
    />
  )
}
