import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { filterFor, tags } from './test/support/tiers.ts'

/** Returns the tests, or the file of `npm run simulate`, `npm run accessibility` or `npm run walk`. */
function included(): string[] {
  if (process.env['HOLDFAST_SIMULATE']) return ['test/simulation/night.ts']
  if (process.env['HOLDFAST_ACCESSIBILITY']) return ['test/accessibility/all-states.ts']
  if (process.env['HOLDFAST_WALK']) return ['test/walk/walks.ts']
  return ['test/**/*.test.ts']
}

export default defineConfig({
  test: {
    include: included(),
    globalSetup: ['test/support/global-setup.ts'],
    // Processes, not threads, because node:sqlite, signals and exit codes are tested for real.
    pool: 'forks',
    // The files of a worker share their imports. Loading the service again for each file took a sixth of the whole run.
    isolate: false,
    setupFiles: ['test/support/setup-file.ts'],
    // One more than the cores of a small machine. With two, they are idle for a third of the time, because tests wait
    // for processes. Each worker holds PostgreSQL connections and runs races, so no more.
    maxWorkers: 3,
    tags,
    ...{ tagsFilter: filterFor(process.env['HOLDFAST_TEST_LONG']) }, // its type knows it as an option of the command only
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default'],
  },
})
