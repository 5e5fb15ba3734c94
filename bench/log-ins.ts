import { request } from 'undici'
import { median, type Plan } from './measure.ts'
import type { Engine } from './operations.ts'
import { postgresFor, startTarget, type Target, thisCheckout } from './targets.ts'

/*
 * Differences in response times that could reveal accounts. One client tries a known and an unknown address in turns.
 * It logs in with a wrong password, and requests a link for a new one.
 */

const known = 'ada@example.com'
const unknown = 'eve@example.com'
const password = 'correct horse battery staple'

const forms = [
  {
    asks: 'log-in, wrong password',
    path: '/console/login',
    status: 422,
    fields: { password: `${password}?` },
  },
  { asks: 'link for a new password', path: '/console/forgotten', status: 200, fields: {} },
]

/** Prints for each engine and form the median and p99 of both addresses. */
export async function measureLogIns({ engines, rounds, seconds }: Plan): Promise<void> {
  await using undo = new AsyncDisposableStack()
  const postgresUrl = await postgresFor(engines, undo)
  console.log(
    `One request at a time, for an address that somebody has and one that nobody has in turns, for ${rounds * seconds} s.`,
  )
  const rows: object[] = []
  for (const engine of engines) rows.push(...(await rowsOf(engine, postgresUrl, rounds * seconds)))
  console.table(rows)
}

async function rowsOf(engine: Engine, postgresUrl: string | undefined, seconds: number): Promise<object[]> {
  await using undo = new AsyncDisposableStack()
  // nothing listens there, so the emails wait
  const settings = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Bench <bench@example.com>' }
  const target = await startTarget(thisCheckout, engine, { postgresUrl, number: 0, settings })
  undo.defer(() => target.stop())
  await addPerson(target)
  const rows: object[] = []
  for (const { asks, path, status, fields } of forms) {
    const timesOf = new Map<string, number[]>([known, unknown].map((email) => [email, []]))
    const ask = async (email: string) => {
      const begun = performance.now()
      await send(target, path, { status, fields: { email, ...fields } })
      return performance.now() - begun
    }
    for (let warm = 0; warm < 20; warm += 1) await ask(warm % 2 === 0 ? known : unknown)
    const end = performance.now() + seconds * 1_000
    while (performance.now() < end) {
      const pair = Math.random() < 0.5 ? [known, unknown] : [unknown, known]
      for (const email of pair) timesOf.get(email)?.push(await ask(email))
    }
    for (const [email, times] of timesOf)
      rows.push({
        ...{ engine, asks, address: email === known ? 'known' : 'unknown', requests: times.length },
        ...{ 'p50 ms': median(times).toFixed(2), 'p99 ms': p99(times).toFixed(1) },
      })
  }
  return rows
}

async function addPerson(target: Target): Promise<void> {
  const { link } = await target.command<{ link: { url: string } }>(
    ...['user', 'create', known, '--role', 'owner', '--business', 'Bench'],
  )
  const fields = { token: new URL(link.url).hash.slice(1), password }
  await send(target, '/console/link', { status: 303, fields })
}

async function send(
  { addresses: [address = ''] }: Target,
  path: string,
  { status, fields }: { status: number; fields: Record<string, string> },
): Promise<void> {
  const { statusCode, body } = await request(address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(fields).toString(),
  })
  const text = await body.text()
  if (statusCode !== status) throw new Error(`POST ${path} answered ${statusCode}: ${text.slice(0, 500)}`)
}

function p99(times: number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? NaN
}
