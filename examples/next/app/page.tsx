import { Booking } from './booking'

export const dynamic = 'force-dynamic' // reads the environment of the server, not of the build

export default function Page() {
  return (
    <main>
      <h1>Book an appointment</h1>
      <Booking
        server={process.env.HOLDFAST_URL ?? 'http://127.0.0.1:3000'}
        publishableKey={process.env.HOLDFAST_PUBLISHABLE_KEY ?? ''}
      />
    </main>
  )
}
