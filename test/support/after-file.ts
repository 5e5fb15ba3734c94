import { afterAll } from 'vitest'

type Cleanup = () => void | Promise<void>

/**
 * Clean-ups after each test file. The files of a worker share the modules of this folder. An `afterAll` of such a
 * module would therefore run only after the first file. A module registers its clean-up here when it is first imported.
 */
const cleanups: Cleanup[] = []

export function afterEachFile(cleanup: Cleanup): void {
  cleanups.push(cleanup)
}

/** For the setup file, which each test file runs. */
export function tidyAfterThisFile(): void {
  afterAll(async () => {
    for (const cleanup of cleanups) await cleanup()
  })
}
