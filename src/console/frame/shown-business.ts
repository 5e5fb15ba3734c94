import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { findShownBusiness } from '../../access/session.ts'
import { isUuid } from '../../base/ids.ts'
import type { Context } from '../../bookings/context.ts'
import { firstBusinesses } from '../../catalogue/business.ts'

/*
 * The business on the pages for logging in. It depends on the server and on this browser. A typed email
 * address changes nothing, so these pages do not reveal who has an account.
 */

/** A business as the pages for logging in show it. */
export type GateBusiness = Awaited<ReturnType<typeof findShownBusiness>>

const cookieName = 'holdfast-business'

/** Returns the business that this browser showed last, or an empty string. A browser can claim any. */
export function lastShownBusiness(request: Pick<FastifyRequest, 'headers'>): string {
  return cookieValue(request).split('~', 1)[0] ?? ''
}

/**
 * Returns a cookie that remembers a business; undefined if the browser has it. It is signed, because the
 * log-in page names the business to everybody who sends it.
 */
export async function rememberBusiness(
  context: Pick<Context, 'secret'>,
  request: Pick<FastifyRequest, 'headers'>,
  id: string,
): Promise<string | undefined> {
  const value = await signed(context, id)
  return value === cookieValue(request) ? undefined : `${cookieName}=${value}`
}

/** Finds the business that this browser showed last, otherwise the server's only business. */
export async function businessOfGate(
  context: Context,
  request: Pick<FastifyRequest, 'headers'>,
): Promise<GateBusiness | undefined> {
  const known = lastShownBusiness(request)
  if (isUuid(known) && isSame(await signed(context, known), cookieValue(request)))
    return shown(context, known)
  return context.cache.getTogether('gate-business', async () => {
    const [only, other] = await firstBusinesses(context, 2)
    return only && !other ? shown(context, only.id) : undefined
  })
}

function shown({ db }: Context, businessId: string): Promise<GateBusiness> {
  return findShownBusiness(db.reads, { businessId })
}

async function signed({ secret }: Pick<Context, 'secret'>, id: string): Promise<string> {
  const digest = await secret.digester('shown business')
  return `${id}~${digest(id)}`
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function cookieValue({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2))
  return pairs.find(([name]) => name === cookieName)?.[1] ?? ''
}
