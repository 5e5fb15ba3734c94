/** Resolves with the first value that is not undefined; asks again until then, at most for the given time. */
export async function eventually<T>(
  what: string,
  withinMs: number,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const value = await ask()
    if (value !== undefined) return value
    if (performance.now() > deadline) throw new Error(`${what} did not come about within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
