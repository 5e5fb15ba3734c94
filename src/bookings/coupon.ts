import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { quotasOfCoupons } from '../access/rate-limit-rules.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { readAskedItems } from '../availability/visit-query-rules.ts'
import { type FieldError, Problem, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, type Instant, instantFromMs } from '../base/instants.ts'
import { cursorOf, idPart, linePart, type Page, readPage } from '../base/paging.ts'
import { businessForCreation, referenceErrors, showOfCatalogue } from '../catalogue/catalogue.ts'
import { serviceKind } from '../catalogue/catalogue-kinds.ts'
import type { Money } from '../catalogue/catalogue-schemas.ts'
import { priceFor } from '../catalogue/service-rules.ts'
import type { Reads, Transaction } from '../database/database.ts'
import { type Discount, discountOf } from '../database/discount-rules.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import type { CouponsTable } from '../database/tables.ts'
import { lockBusiness, type TenantScope } from '../database/tenant-scope.ts'
import type { Context } from './context.ts'
import {
  countCoupons,
  countUse,
  countUsesOf,
  type CouponRow,
  deleteCouponRow,
  findAnyCoupon,
  findByCode,
  findCoupon,
  findCoupons,
  findReductions,
  insertCoupon,
  lockCoupon,
  updateCoupon,
} from './coupon-queries.ts'
import { couponErrors, isUsable, notValid, servicesOf, storedCode, usefulDiscount } from './coupon-rules.ts'
import type {
  CheckedCoupon,
  CheckQuery,
  Coupon,
  CouponChange,
  CouponInput,
  CouponsQuery,
} from './coupon-schemas.ts'
import type { ClientAddress } from './strangers.ts'

/*
 * Coupons. `uses` of a row counts the bookings with it, and is checked in their transactions. A trigger gives the use of
 * a booking back that is cancelled before its start.
 */

const maxCoupons = 1_000

/** Adds a coupon. Throws validation_failed, also for a code that the business has, or catalogue_limit_reached. */
export function createCoupon(
  context: Context,
  actor: Actor,
  { business_id, code, active = true, ...input }: CouponInput,
  store: StoreResponse<CouponRow> = storeNothing,
): Promise<CouponRow> {
  return context.db.transaction(async (tx) => {
    const { id: businessId } = await businessForCreation(tx.db, actor.scope, business_id)
    await lockBusiness(tx.db, actor.scope, businessId)
    if ((await countCoupons(tx.db, businessId)) >= maxCoupons)
      throw new Problem(
        'catalogue_limit_reached',
        `The business has ${maxCoupons} coupons: delete some first.`,
      )
    const coupon: CouponsTable = {
      ...{ id: context.ids.next(), business_id: businessId, code: storedCode(code), uses: 0 },
      ...columnsOf(input, noSettings),
      active: active ? 1 : 0,
      created_at: tx.now,
    }
    await assertServices(tx.db, coupon)
    if (!(await insertCoupon(tx.db, coupon))) throw codeTaken()
    await recordAudit(context, tx, {
      ...{ by: actor, action: 'coupon.created', subjectId: coupon.id, businessId },
    })
    const created = await existing(tx.db, actor.scope, coupon.id)
    await store(tx, created)
    return created
  })
}

const noSettings = {
  ...{ percent: null, amount: null, currency: null, service_ids_json: null },
  ...{ valid_from: null, valid_until: null, max_uses: null, max_uses_per_client: null },
}

/** Returns the columns of a creation or change; those of absent members stay. */
function columnsOf(
  { service_ids, valid_from, valid_until, ...given }: Omit<CouponChange, 'active' | 'code'>,
  before: typeof noSettings | CouponsTable,
) {
  const { percent = before.percent, amount = before.amount, currency = before.currency } = given
  const { max_uses = before.max_uses, max_uses_per_client = before.max_uses_per_client } = given
  return {
    ...{ percent, amount, currency, max_uses, max_uses_per_client },
    service_ids_json:
      service_ids === undefined ? before.service_ids_json : service_ids && JSON.stringify(service_ids),
    valid_from: valid_from === undefined ? before.valid_from : readTime(valid_from),
    valid_until: valid_until === undefined ? before.valid_until : readTime(valid_until),
  }
}

/** Reads a validated time. */
function readTime(text: string | null): Instant | null {
  return text === null ? null : instantFromMs(Math.floor(Date.parse(text) / 1_000) * 1_000)
}

/**
 * Changes a coupon. Bookings keep what was agreed. Throws not_found or validation_failed, also for fewer uses than it has.
 */
export function changeCoupon(
  context: Context,
  actor: Actor,
  { id, change }: { id: string; change: CouponChange },
): Promise<CouponRow> {
  return context.db.transaction(async (tx) => {
    const { code, active, ...settings } = change
    const { business_id } = await existing(tx.db, actor.scope, id)
    // the second of two coupons that get one code at the same moment sees the first
    if (code !== undefined) await lockBusiness(tx.db, actor.scope, business_id)
    const before = await lockExisting(tx, actor.scope, id)
    const kind = {
      ...(settings.percent && { amount: null, currency: null }),
      ...(settings.amount && { percent: null }),
    }
    const coupon: CouponsTable = {
      ...before,
      ...columnsOf({ ...kind, ...settings }, before),
      ...(code !== undefined && { code: storedCode(code) }),
      ...(active !== undefined && { active: active ? 1 : 0 }),
    }
    const errors = [...couponErrors(coupon), ...usesErrors(coupon)]
    if (errors.length > 0) throw validationProblem(errors)
    await assertServices(tx.db, coupon)
    if (!(await updateCoupon(tx.db, coupon))) throw codeTaken()
    const { id: subjectId, business_id: businessId } = coupon
    await recordAudit(context, tx, { by: actor, action: 'coupon.updated', subjectId, businessId })
    return existing(tx.db, actor.scope, subjectId)
  })
}

/** Deletes a coupon. Bookings keep their price and its code. Throws not_found. */
export async function deleteCoupon(context: Context, actor: Actor, id: string): Promise<void> {
  await context.db.transaction(async (tx) => {
    const coupon = await lockExisting(tx, actor.scope, id)
    await deleteCouponRow(tx.db, coupon)
    const { id: subjectId, business_id: businessId } = coupon
    await recordAudit(context, tx, { by: actor, action: 'coupon.deleted', subjectId, businessId })
  })
}

/** Reads a coupon in scope. Throws not_found. */
export function showCoupon(context: Context, actor: Actor, id: string): Promise<CouponRow> {
  return existing(context.db.reads, actor.scope, id)
}

/**
 * Returns what the uses of a coupon have taken off, in minor units by currency, the largest first. Bookings that were
 * cancelled before their start do not count.
 */
export async function couponReductions(
  { db }: Pick<Context, 'db'>,
  coupon: Pick<CouponRow, 'id' | 'business_id'>,
): Promise<Static<typeof Money>[]> {
  const sums = new Map<string, number>()
  for (const { currency, discount, bookings } of await findReductions(db.reads, coupon))
    if (currency && discount > 0) sums.set(currency, (sums.get(currency) ?? 0) + discount * bookings)
  return [...sums]
    .map(([currency, amount]) => ({ amount, currency }))
    .toSorted((one, other) => other.amount - one.amount)
}

const couponCursor = cursorOf('coupons', linePart, idPart)

/** Lists coupons in scope by their codes. */
export function listCoupons(
  context: Context,
  actor: Actor,
  { business_id: businessId, ...query }: Static<typeof CouponsQuery>,
): Promise<Page<CouponRow>> {
  return readPage(query, {
    cursor: couponCursor,
    find: (page) => findCoupons(context.db.reads, actor.scope, { businessId, ...page }),
    position: ({ code, id }) => [code, id],
  })
}

/** Returns a coupon for display, with times in the zone of its business. */
export function presentCoupon(coupon: CouponRow): Static<typeof Coupon> {
  const { id, business_id, code, percent, amount, currency, max_uses, max_uses_per_client, uses } = coupon
  const time = (instant: Instant) => formatInstant(instant, coupon.timezone)
  return {
    ...{ id, business_id, code, percent, amount, currency, max_uses, max_uses_per_client, uses },
    service_ids: servicesOf(coupon),
    valid_from: coupon.valid_from && time(coupon.valid_from),
    valid_until: coupon.valid_until && time(coupon.valid_until),
    active: coupon.active === 1,
    created_at: time(coupon.created_at),
  }
}

async function existing(db: Reads, scope: TenantScope, id: string): Promise<CouponRow> {
  const coupon = isUuid(id) ? await findCoupon(db, scope, id.toLowerCase()) : undefined
  if (!coupon) throw noSuchCoupon()
  return coupon
}

async function lockExisting(tx: Transaction, scope: TenantScope, id: string): Promise<CouponsTable> {
  const locked = await lockCoupon(tx.db, await existing(tx.db, scope, id))
  if (!locked) throw noSuchCoupon()
  return locked
}

function noSuchCoupon(): Problem {
  return new Problem('not_found', 'There is no coupon with this id.')
}

function codeTaken(): Problem {
  const detail = 'is the code of another coupon of the business'
  return validationProblem([{ pointer: '/code', code: 'repeated', detail }])
}

function usesErrors({ uses, max_uses }: CouponsTable): FieldError[] {
  if (max_uses === null || uses <= max_uses) return []
  const detail = `must be at least ${uses}, as often as it was used; \`active\` false ends it`
  return [{ pointer: '/max_uses', code: 'out_of_range', detail }]
}

async function assertServices(db: Reads, coupon: CouponsTable): Promise<void> {
  const errors = await referenceErrors(db, coupon.business_id, [
    {
      table: 'services',
      ids: servicesOf(coupon) ?? [],
      pointerTo: (index) => `/service_ids/${index}`,
    },
  ])
  if (errors.length > 0) throw validationProblem(errors)
}

/** The services of a booking with what all their people pay. */
type Priced = Parameters<typeof discountOf>[1]

/**
 * Counts a use of a coupon in the transaction of a booking. Returns the coupon's ID and what was agreed. The lock of the
 * row makes others wait, so neither limit is exceeded. Throws validation_failed, the same for every reason.
 */
export async function takeCoupon(
  tx: Transaction,
  {
    businessId,
    code,
    email,
    services,
  }: { businessId: string; code: string; email: string; services: Priced },
): Promise<{ couponId: string; discount: Discount }> {
  const coupon = await countUse(tx.db, { businessId, code: storedCode(code), now: tx.now })
  const discount = coupon && usefulDiscount(coupon, services)
  if (!coupon || !discount) throw notValid('/coupon')
  if (coupon.max_uses_per_client !== null) {
    const uses = await countUsesOf(tx.reads, { couponId: coupon.id, businessId, email })
    if (uses >= coupon.max_uses_per_client) throw notValid('/coupon')
  }
  return { couponId: coupon.id, discount }
}

/**
 * Checks that a booking's coupon can count again, before the booking is taken back from its cancellation. The trigger then
 * counts it. Throws change_not_allowed.
 */
export async function assertCouponLeft(tx: Transaction, booking: BookingRow): Promise<void> {
  const { coupon_id: id, business_id, cancelled_at, starts_at } = booking
  if (id === null || cancelled_at === null || cancelled_at >= starts_at) return
  const coupon = await lockCoupon(tx.db, { business_id, id })
  if (!coupon || coupon.max_uses === null || coupon.uses < coupon.max_uses) return
  const detail = `Its coupon ${coupon.code} has been used up since: raise \`max_uses\` of the coupon first.`
  throw new Problem('change_not_allowed', detail, { extensions: { reason: 'not_allowed' } })
}

/** Returns what services would cost with a coupon. Throws validation_failed, the same for every reason. */
export async function checkCoupon(
  context: Context,
  actor: Actor,
  { code, items }: Static<typeof CheckQuery>,
): Promise<Static<typeof CheckedCoupon>> {
  const db = context.db.reads
  const services: { businessId: string; priced: Priced[number] }[] = []
  for (const { service_id, staff_id = null, party_size = 1 } of readAskedItems(items)) {
    const service = await showOfCatalogue(context, actor, { kind: serviceKind, id: service_id })
    if (!service.active) throw new Problem('not_found', 'A service of `items` is not offered any more.')
    const price = priceFor(service, staff_id)
    services.push({
      businessId: service.business_id,
      priced: { serviceId: service.id, price: price && { ...price, amount: price.amount * party_size } },
    })
  }
  const businessId = services[0]?.businessId ?? ''
  const coupon = await findByCode(db, { businessId, code: storedCode(code) })
  const priced = services.map((one) => one.priced)
  const discount =
    coupon && isUsable(coupon, context.clock.now()) ? usefulDiscount(coupon, priced) : undefined
  const [first, ...others] = priced.flatMap(({ price }) => price ?? [])
  if (!coupon || !discount || !first) throw notValid('/code')
  const off = discountOf(discount, priced)
  const { currency } = first
  const amount = others.reduce((sum, one) => sum + one.amount, first.amount) - off
  return { code: coupon.code, discount: { amount: off, currency }, price: { amount, currency } }
}

/** Returns true if a business has a coupon that is in use. */
export function hasCoupons({ db }: Pick<Context, 'db'>, businessId: string): Promise<boolean> {
  return findAnyCoupon(db.reads, businessId)
}

/** Counts an attempt of a visitor with a code, so that nobody can try out many. Throws rate_limited. */
export async function countAttemptAtCode(
  { config }: Pick<Context, 'config'>,
  limiter: RateLimiter,
  { scope, from }: { scope: TenantScope; from: ClientAddress },
): Promise<void> {
  if (!('businessId' in scope)) return
  const quotas = quotasOfCoupons(from, scope.businessId, config.rateLimitFactor)
  const { allowed, retryAfterSeconds } = await limiter.count(quotas)
  if (allowed) return
  throw new Problem('rate_limited', `Too many codes were tried; try again in ${retryAfterSeconds} s.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}
