/** Whether the long forms run: `npm run test:long`. */
export const isLong = Boolean(process.env['HOLDFAST_TEST_LONG'])

/** How often something is done: seldom in `npm test`, often in the long form. */
export function rounds(short: number, long: number): number {
  return isLong ? long : short
}
