import { createHoldfastClient, HoldfastError, type Schemas } from '@holdfast/client'

/** The page's input: a slot, and the client. Holdfast validates it. */
type Wanted = Schemas['PlaceHold'] & Pick<Schemas['ConvertHold'], 'client'>

/** The key stays on the server. It is a business key: see README.md for who may call this route. */
const client = () =>
  createHoldfastClient({
    baseUrl: process.env.HOLDFAST_URL ?? 'http://127.0.0.1:3000',
    key: process.env.HOLDFAST_BUSINESS_KEY ?? '',
  })

/** Refusals that the page can handle. Others, such as that of the key, are ours. */
const forThePage = [404, 409, 410, 422]

export async function POST(request: Request): Promise<Response> {
  const wanted = (await request.json().catch(() => undefined)) as Partial<Wanted> | undefined | null
  if (typeof wanted !== 'object' || wanted === null) return new Response('not JSON', { status: 400 })
  try {
    const { id, status, service, starts_at, ends_at } = await book(wanted as Wanted)
    return Response.json({ id, status, service: service.name, starts_at, ends_at }, { status: 201 })
  } catch (error) {
    if (!(error instanceof HoldfastError) || !forThePage.includes(error.status)) throw error
    const headers = { 'content-type': 'application/problem+json' }
    return Response.json(error.problem, { status: error.status, headers })
  }
}

/** Holds the slot and books it. Releases it at once if the booking fails. */
async function book({ service_id, location_id, starts_at, client: who }: Wanted) {
  const holdfast = client()
  const { hold_id } = await holdfast.holds.create({ service_id, location_id, starts_at })
  try {
    return await holdfast.bookings.create({ hold_id, client: who })
  } catch (error) {
    await holdfast.holds.release(hold_id)
    throw error
  }
}
