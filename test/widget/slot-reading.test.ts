import { expect, test } from 'vitest'
import type { Connection } from '../../widget/api/connection.ts'
import { anyone, nothingChosen, type Choice } from '../../widget/flow/choice-rules.ts'
import { BookingFlow } from '../../widget/flow/booking-flow.ts'

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

/** A flow over a service that answers after `answers()` was called; what it was asked, and when. */
function flowWith(preset: Choice, { refusesEarly = false } = {}) {
  const asked: string[] = []
  let nowMs = start
  let waiting: (() => void)[] = []
  const list = (data: unknown[]) => ({ data, next_cursor: null })
  const answerTo = (path: string): unknown => {
    if (path.startsWith('/services')) return list(services)
    if (path.startsWith('/locations')) {
      return list([{ id: 'here', name: 'Here', timezone: 'Europe/Berlin', address: null, active: true }])
    }
    if (path.startsWith('/staff')) return list(people.map((id) => ({ id, name: id })))
    if (path.startsWith('/availability/soonest')) return null
    const person = /staff_id=(\w+)/.exec(path)?.[1]
    const shown = slots.filter(({ staff_ids }) => person === undefined || staff_ids.includes(person))
    return { timezone: 'Europe/Berlin', days: [{ date: '2026-11-24', slots: shown }] }
  }
  const connection = {
    token: undefined,
    onWait: () => undefined,
    session: () => Promise.resolve({ show_branding: true, business: {} }),
    call: async (_method: string, path: string) => {
      asked.push(path.split(/[?&](?:limit|from)/, 1)[0] ?? '')
      const isEarly = path.startsWith('/availability') && asked.length === 1
      await new Promise<void>((resolve) => waiting.push(resolve))
      if (isEarly && refusesEarly) throw new Error('refused')
      return { status: 200, body: answerTo(path), etag: null }
    },
  }
  const flow = new BookingFlow({
    connection: connection as unknown as Connection, // of which the flow needs no more
    checkouts: { go: () => true, keep: () => undefined, take: () => undefined },
    preset,
    zone: () => 'Europe/Berlin',
    place: { key: 'x', isOwn: false },
    manageUrl: null,
    nowMs: () => nowMs,
    locale: () => 'en',
    events: { held: () => undefined, booked: () => undefined, error: () => undefined },
  })
  return {
    flow,
    asked,
    later: (ms: number) => {
      nowMs += ms
    },
    /** Everything that was asked so far gets its answer. */
    answers: async () => {
      await new Promise((resolve) => setImmediate(resolve)) // until all of it was asked
      for (const resolve of waiting.splice(0)) resolve()
      waiting = []
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const times = (flow: BookingFlow) =>
  (flow.state.slots['2026-11'] ?? []).map(({ startsAt }) => startsAt.slice(11, 16))
const catalogue = ['/services', '/locations', '/staff']

test('slots of what the page has preselected are asked for beside the catalogue, once', async () => {
  const { flow, asked, answers } = flowWith({ serviceId: 'room', locationId: 'here', staffId: null })
  void flow.start()
  await answers()
  expect(asked).toEqual(['/availability?service_id=room&location_id=here', ...catalogue])
  await answers()
  expect(asked).toHaveLength(4)
  expect([flow.state.step, times(flow), flow.state.busy]).toEqual(['time', ['10:00', '11:00'], null])
})

test('nothing is asked early where a visitor chooses the service or the place', async () => {
  for (const preset of [nothingChosen, { ...nothingChosen, serviceId: 'room' }]) {
    const { flow, asked, answers } = flowWith(preset)
    void flow.start()
    await answers()
    expect(asked.slice(0, 3)).toEqual(catalogue)
  }
})

test('times with room for more people are asked for anew, and another service is for one again', async () => {
  const { flow, asked, answers } = flowWith({ ...nothingChosen, locationId: 'here' })
  void flow.start()
  await answers()
  flow.choose('service', 'room')
  await answers()
  expect(asked.at(-1)).toBe('/availability?service_id=room&location_id=here')
  flow.setParty(3)
  expect(flow.state.slots).toEqual({})
  await answers()
  expect(asked.at(-1)).toBe('/availability?service_id=room&location_id=here&party_size=3')
  expect(times(flow)).toEqual(['10:00', '11:00'])
  flow.choose('service', 'one')
  await answers()
  expect([flow.state.party, asked.at(-1)]).toEqual([1, '/availability?service_id=one&location_id=here'])
})

test('of one person nothing is asked a second time', async () => {
  const { flow, asked, answers } = flowWith({ serviceId: 'one', locationId: 'here', staffId: null })
  void flow.start()
  await answers()
  await answers()
  expect([flow.state.step, asked.length, times(flow)]).toEqual(['time', 4, ['10:00', '11:00']])
})

test('whoever chooses a person sees their times at once, and then what the service says', async () => {
  const { flow, asked, answers } = flowWith({ serviceId: 'cut', locationId: 'here', staffId: null })
  void flow.start()
  await answers()
  await answers()
  expect(flow.state.step).toBe('staff')
  flow.choose('staff', 'grace')
  await new Promise((resolve) => setImmediate(resolve))
  expect([times(flow), flow.state.busy]).toEqual([['11:00'], null])
  expect(asked.at(-1)).toBe('/availability?service_id=cut&location_id=here&staff_id=grace')
  await answers()
  expect(times(flow)).toEqual(['11:00'])
})

test('what was asked early and is old by now is asked again', async () => {
  const { flow, asked, answers, later } = flowWith({ serviceId: 'cut', locationId: 'here', staffId: null })
  void flow.start()
  await answers()
  await answers()
  later(31_000)
  flow.choose('staff', anyone)
  await answers()
  expect(asked).toHaveLength(5)
})

test('a month that was left before its answer came is asked for again by who comes back to it', async () => {
  const { flow, answers } = flowWith({ serviceId: 'room', locationId: 'here', staffId: null })
  void flow.start()
  await answers()
  void flow.showMonth('2026-12')
  void flow.showMonth('2027-01')
  await answers()
  expect(Object.keys(flow.state.slots)).toEqual(['2026-11', '2027-01'])
  void flow.showMonth('2026-12')
  await answers()
  expect(['2026-12' in flow.state.slots, flow.state.busy]).toEqual([true, null])
})

test('an early question that is refused is asked again, as if it had not been', async () => {
  const preset = { serviceId: 'room', locationId: 'here', staffId: 'gone' }
  const { flow, asked, answers } = flowWith(preset, { refusesEarly: true })
  void flow.start()
  await answers()
  await answers()
  await answers()
  expect(asked.at(-1)).toBe('/availability?service_id=room&location_id=here')
  expect([flow.state.trouble, times(flow)]).toEqual([null, ['10:00', '11:00']])
})
