import { describe, expect, test } from 'vitest'
import { instantFromMs } from '../../src/base/instants.ts'
import {
  countPart,
  cursorOf,
  idPart,
  linePart,
  listAll,
  readPage,
  timeCursorOf,
} from '../../src/base/paging.ts'
import { Problem } from '../../src/base/errors.ts'

const id = '0199c3f0-0000-7000-8000-000000000001'
const instant = instantFromMs(Date.UTC(2026, 11, 1))

function textOf(parts: unknown): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

describe('a cursor', () => {
  const bookings = timeCursorOf(['booking', 'starts_at'])
  const services = cursorOf('service', countPart, linePart, idPart)

  test('has the form that clients keep from earlier releases', () => {
    expect(bookings.write([instant, id])).toBe(textOf(['booking', 'starts_at', instant, id]))
    expect(services.read(textOf(['service', '10000', 'Haircut', id]))).toEqual([10_000, 'Haircut', id])
  })

  test.each([
    ['of another order', ['booking', '-starts_at', instant, id]],
    ['of another list', ['webhook', 'starts_at', instant, id]],
    ['with a part too few', ['booking', 'starts_at', instant]],
    ['with a part too many', ['booking', 'starts_at', instant, id, id]],
    ['with a malformed instant', ['booking', 'starts_at', '2026-12-01', id]],
    ['with a malformed id', ['booking', 'starts_at', instant, 'nonsense']],
    ['with a number', ['booking', 'starts_at', instant, 1]],
    ['without a list', { 0: 'booking' }],
  ])('%s is refused', (_what, parts) => {
    expect(() => bookings.read(textOf(parts))).toThrow(Problem)
  })

  test('that is not JSON is refused', () => {
    expect(() => bookings.read('%')).toThrow(Problem)
  })
})

describe('a list', () => {
  const numbers = Array.from({ length: 250 }, (_, index) => index + 1)
  const list = { cursor: cursorOf('number', countPart), position: (number: number) => [number] as const }
  const pageOf = (query: { limit?: number; cursor?: string | undefined }) =>
    readPage(query, {
      ...list,
      find: async ({ after: [after] = [0], rows }) => numbers.filter((one) => one > after).slice(0, rows),
    })

  test('ends with the page that holds its last row', async () => {
    const first = await pageOf({ limit: 249 })
    expect(first.data).toHaveLength(249)
    expect(await pageOf({ limit: 1, cursor: first.next_cursor ?? undefined })).toEqual({
      data: [250],
      next_cursor: null,
    })
  })

  test('is read whole, or up to a number of items or pages', async () => {
    expect(await listAll(pageOf)).toEqual(numbers)
    expect(await listAll(pageOf, { items: 101 })).toHaveLength(200)
    expect(await listAll(pageOf, { pages: 1 })).toHaveLength(100)
  })
})
