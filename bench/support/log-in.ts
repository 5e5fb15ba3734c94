import { request } from 'undici'
import type { Target } from '../targets.ts'

const person = { email: 'ada@example.com', password: 'correct horse battery staple' }

/** Adds an owner of a business, by its name or ID, who logs in. Returns the cookie. */
export async function logInOwner(target: Target, business: string): Promise<{ name: string; value: string }> {
  const { link } = await target.command<{ link: { url: string } }>(
    ...['user', 'create', person.email, '--role', 'owner', '--business', business],
  )
  const [address = ''] = target.addresses
  const { statusCode, headers, body } = await request(`${address}/console/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({
      token: new URL(link.url).hash.slice(1),
      password: person.password,
    }).toString(),
  })
  await body.dump()
  const cookies = [headers['set-cookie'] ?? []].flat()
  const pairs = cookies.map((cookie) => cookie.split(';', 1)[0]?.split('=', 2) ?? [])
  const [name = '', value = ''] = pairs.find(([one]) => one === 'holdfast' || one === '__Host-holdfast') ?? []
  if (statusCode !== 303 || !value) throw new Error(`the log-in answered ${statusCode}`)
  return { name, value }
}
