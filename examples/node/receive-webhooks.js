// Receives webhooks and prints those that are genuine.
import { createServer } from 'node:http'
import { verifyWebhook, WebhookVerificationError } from '@holdfast/client'

const port = Number(process.env.PORT ?? 4000)
const secrets = (process.env.WEBHOOK_SECRET ?? '').split(' ') // two while a secret is being replaced
const maxBytes = 100_000

/** The IDs of handled events, because a delivery may arrive twice. They belong in a database. */
const handled = new Set()

const server = createServer(async (request, response) => {
  /** @param {number} status */
  const answer = (status) => response.writeHead(status).end()
  try {
    const body = await bodyOf(request)
    if (!body) return answer(413)
    const event = await verifyWebhook(body, request.headers, secrets)
    answer(204) // at once; the work comes afterwards
    if (handled.has(event.id)) return
    handled.add(event.id)
    console.log(`${event.event}: ${event.data.service.name} at ${event.data.starts_at}`)
  } catch (error) {
    if (error instanceof WebhookVerificationError) console.error(`Refused: ${error.message}`)
    else console.error(error)
    answer(error instanceof WebhookVerificationError ? 400 : 500)
  }
})

/**
 * Returns the body as received, or undefined if it is too long.
 * @param {import('node:http').IncomingMessage} request
 */
async function bodyOf(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= maxBytes) chunks.push(chunk)
  }
  return bytes <= maxBytes ? Buffer.concat(chunks) : undefined
}

server.listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}`))
