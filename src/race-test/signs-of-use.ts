import { isIP } from 'node:net'
import type { RaceClient } from './race-client.ts'

/** What makes a booking count: one that was cancelled says nothing about today. */
const live = ['pending', 'confirmed', 'in_progress', 'completed']

/**
 * Why this is likely to be an installation that people rely on, in words; none when it looks like a trial. A service does
 * not tell whether it is a production one, so it is judged by what it has.
 */
export async function signsOfUse(client: RaceClient, urls: string[]): Promise<string[]> {
  const away = urls.filter((url) => !isThisMachine(new URL(url).hostname))
  const signs = away.map((url) => `${url} is not on this machine`)
  for (const status of live) {
    const { data } = await client.have('GET', `/bookings?limit=1&status=${status}`)
    if ((data as unknown[]).length === 0) continue
    signs.push('the business has bookings')
    break
  }
  const { data } = await client.have('GET', '/webhooks?limit=100')
  const active = (data as { status: string }[]).filter(({ status }) => status === 'active').length
  if (active > 0) signs.push(`${active} webhooks would be told of the bookings of the test`)
  return signs
}

function isThisMachine(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}
