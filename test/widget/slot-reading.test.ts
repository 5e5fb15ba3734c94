import { lateFlowOf } from '../../widget/flow/late-flow.ts'
import { expect, test } from 'vitest'
import type { Connection } from '../../widget/api/connection.ts'
import { anyone, nothingChosen, type Preset } from '../../widget/flow/choice-rules.ts'
import { Refused } from '../../widget/api/refusals.ts'
import { BookingFlow } from '../../widget/flow/booking-flow.ts'
import { knownSlots } from '../../widget/flow/slots.ts'

const start = Date.parse('2026-11-20T09:00:00Z')
const people = ['ada', 'grace']
const services = [
  { id: 'room', staff_ids: [] },
  { id: 'cut', staff_ids: people },
  { id: 'one', staff_ids: ['ada'] },
].map((parts) => ({ ...parts, name: parts.id, active: true, location_ids: ['here'], custom_fields: [] }))
const slots = [
  { starts_at: '2026-11-24T10:00:00Z', ends_at: '2026-11-24T11:00:00Z', staff_ids: ['ada'], seats_left: 1 },
  { starts_at: '2026-11-24T11:00:00Z', ends_at: '2026-11-24T12:00:00Z', staff_ids: people, seats_left: 1 },
]

/** Returns a flow over a service that answers when `answers()` is called, and the requests so far. */
function flowWith(preset: Preset, { isOpen = false, mostDays = 62 } = {}) {
  const asked: string[] = []
  const ranges: [from: string, to: string][] = []
  let nowMs = start
  const waiting: (() => void)[] = []
  const until = (path: string) => {
    asked.push(path.split('&from', 1)[0] ?? '')
    return new Promise<void>((resolve) => waiting.push(resolve))
  }
  const of = (person: string | null) =>
    slots.filter(({ staff_ids }) => person === null || staff_ids.includes(person))
  const connection = {
    token: undefined,
    isOpen,
    onWait: () => undefined,
    start: async (query: string) => {
      await until(`start?${query}`)
      const asks = new URLSearchParams(query)
      const [service, staff, size] = ['service', 'staff', 'party_size'].map((name) => asks.get(name))
      if (staff === 'gone') throw new Refused({ status: 404, code: 'not_found', title: '', detail: '' }, null)
      const shown = of(staff ?? null)
      const first = {
        ...{
          service_id: service,
          location_id: 'here',
          staff_id: staff ?? null,
          party_size: Number(size ?? 1),
        },
        ...{ soonest: shown[0], slots: shown, next: shown, dates: ['2026-11-24', '2026-11-26'] },
      }
      return {
        ...{ show_branding: true, business: {}, services, staff: people.map((id) => ({ id, name: id })) },
        locations: [{ id: 'here', name: 'Here', timezone: 'Europe/Berlin', address: null, active: true }],
        first: service ? first : null,
      }
    },
    call: async (_method: string, path: string) => {
      await until(path)
      connection.isOpen = true
      const person = /staff_id=(\w+)/.exec(path)?.[1] ?? null
      const { from = '', to = '' } = Object.fromEntries(new URLSearchParams(path.split('?')[1]))
      ranges.push([from, to])
      if (Date.parse(to) - Date.parse(from) >= mostDays * dayMs)
        throw new Refused(
          { status: 422, code: 'validation_failed', title: '', detail: '', errors: tooMany },
          null,
        )
      const days = [
        { date: '2026-11-24', slots: of(person) },
        { date: '2026-11-26', slots: [later26] },
      ].filter(({ date }) => from <= date && date <= to)
      return { status: 200, body: { timezone: 'Europe/Berlin', days }, etag: null }
    },
  }
  const flow = new BookingFlow({
    connection: connection as unknown as Connection, // the flow needs no more of it
    later: async () => ({
      lateFlowOf: (flow) => lateFlowOf(flow, { goTo: () => undefined, openBeside: () => true }),
    }),
    checkout: { publishableKey: 'x', storage: () => sessionStorage, ownPath: null }, // there is none
    preset,
    zone: () => ({ zone: 'Europe/Berlin', isChosen: false }),
    place: { key: 'x', isOwn: false },
    manageUrl: null,
    nowMs: () => nowMs,
    locale: () => 'en',
    events: { held: () => undefined, booked: () => undefined, error: () => undefined },
  })
  return {
    flow,
    asked,
    ranges,
    later: (ms: number) => {
      nowMs += ms
    },
    /** Answers all requests so far. */
    answers: async () => {
      await new Promise((resolve) => setImmediate(resolve)) // until all of them were sent
      for (const resolve of waiting.splice(0)) resolve()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const dayMs = 86_400_000
const tooMany = [{ pointer: '/to', code: 'too_many_slots', detail: '' }]
const later26 = { ...slots[1], starts_at: '2026-11-26T15:00:00Z', ends_at: '2026-11-26T16:00:00Z' }
const times = (flow: BookingFlow) =>
  (knownSlots(flow.state, '2026-11') ?? []).map(({ startsAt }) => startsAt.slice(11, 16))
const room = { serviceId: 'room', locationId: 'here', staffId: null }
const cut = { ...room, serviceId: 'cut' }

test('the first times of what the page has preselected come with the catalogue, in one request', async () => {
  const { flow, asked, answers } = flowWith(room)
  void flow.start()
  await answers()
  expect(asked).toEqual(['start?service=room&location=here'])
  expect([flow.state.step, flow.state.date, times(flow)]).toEqual(['time', '2026-11-24', ['10:00', '11:00']])
  expect([flow.state.busy, flow.state.slots]).toEqual([null, {}])
})

test('whoever chooses sees first times without a session; the month is read for another day', async () => {
  const { flow, asked, answers } = flowWith(nothingChosen)
  void flow.start()
  await answers()
  flow.choose('service', 'room')
  await answers()
  flow.chooseDate('2026-11-24')
  expect(asked).toEqual(['start?', 'start?service=room&location=here'])
  flow.chooseDate('2026-11-26')
  expect(flow.state.busy).toBe('slots')
  await answers()
  expect(asked.slice(2)).toEqual(['/availability?service_id=room&location_id=here'])
  expect([flow.state.date, times(flow)]).toEqual(['2026-11-26', ['10:00', '11:00', '15:00']])
})

test('where the tab has a session, the month is read at once', async () => {
  const { flow, asked, answers } = flowWith(room, { isOpen: true })
  void flow.start()
  await answers()
  await answers()
  expect(asked).toEqual([
    'start?service=room&location=here',
    '/availability?service_id=room&location_id=here',
  ])
  expect(times(flow)).toEqual(['10:00', '11:00', '15:00'])
})

test('a month that one response cannot hold is read in parts, each day once', async () => {
  const { flow, ranges, answers } = flowWith(room, { isOpen: true, mostDays: 7 })
  void flow.start()
  for (let times = 0; times < 8; times += 1) await answers()
  expect(ranges).toEqual([
    ['2026-11-19', '2026-12-01'],
    ['2026-11-19', '2026-11-25'],
    ['2026-11-26', '2026-12-01'],
  ])
  expect([times(flow), flow.state.trouble]).toEqual([['10:00', '11:00', '15:00'], null])
})

test('times with room for more people are asked for anew, and another service is for one again', async () => {
  const { flow, asked, answers } = flowWith({ ...nothingChosen, locationId: 'here' })
  void flow.start()
  await answers()
  flow.choose('service', 'room')
  await answers()
  flow.setParty(3)
  expect(times(flow)).toEqual([])
  await answers()
  expect(asked.at(-1)).toBe('start?service=room&location=here&party_size=3')
  flow.choose('service', 'one')
  await answers()
  expect([flow.state.party, asked.at(-1)]).toEqual([1, 'start?service=one&location=here'])
})

test('whoever chooses a person sees their times; what was asked early and is old is asked again', async () => {
  const { flow, asked, answers, later } = flowWith(cut)
  void flow.start()
  await answers()
  expect([flow.state.step, asked.length]).toEqual(['staff', 1])
  flow.choose('staff', 'grace')
  await answers()
  expect([times(flow), asked.at(-1)]).toEqual([['11:00'], 'start?service=cut&location=here&staff=grace'])
  later(31_000)
  flow.choose('staff', anyone)
  await answers()
  expect(asked).toHaveLength(3)
})

test('the day of a link is shown, or the next free one', async () => {
  for (const date of ['2026-11-26', '2026-11-25']) {
    const { flow, asked, answers } = flowWith({ ...room, date })
    void flow.start()
    await answers()
    await answers()
    expect([flow.state.date, asked.length]).toEqual(['2026-11-26', 2])
  }
})

test('the day of a link that is past, or in a month without free times, is left for the first free one', async () => {
  for (const date of ['2026-11-01', '2027-05-05']) {
    const { flow, answers } = flowWith({ ...room, date })
    void flow.start()
    for (let times = 0; times < 3; times += 1) await answers()
    expect([flow.state.month, flow.state.date]).toEqual(['2026-11', '2026-11-24'])
  }
})

test('a month that was left before its answer came is asked for again by who comes back to it', async () => {
  const { flow, answers } = flowWith(room)
  void flow.start()
  await answers()
  void flow.showMonth('2026-12')
  void flow.showMonth('2027-01')
  await answers()
  expect(Object.keys(flow.state.slots)).toEqual(['2027-01'])
  void flow.showMonth('2026-12')
  await answers()
  expect(['2026-12' in flow.state.slots, flow.state.busy]).toEqual([true, null])
})

test('a preselected person who is not offered is ignored', async () => {
  const { flow, asked, answers } = flowWith({ ...room, staffId: 'gone' })
  void flow.start()
  for (let times = 0; times < 3; times += 1) await answers()
  expect(asked).toEqual([
    'start?service=room&location=here&staff=gone',
    'start?',
    'start?service=room&location=here',
  ])
  expect([flow.state.trouble, times(flow)]).toEqual([null, ['10:00', '11:00']])
})
