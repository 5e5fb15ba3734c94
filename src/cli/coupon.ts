import { operator } from '../access/actor.ts'
import { ambiguousName, unknownId } from '../base/errors.ts'
import { listAll, presentPage } from '../base/paging.ts'
import type { Context } from '../bookings/context.ts'
import { ChangeCoupon, CouponsQuery, CreateCoupon } from '../bookings/coupon-schemas.ts'
import { changeCoupon, createCoupon, deleteCoupon, listCoupons, presentCoupon } from '../bookings/coupon.ts'
import { showBusiness } from '../catalogue/business.ts'
import { serviceKind } from '../catalogue/catalogue-kinds.ts'
import { type CliCommand, print, printPage, withExistingDatabase } from './command-line.ts'
import {
  assertChanges,
  assertNoFaults,
  checkedChange,
  checkedCreation,
  checkedQuery,
  given,
  inOptions,
  moneyText,
  numberIn,
  readBound,
  readFields,
  readMoney,
  repeated,
  shownTime,
  unlessNone,
} from './input.ts'
import { idsOf } from './item.ts'
import { ownerOfList } from './list-owner.ts'

type CouponRow = Parameters<typeof presentCoupon>[0]

/** Options of a new coupon and of a change. */
interface CouponOptions {
  percent?: string
  amount?: string
  /** False after `--no-service`. */
  service?: string[] | false
  from?: string
  until?: string
  maxUses?: string
  maxUsesPerClient?: string
  active?: boolean
  json?: boolean
}

interface ListOptions {
  business?: string
  limit?: string
  cursor?: string
  json?: boolean
}

const optionNames = {
  business_id: '--business',
  code: 'The code',
  currency: '--amount',
  service_ids: '--service',
  valid_from: '--from',
  valid_until: '--until',
}

export function registerCouponCommands(program: CliCommand): void {
  const group = program.group('coupon', 'manage coupons: codes that make a booking cheaper', 'list')
  registerList(group)
  registerCreate(group)
  registerChange(group)
  registerDelete(group)
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list coupons by code, with their uses')
    .option('--business <name or id>', 'only this business')
    .withPages()
    .withJson()
    .examples('coupon list --business "Salon Spree"')
    .action(async ({ business, json, ...same }: ListOptions) => {
      const { page, owner } = await withExistingDatabase(async (context) => {
        const owner = await ownerOfList(context, business)
        const body = given({ ...same, business_id: owner.business_id })
        const query = checkedQuery(CouponsQuery, body, optionNames)
        return { page: await listCoupons(context, operator, query), owner }
      })
      printPage(presentPage(page, presentCoupon), json, {
        title: owner.titleOf('Coupons'),
        columns: {
          ID: ({ id }) => id,
          CODE: ({ code }) => code,
          ...owner.column,
          OFF: offText,
          USES: ({ uses, max_uses }) => (max_uses === null ? String(uses) : `${uses} of ${max_uses}`),
          FROM: ({ valid_from }) => shownTime(valid_from ?? ''),
          UNTIL: ({ valid_until }) => shownTime(valid_until ?? ''),
          STATE: ({ active }) => (active ? 'active' : 'inactive'),
        },
      })
    })
}

type Coupon = ReturnType<typeof presentCoupon>

function offText({ percent, amount, currency }: Coupon): string {
  if (percent !== null) return `${percent} %`
  return amount === null || currency === null ? '' : moneyText({ amount, currency })
}

/** Adds the options of a new coupon and of a change. */
function withSettings(command: CliCommand): CliCommand {
  return command
    .option('--percent <number>', 'percentage off the price of each service, 1 to 100')
    .option('--amount <money>', 'or an amount off the whole booking, such as "5 EUR"')
    .option('--service <name or id>', 'only for this service; repeatable (default: all)', repeated)
    .option(
      '--from <time>',
      'first time to book with it: "2026-12-01" or "2026-12-01 10:00" in the zone of the business, or with an offset; "none" clears it',
    )
    .option('--until <time>', 'end; a date means its beginning; "none" clears it')
    .option('--max-uses <number>', 'most bookings with it; "none" clears it')
    .option('--max-uses-per-client <number>', 'most bookings of one email address; "none" clears it')
}

type Owner = Pick<CouponRow, 'business_id' | 'timezone'>

function settingsReaders(context: Context, { business_id, timezone }: Owner, options: CouponOptions) {
  const { percent, amount, service, from, until, maxUses, maxUsesPerClient } = options
  const clearable = <T>(text: string | undefined, reader: (text: string) => T) =>
    text === undefined ? undefined : unlessNone(text, reader)
  const uses = (text: string | undefined, option: string) =>
    clearable(text, (typed) => numberIn(typed, option, 'a whole number, such as 100, or "none"'))
  const money = amount === undefined ? () => undefined : () => readMoney(amount)
  return {
    percent: () =>
      percent === undefined ? undefined : numberIn(percent, '--percent', 'a whole number from 1 to 100'),
    amount: () => money()?.amount,
    service_ids: () => {
      if (service === undefined || service === false) return service === false ? null : undefined
      return idsOf(context, serviceKind, {
        businessId: business_id,
        option: '--service',
        references: service,
      })
    },
    valid_from: () => clearable(from, (text) => readBound(text, '--from', timezone)),
    valid_until: () => clearable(until, (text) => readBound(text, '--until', timezone)),
    max_uses: () => uses(maxUses, '--max-uses'),
    max_uses_per_client: () => uses(maxUsesPerClient, '--max-uses-per-client'),
  }
}

/** Reads the fields of the options. A faulty amount has one fault, although it is two fields. */
async function readSettings(context: Context, owner: Owner, options: CouponOptions) {
  const { fields, faults } = await readFields(settingsReaders(context, owner, options))
  if ('amount' in faults || 'percent' in faults) assertNoFaults(faults) // the rule would ask for a reduction
  const isRead = options.amount !== undefined && fields.amount !== undefined
  const { active } = options
  const currency = isRead ? readMoney(options.amount ?? '').currency : undefined
  return { fields: given({ ...fields, currency, active }), faults }
}

function registerCreate(group: CliCommand): void {
  const command = group
    .command('create <code>')
    .description('create a coupon with --percent or --amount')
    .requiredOption('--business <name or id>', 'the business')
  withSettings(command)
    .option('--no-active', 'nobody can use it yet')
    .withJson()
    .examples(
      'coupon create SUMMER10 --business "Salon Spree" --percent 10 --until 2026-09-01',
      'coupon create WELCOME --business "Salon Spree" --amount "5 EUR" --max-uses-per-client 1',
    )
    .action(async (code: string, { business, ...options }: CouponOptions & { business: string }) => {
      const created = await withExistingDatabase(async (context) => {
        const { id: business_id, timezone } = await showBusiness(context, business)
        const { fields, faults } = await readSettings(context, { business_id, timezone }, options)
        const input = checkedCreation(CreateCoupon, { business_id, code, ...fields }, optionNames, faults)
        return inOptions(optionNames, () => createCoupon(context, operator, input))
      })
      printCoupon(presentCoupon(created), options.json)
    })
}

function registerChange(group: CliCommand): void {
  const command = group
    .command('change <coupon>')
    .description('change a coupon by its code or ID; bookings keep the price that was agreed')
    .option('--code <code>', 'new code')
  withSettings(command)
    .option('--no-service', 'for all services again')
    .option('--active', 'let clients use it again')
    .option('--no-active', 'end it; its bookings stay')
    .withJson()
    .examples('coupon change SUMMER10 --no-active', 'coupon change SUMMER10 --max-uses 200')
    .action(async (reference: string, { code, json, ...options }: CouponOptions & { code?: string }) => {
      const changed = await withExistingDatabase(async (context) => {
        const coupon = await couponNamed(context, reference)
        const { fields, faults } = await readSettings(context, coupon, options)
        const body = { ...given({ code }), ...fields }
        assertChanges({ ...body, ...faults })
        const names = { ...optionNames, code: '--code' }
        const change = checkedChange(ChangeCoupon, body, names, faults)
        return inOptions(names, () => changeCoupon(context, operator, { id: coupon.id, change }))
      })
      printCoupon(presentCoupon(changed), json)
    })
}

function registerDelete(group: CliCommand): void {
  group
    .command('delete <coupon>')
    .description('delete a coupon by its code or ID; bookings keep the price that was agreed')
    .withJson()
    .examples('coupon delete SUMMER10')
    .action(async (reference: string, { json }: { json?: boolean }) => {
      const { id, code } = await withExistingDatabase(async (context) => {
        const coupon = await couponNamed(context, reference)
        await deleteCoupon(context, operator, coupon.id)
        return coupon
      })
      print({ id }, json, () => [`coupon ${code} is deleted`])
    })
}

/**
 * Finds the coupon with this ID or code in all businesses. Throws a UsageError that suggests a similar one or lists
 * every match.
 */
async function couponNamed(context: Context, reference: string): Promise<CouponRow> {
  const coupons = await listAll((page) => listCoupons(context, operator, page))
  const wanted = reference.trim().toLowerCase()
  const found = coupons.filter(({ id, code }) => id === wanted || code.toLowerCase() === wanted)
  const known = (rows: CouponRow[]) => rows.map(({ id, code }) => ({ id, name: code }))
  const [only, ...others] = found
  if (!only) throw unknownId('coupon', reference, { known: known(coupons) })
  if (others.length > 0) throw ambiguousName(reference, known(found))
  return only
}

function printCoupon(coupon: Coupon, json: boolean | undefined): void {
  const notes = [offText(coupon), ...(coupon.active ? [] : ['inactive'])]
  print(coupon, json, () => [`coupon ${coupon.id}  ${coupon.code}  (${notes.join(', ')})`])
}
