import { describe, expect, test } from 'vitest'
import { assertBelowCaps, holdStatus, type CapCount } from '../../src/bookings/hold-rules.ts'
import { Problem } from '../../src/errors.ts'
import { instantFromMs } from '../../src/instants.ts'

const at = (seconds: number) => instantFromMs(Date.UTC(2026, 10, 20) + seconds * 1000)

describe('the status of a hold', () => {
  const hold = { booking_id: null, released_at: null, expires_at: at(600) }

  test('is active until the instant of its expiry', () => {
    expect(holdStatus(hold, at(0))).toBe('active')
    expect(holdStatus(hold, at(599.999))).toBe('active')
    expect(holdStatus(hold, at(600))).toBe('expired')
  })

  test('is what ended it, whatever the time', () => {
    for (const now of [at(0), at(700)]) {
      expect(holdStatus({ ...hold, released_at: at(5) }, now)).toBe('released')
      expect(holdStatus({ ...hold, booking_id: 'b' }, now)).toBe('converted')
      expect(holdStatus({ ...hold, booking_id: 'b', released_at: at(5) }, now)).toBe('converted')
    }
  })
})

describe('caps', () => {
  const session: CapCount = { whose: 'this session', cap: 10, count: 9, fitsAt: undefined }
  const address: CapCount = { whose: 'this address', cap: 50, count: 49, fitsAt: at(30) }

  function waitOf(...counts: CapCount[]): string | undefined {
    try {
      assertBelowCaps(counts, at(0.5))
      return undefined
    } catch (error) {
      expect(error).toMatchObject({ code: 'hold_limit_reached' })
      return (error as Problem).parts.headers?.['retry-after']
    }
  }

  test('one hold below each cap fits', () => {
    expect(waitOf(session, address)).toBeUndefined()
  })

  test('a cap that is reached is refused until a place is free, in whole seconds', () => {
    expect(waitOf({ ...session, count: 10, fitsAt: at(30) }, address)).toBe('30')
    expect(waitOf(session, { ...address, count: 50, fitsAt: at(60.501) })).toBe('61')
    expect(waitOf({ ...session, count: 12, fitsAt: at(0.6) }, address)).toBe('1')
  })

  test('of two caps that are reached the later place counts', () => {
    const [one, two] = [
      { ...session, count: 10, fitsAt: at(90.5) },
      { ...address, count: 50, fitsAt: at(30.5) },
    ]
    expect(waitOf(one, two)).toBe('90')
    expect(waitOf({ ...one, fitsAt: at(10.5) }, two)).toBe('30')
  })

  test('the wait is never less than a second', () => {
    expect(waitOf({ ...session, count: 10, fitsAt: undefined })).toBe('1')
    expect(waitOf({ ...session, count: 10, fitsAt: at(0) })).toBe('1')
  })
})
