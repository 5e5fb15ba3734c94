import { verifyWebhook, WebhookVerificationError } from '@holdfast/client'

export async function POST(request: Request): Promise<Response> {
  const secrets = (process.env.HOLDFAST_WEBHOOK_SECRET ?? '').split(' ') // two while a secret is being replaced
  try {
    const { id, event, data } = await verifyWebhook(await request.text(), request.headers, secrets)
    // an event may arrive twice: remember `id`, and ignore repetitions
    console.log(`${id} ${event}: ${data.service.name} at ${data.starts_at}`)
    return new Response(null, { status: 204 })
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return Response.json({ reason: error.reason }, { status: 400 })
  }
}
