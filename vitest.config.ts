import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Processes, not threads: node:sqlite, signals and exit codes are tested for real.
    pool: 'forks',
    // The files of a worker share what they import: to load the service anew for each took a sixth of the whole run.
    isolate: false,
    setupFiles: ['test/support/setup-file.ts'],
    // One more than the cores of a small machine: two leave them idle for a third of the time, as tests wait for processes.
    // Each holds PostgreSQL connections and opens races of its own, so no more.
    maxWorkers: 3,
    tags: [
      {
        name: 'long',
        description: 'not in `npm test`: further sizes, languages, engines, kills, outages of real seconds',
      },
    ],
    ...(process.env['HOLDFAST_TEST_LONG'] === undefined && { tagsFilter: ['!long'] }),
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default'],
  },
})
