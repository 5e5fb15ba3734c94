/** Whether the long forms run: `npm run test:long`. */
export const isLong = Boolean(process.env['HOLDFAST_TEST_LONG'])

/** How often something is done: seldom in `npm test`, often in the long form. */
export function rounds(short: number, long: number): number {
  return isLong ? long : short
}

/** Tells on stderr how far a long run is, at most once in half a minute: `tell(done)` after each part of `total`. */
export function tellProgress(name: string, total: number): (done: number) => void {
  let toldAt = performance.now()
  return (done) => {
    if (!isLong || performance.now() - toldAt < 30_000) return
    toldAt = performance.now()
    process.stderr.write(`${name}: ${String(done)} of ${String(total)}\n`)
  }
}
