import { describe, expect, test } from 'vitest'
import type { Service } from '../../widget/api/api-types.ts'
import {
  anyone,
  completed,
  itemsOf,
  itemsText,
  namedIn,
  nextStep,
  nothingChosen,
  servicesToAdd,
  staffForAll,
  without,
  type Catalogue,
  type Choice,
} from '../../widget/flow/choice-rules.ts'
import { askedBy } from '../../widget/flow/draft-rules.ts'
import { initialState, type FlowState } from '../../widget/flow/flow-state.ts'
import { totalsOf } from '../../widget/flow/item-rules.ts'
import { withItem } from '../../widget/flow/late-state.ts'
import { strictestRules } from '../../widget/flow/change-rules.ts'

const euro = (amount: number) => ({ amount, currency: 'EUR' })
const service = (id: string, parts: Partial<Service> = {}): Service => ({
  ...{ id, slug: `${id}-slug`, name: id, category: null, description: null, image_url: null },
  ...{ duration_minutes: 30, capacity: 1, price: euro(3_000), deposit: null, payment: 'none', terms: [] },
  ...{ location_ids: ['here'], staff_ids: ['ada', 'grace'], custom_fields: [] },
  client_fields: { phone: 'optional', last_name: 'required' },
  ...{
    max_advance_days: null,
    cancel_until_minutes: 60,
    reschedule_until_minutes: 60,
    max_reschedules: 3,
    max_repeats: 1,
  },
  active: true,
  ...parts,
})
const person = (id: string) => ({ id, name: id, description: null, image_url: null })
const place = (id: string) => ({
  ...{ id, name: id, timezone: 'Europe/Berlin', address: null, online_url: null, active: true },
})
const catalogue: Catalogue = {
  services: [
    service('cut'),
    service('colour', {
      deposit: euro(1_000),
      terms: [{ staff_id: 'grace', price: euro(2_000), steps: [{ minutes: 20 }, { minutes: 25 }] }],
    }),
    service('nails', { staff_ids: ['ada'], price: null }),
    service('class', { capacity: 8, staff_ids: [] }),
    service('dollars', { price: { amount: 100, currency: 'USD' } }),
    service('away', { location_ids: ['there'] }),
  ],
  locations: [place('here'), place('there')],
  staff: [person('ada'), person('grace')],
}
const more = (serviceId: string, parts: Partial<NonNullable<Choice['more']>[number]> = {}) => ({
  ...{ serviceId, staffId: null, party: 1, isWith: false, ...parts },
})
const ids = (all: { id: string }[]) => all.map(({ id }) => id)

describe('several services', () => {
  const cut = { serviceId: 'cut', locationId: 'here', staffId: 'grace' }

  test('a further service goes to the person who was chosen, if they give it', () => {
    const choice = completed(catalogue, { ...cut, more: [more('colour'), more('nails')] })
    expect(choice.more?.map(({ staffId }) => staffId)).toEqual(['grace', anyone])
    expect(itemsText(itemsOf(catalogue, choice, 1))).toBe('cut:grace,colour:grace,nails')
    const along = completed(catalogue, { ...cut, more: [more('colour', { isWith: true, party: 2 })] })
    expect(itemsText(itemsOf(catalogue, along, 1))).toBe('cut:grace,~colour*2')
  })

  test('services that the page names are chosen, by ID or slug, and one person for all is asked for', () => {
    const preset = namedIn(catalogue, { ...nothingChosen, services: ['cut', 'colour-slug', 'gone'] })
    const choice = completed(catalogue, nothingChosen, preset)
    expect([choice.serviceId, choice.locationId, ids(staffForAll(catalogue, choice))]).toEqual([
      'cut',
      'here',
      ['ada', 'grace'],
    ])
    expect(nextStep(choice)).toBe('staff')
    const withAda = completed(catalogue, nothingChosen, { ...preset, staffId: 'ada' })
    expect(itemsText(itemsOf(catalogue, withAda, 1))).toBe('cut:ada,colour:ada')
    // another first service drops the rest
    const other = completed(catalogue, { ...without(choice, 'service'), serviceId: 'cut' }, preset)
    expect(other.more).toEqual([])
    // nowhere together
    expect(completed(catalogue, { ...cut, locationId: null, more: [more('away')] }).more).toEqual([])
  })

  test('offers what can follow at the location, and what others can give at the same time', () => {
    expect(ids(servicesToAdd(catalogue, cut, false))).toEqual(['colour', 'nails', 'class'])
    expect(ids(servicesToAdd(catalogue, cut, true))).toEqual(['cut', 'colour', 'nails'])
    const two = { ...cut, more: [more('colour', { isWith: true })] }
    expect(servicesToAdd(catalogue, two, true)).toEqual([]) // only two people
    expect(ids(servicesToAdd(catalogue, { ...cut, serviceId: 'nails' }, true))).toEqual([
      'cut',
      'colour',
      'dollars',
    ])
    const ten = { ...cut, more: Array.from({ length: 9 }, () => more('nails')) }
    expect(servicesToAdd(catalogue, ten, false)).toEqual([])
  })

  test('lengths and prices are those of the people, and ranges for anyone', () => {
    const totals = (choice: Choice) => totalsOf(catalogue, itemsOf(catalogue, choice, 1))
    const anybody = completed(catalogue, { ...cut, staffId: anyone, more: [more('colour')] })
    expect(totals(anybody)).toEqual({
      ...{ minutes: [60, 75], price: euro(5_000), isFrom: true, deposit: euro(1_000), card: false },
    })
    expect(totals(completed(catalogue, { ...cut, more: [more('colour')] }))).toMatchObject({
      ...{ minutes: [75, 75], price: euro(5_000), isFrom: false },
    })
    const along = completed(catalogue, { ...cut, staffId: anyone, more: [more('colour', { isWith: true })] })
    expect(totals(along).minutes).toEqual([30, 45])
    expect(totals({ ...cut, serviceId: 'nails' }).price).toBeNull()
  })

  test('a service can be removed or changed; the next one takes the first place', () => {
    const choice = completed(catalogue, { ...cut, more: [more('class', { party: 3 }), more('colour')] })
    const state: FlowState = {
      ...initialState(nothingChosen, { zone: 'Europe/Berlin', isChosen: false }, 0),
      ...{ catalogue, choice, step: 'time', date: '2026-12-01' },
    }
    const left = withItem(state, 0)
    expect(left).toMatchObject({ party: 3, date: null, choice: { serviceId: 'class' } })
    expect(itemsText(itemsOf(catalogue, left.choice, left.party))).toBe('class*3,colour:grace')
    const changed = withItem(state, 2, { staffId: 'ada' })
    expect(itemsText(itemsOf(catalogue, changed.choice, 1))).toBe('cut:grace,class*3,colour:ada')
  })

  test('the strictest rules and all questions hold', () => {
    const field = { id: 'f', key: 'f', label: 'F', type: 'text' as const, required: false }
    const strict = service('strict', {
      client_fields: { phone: 'required', last_name: 'hidden' },
      ...{
        custom_fields: [field],
        cancel_until_minutes: null,
        reschedule_until_minutes: 90,
        max_reschedules: 1,
      },
    })
    expect(askedBy([service('cut', { custom_fields: [field] }), strict], null)).toEqual({
      client_fields: { phone: 'required', last_name: 'required' },
      custom_fields: [field],
    })
    expect(strictestRules([service('cut'), strict])).toEqual({
      ...{ cancel_until_minutes: null, reschedule_until_minutes: 90, max_reschedules: 1, isFree: true },
    })
    expect(strictestRules([{ ...strict, no_show_percent: 20 }, strict])?.isFree).toBe(false)
  })
})
