import { describe, expect, test } from 'vitest'
import { Problem } from '../../src/base/errors.ts'
import { instantFromMs } from '../../src/base/instants.ts'
import { assertBelowCaps, type CapCount, holdStatus } from '../../src/bookings/hold-rules.ts'

const at = (seconds: number) => instantFromMs(Date.UTC(2026, 10, 20) + seconds * 1000)

describe('the status of a hold', () => {
  const hold = { booked_at: null, ended_at: null, expires_at: at(600) }

  test('is active until the instant of its expiry', () => {
    expect(holdStatus(hold, at(0))).toBe('active')
    expect(holdStatus(hold, at(599.999))).toBe('active')
    expect(holdStatus(hold, at(600))).toBe('expired')
  })

  test('is what ended it, whatever the time', () => {
    for (const now of [at(0), at(700)]) {
      expect(holdStatus({ ...hold, ended_at: at(5) }, now)).toBe('released')
      expect(holdStatus({ ...hold, booked_at: at(5) }, now)).toBe('converted')
      expect(holdStatus({ ...hold, booked_at: at(5), ended_at: at(6) }, now)).toBe('converted')
      expect(holdStatus({ ...hold, booked_at: at(5), ended_at: at(900) }, now)).toBe('converted')
    }
  })

  test('of one that ended at its expiry is expired, of one that ended a millisecond before released', () => {
    expect(holdStatus({ ...hold, ended_at: at(600) }, at(600))).toBe('expired')
    expect(holdStatus({ ...hold, ended_at: at(599.999) }, at(600))).toBe('released')
  })

  test('stays expired when the clock goes back', () => {
    expect(holdStatus({ ...hold, ended_at: at(600) }, at(0))).toBe('expired')
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
