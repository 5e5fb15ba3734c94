import type { Money, Service } from '../api/api-types.ts'
import { servicesOf, type Catalogue, type Choice, type MoreItem } from './choice-rules.ts'

/** An item with the person who is asked for, or null. */
type Item = Pick<MoreItem, 'serviceId' | 'staffId' | 'party' | 'isWith'>

/** Length and price of services. They depend on the person as long as anyone may give them. */
export interface Totals {
  /** The shortest and longest length in minutes. */
  minutes: [number, number]
  /** The lowest price of all people; null without prices. */
  price: Money | null
  /** True if some people are dearer. */
  isFrom: boolean
  deposit: Money | null
  /** True if a card is saved, unless something is paid. */
  card: boolean
}

/** Adds up services, each with its person, or anyone. Those that start together take the time of the longest. */
export function totalsOf(catalogue: Pick<Catalogue, 'services' | 'staff'>, items: Item[]): Totals {
  const groups: [number, number][] = []
  let [least, most, deposits] = [0, 0, 0]
  let card = false
  let currency: string | undefined
  for (const { serviceId, staffId, party, isWith } of items) {
    const service = catalogue.services.find(({ id }) => id === serviceId)
    if (!service) continue
    const people = staffId
      ? [staffId]
      : service.staff_ids.filter((id) => catalogue.staff.some((one) => one.id === id))
    const all = (people[0] ? people : ['']).map((id) => termsOf(service, id))
    const [shortest, longest] = rangeOf(all.map(({ minutes }) => minutes))
    const [from, to] = (isWith && groups.pop()) || [0, 0]
    groups.push([Math.max(from, shortest), Math.max(to, longest)])
    const [cheapest, dearest] = rangeOf(all.map(({ price }) => price?.amount ?? 0))
    least += party * cheapest
    most += party * dearest
    card ||= service.payment === 'card'
    deposits += party * (service.payment === 'full' ? cheapest : (service.deposit?.amount ?? 0))
    currency ??= (all.find(({ price }) => price)?.price ?? service.deposit)?.currency
  }
  const money = (amount: number) => (currency ? { amount, currency } : null)
  return {
    minutes: groups.reduce((sum, group) => [sum[0] + group[0], sum[1] + group[1]], [0, 0]),
    price: least || !deposits ? money(least) : null, // a deposit is at most the price, if there is one
    isFrom: least < most,
    deposit: deposits ? money(deposits) : null,
    card,
  }
}

/** Returns the length and price of a service with a person's terms. */
function termsOf({ terms = [], duration_minutes, price }: Service, staffId: string) {
  const own = terms.find(({ staff_id }) => staff_id === staffId)
  return {
    minutes:
      own?.steps?.reduce((sum, step) => sum + step.minutes, 0) ?? own?.duration_minutes ?? duration_minutes,
    price: own?.price ?? price,
  }
}

function rangeOf(numbers: number[]): [number, number] {
  return [Math.min(...numbers), Math.max(...numbers)]
}

/** Returns true if the hold should name its people, because they are several, or one of them has other terms. */
export function namesPeople(catalogue: Catalogue, choice: Choice): boolean {
  const services = servicesOf(catalogue, choice)
  return services.length > 1 || Boolean(services[0]?.terms?.length)
}
