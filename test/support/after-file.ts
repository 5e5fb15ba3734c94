import { afterAll } from 'vitest'

type Cleanup = () => void | Promise<void>

/**
 * The files of a worker share the modules of this folder, so an `afterAll` of such a module would run after the first file
 * alone. What it has to tidy up after each is handed in here, when the module is first imported.
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
