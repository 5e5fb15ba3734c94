/** Longer than anything takes on the busiest machine, and shorter than the limit of a test (vitest.config.ts). */
const patienceMs = 90_000

/** Resolves with the first value that is not undefined. Asks again until then, and fails after the time limit. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const value = await ask()
    if (value !== undefined) return value
    if (performance.now() > deadline) throw new Error(`${what} did not come about within ${patienceMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
