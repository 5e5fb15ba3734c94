import { expect, test } from 'vitest'
import { makeWorld } from '../../bench/whole/make-world.ts'
import { measureSetting } from '../../bench/whole/measure.ts'
import { settingsOf } from '../../bench/whole/nodes.ts'
import { operations, planOf } from '../../bench/whole/plan.ts'
import { sqliteStores } from '../../bench/whole/stores.ts'
import { Timetable } from '../../bench/whole/timetable.ts'

test(
  'the benchmark of the whole service measures every operation beside its ceilings, without an error',
  { timeout: 180_000 },
  async () => {
    const stores = sqliteStores()
    try {
      const [setting] = settingsOf(stores, null, undefined)
      if (!setting) throw new Error('there is no setting for SQLite')
      const few = { concurrencies: [2], warmMs: 20, rounds: 1, roundMs: 40, scripts: 10 }
      const plan = { ...planOf(['--quick']), ...few }
      const template = await stores.make()
      const timetable = new Timetable(1, 3_600)
      const told = () => undefined
      const failed = (_operation: string, error: Error) => {
        throw error
      }
      const world = await makeWorld(template, plan.scripts)
      const figures = await measureSetting(setting, plan, {
        ...{ template, world, timetable },
        told,
        leftOut: told,
        failed,
      })
      expect(figures.map(({ operation }) => operation)).toEqual(operations)
      for (const figure of figures) {
        expect(figure, figure.operation).toMatchObject({ errors: {}, limiter: 'memory', concurrency: 2 })
        const { perSecond, statementsPerSecond, barePerSecond, p99Ms } = figure
        for (const value of [perSecond, statementsPerSecond, barePerSecond, p99Ms]) {
          expect(value, figure.operation).toBeGreaterThan(0)
        }
      }
    } finally {
      await stores.close()
    }
  },
)

test('one operation can be measured alone, and no other than there are', () => {
  expect(planOf(['--operation', 'show']).operations).toEqual(['show'])
  expect(planOf([]).operations).toEqual(operations)
  expect(() => planOf(['--operation', 'shows'])).toThrow('--operation takes session, hold')
})
