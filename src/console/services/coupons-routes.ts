import type { FastifyInstance } from 'fastify'
import { html, type Html } from '../../base/html.ts'
import { type Instant, instantFromMs, readInstant, toMs } from '../../base/instants.ts'
import { mostPerPage, presentPage } from '../../base/paging.ts'
import { compileCreation } from '../../base/validation.ts'
import type { Context } from '../../bookings/context.ts'
import { ChangeCoupon, CreateCoupon } from '../../bookings/coupon-schemas.ts'
import {
  changeCoupon,
  couponReductions,
  createCoupon,
  deleteCoupon,
  listCoupons,
  presentCoupon,
  showCoupon,
} from '../../bookings/coupon.ts'
import { serviceKind } from '../../catalogue/catalogue-kinds.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { type FormState, faultSummary, filledForm, hidden } from '../../pages/form.ts'
import { asksOnce } from '../developers/developers-page.ts'
import { doneNotice, pathOf } from '../frame/console-page.ts'
import {
  assertOfBusiness,
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  type ShownPage,
} from '../frame/console-route.ts'
import {
  day,
  fieldsOf,
  fillRows,
  ids,
  number,
  readRows,
  type Row,
  text,
  yesOrNo,
} from '../frame/form-rows.ts'
import { emptyState } from '../frame/empty-state.ts'
import { dayText } from '../frame/formats.ts'
import { addButton } from '../frame/item-page.ts'
import { listItems, nextPage, pageOrFirst } from '../frame/lists.ts'
import { currencyField, currencyName, money, usualCurrency } from './currencies.ts'

/* Coupons of a business: the list, the form of one, and its removal. */

export const couponsPath = '/console/coupons'
const newId = 'new'

/** Registers the coupons of a business. */
export function couponPagesRoutes(app: FastifyInstance, context: Context): void {
  const list = couponList(context)
  consoleRoutes(app, context, [list, couponPage(context), removedCoupon(context, list)])
}

type Coupon = ReturnType<typeof presentCoupon>

function couponList(context: Context): ConsoleRoute & Required<Pick<ConsoleRoute, 'show'>> {
  return {
    path: couponsPath,
    name: 'CouponsPage',
    summary: 'The coupons of a business',
    role: 'manager',
    show: async (visit, { query }) => {
      const { coupons: words, setUp } = visit.texts
      const business_id = visit.business.id
      const { data, next_cursor } = await pageOrFirst(query['cursor'], async (cursor) =>
        presentPage(
          await listCoupons(context, visit.person, { business_id, limit: mostPerPage, cursor }),
          presentCoupon,
        ),
      )
      return {
        title: words.title,
        section: 'services',
        body: html`<p><a class="back" href="${pathOf('/console/services', visit)}">${setUp.back}</a></p>
          <div class="head">
            <h1>${words.title}</h1>
            ${data.length === 0 ? '' : addButton(visit, couponsPath, words.add)}
          </div>
          ${doneNotice({ ...setUp.done, removed: words.removed }, query['done'])}
          ${
            data.length === 0
              ? emptyState('services', words.empty, addButton(visit, couponsPath, words.add))
              : html`<ul class="rows">
                  ${data.map(
                    (coupon) =>
                      html`<li class="item">
                        <a href="${pathOf(`${couponsPath}/${coupon.id}`, visit)}"
                          ><bdi>${coupon.code}</bdi></a
                        >
                        <span class="soft">${aboutOf(visit, coupon, context.clock.now())}</span>
                        <span class="end">${offText(visit, coupon)}</span>
                      </li>`,
                  )}
                </ul>`
          }
          ${nextPage(visit, couponsPath, next_cursor)}`,
      }
    },
  }
}

/** Returns the use of a coupon, and when it ends: "used 3 of 20 times · until 31 December". */
function aboutOf(visit: BusinessVisit, coupon: Coupon, now: Instant): string {
  const { texts, business, locale } = visit
  const { coupons: words } = texts
  const { valid_until } = coupon
  const setting = { timezone: business.timezone, locale }
  const last = valid_until === null ? undefined : instantFromMs(toMs(readInstant(valid_until)) - 1)
  if (!coupon.active || (last !== undefined && last < now)) return words.inactive
  return [
    usedText(visit, coupon),
    ...(last === undefined ? [] : [words.endsOn({ day: dayText(last, setting) })]),
  ].join(' · ')
}

/** Renders the uses of a coupon, with a link to its bookings, and what they took off: "Used 3 of 20 times · €30 off in total". */
async function usesText(context: Context, visit: BusinessVisit, coupon: Coupon): Promise<Html> {
  const { texts, locale } = visit
  const off = (await couponReductions(context, coupon)).map((money) => moneyText(money, locale))
  const amount = new Intl.ListFormat(locale).format(off)
  const total = off.length === 0 ? '' : ` · ${texts.coupons.offInAll({ amount })}`
  const bookings = pathOf('/console/bookings', visit, { when: 'all', coupon: coupon.id })
  const used = usedText(visit, coupon)
  return html`${coupon.uses === 0 ? used : html`<a href="${bookings}">${used}</a>`}${total}`
}

function usedText({ texts }: BusinessVisit, { uses: count, max_uses: most }: Coupon): string {
  return most === null ? texts.coupons.used({ count }) : texts.coupons.usedOf({ count, most })
}

function offText({ locale }: BusinessVisit, { percent, amount, currency }: Coupon): string {
  if (percent !== null)
    return new Intl.NumberFormat(locale, { style: 'percent', signDisplay: 'negative' }).format(percent / 100)
  return amount === null || currency === null ? '' : moneyText({ amount, currency }, locale)
}

function couponRows(visit: BusinessVisit, services: readonly Service[] = []): Row[] {
  const { coupons: words } = visit.texts
  const { timezone } = visit.business
  return [
    ['code', text({ required: true, max: 40 }), words.code, words.codeHint],
    ['percent', number({ unit: '%' }), words.percent],
    ['amount', money(visit), words.amount],
    ['valid_from', day(timezone), words.from],
    ['valid_until', day(timezone, { isEnd: true }), words.until],
    ['max_uses', number(), words.uses, words.usesHint],
    ['max_uses_per_client', number(), words.perClient],
    ['service_ids', ids(services, { least: 2 }), words.services, words.servicesHint],
    ['active', yesOrNo(), words.active],
  ]
}

/** Converts the form into the members of the API. */
function readCoupon(visit: BusinessVisit, typed: FormState['typed']) {
  const { amount: off, service_ids, ...body } = readRows(couponRows(visit), typed)
  const services = service_ids as string[]
  const money = off !== null && typeof off === 'object' ? off : { amount: off ?? null, currency: null }
  return { ...body, ...money, service_ids: services.length === 0 ? null : services }
}

function couponPage(context: Context): ConsoleRoute {
  const find = async (visit: BusinessVisit, id: string) => {
    if (id === newId) return undefined
    const coupon = await showCoupon(context, visit.person, id)
    assertOfBusiness(visit, coupon.business_id)
    return presentCoupon(coupon)
  }
  const shown = async (visit: BusinessVisit, state: FormState, id: string): Promise<ShownPage> => {
    const { coupons: words, setUp } = visit.texts
    const coupon = await find(visit, id)
    const title = coupon?.code ?? words.new
    const services = await listItems(context, visit.person, {
      kind: serviceKind,
      businessId: visit.business.id,
    })
    const at = fieldsOf(couponRows(visit, services), state)
    return {
      title,
      section: 'services',
      body: html`<p><a class="back" href="${pathOf(couponsPath, visit)}">${setUp.back}</a></p>
        <h1><bdi>${title}</bdi></h1>
        ${coupon ? html`<p class="soft">${await usesText(context, visit, coupon)}</p>` : ''}
        ${faultSummary(state, setUp)}
        <form method="post" class="fields wide-fields">
          ${hidden({ once: visit.once })}
          <section class="card">
            ${at('code')}
            <div class="beside">${at('percent', 'amount')} ${currencyField(visit, state)}</div>
            <p class="soft">${words.amountHint}</p>
            <div class="beside">${at('valid_from', 'valid_until')}</div>
            <div class="beside">${at('max_uses', 'max_uses_per_client')}</div>
            ${at('service_ids', 'active')}
          </section>
          <div class="actions save"><button type="submit" class="main">${setUp.save}</button></div>
        </form>
        ${
          coupon
            ? asksOnce(words.remove, {
                action: pathOf(`${couponsPath}/${coupon.id}/remove`, visit),
                why: words.removeWhy,
                button: words.removeNow,
              })
            : ''
        }`,
    }
  }
  return {
    path: `${couponsPath}/:id`,
    name: 'CouponPage',
    summary: 'A coupon of a business',
    role: 'manager',
    show: async (visit, { id }) => {
      const coupon = await find(visit, id)
      const { amount, currency } = coupon ?? { amount: null, currency: null }
      const off = amount === null || currency === null ? null : { amount, currency }
      const usual = { [currencyName]: usualCurrency({ ...visit.business, locale: visit.locale }) }
      const filled = fillRows(couponRows(visit), { active: true, ...coupon, amount: off })
      return shown(visit, filledForm({ ...usual, ...filled }), id)
    },
    form: {
      rows: couponRows,
      act: async (visit, typed, { id }, once) => {
        await find(visit, id)
        const body = readCoupon(visit, typed)
        const next = { path: couponsPath, query: { done: 'saved' } }
        if (id !== newId) {
          const change = checkedForm(ChangeCoupon, body)
          await changeCoupon(context, visit.person, { id, change })
          return next
        }
        const created = { ...body, business_id: visit.business.id }
        const input = checkedForm(CreateCoupon, created, compileCreation)
        return once(
          (store) => createCoupon(context, visit.person, input, store),
          () => next,
        )
      },
      again: (visit, state, { id }) => shown(visit, state, id),
    },
  }
}

function removedCoupon(context: Context, list: Required<Pick<ConsoleRoute, 'show'>>): ConsoleRoute {
  return {
    path: `${couponsPath}/:id/remove`,
    name: 'RemovedCoupon',
    summary: 'Delete a coupon',
    role: 'manager',
    form: {
      act: async (visit, _typed, { id }) => {
        const coupon = await showCoupon(context, visit.person, id)
        assertOfBusiness(visit, coupon.business_id)
        await deleteCoupon(context, visit.person, id)
        return { path: couponsPath, query: { done: 'removed' } }
      },
      again: (visit, _state, address) => list.show(visit, address),
    },
  }
}
