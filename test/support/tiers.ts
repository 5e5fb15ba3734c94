/**
 * The tags of tests that not every command runs. `npm test` runs tests without a tag. `npm run test:all` sets
 * HOLDFAST_TEST_LONG=part and leaves out `night`. HOLDFAST_TEST_LONG=1 leaves out nothing.
 */
export const tags = [
  {
    name: 'long',
    description:
      'not in `npm test`: the other engine, browsers, kills, outages of real seconds, further cases',
  },
  {
    name: 'night',
    description: 'in neither `npm test` nor `npm run test:all`: all variants of what they prove',
  },
]

/** Returns vitest's `tagsFilter` for a value of HOLDFAST_TEST_LONG. */
export function filterFor(asked = ''): string[] {
  if (asked === '') return tags.map(({ name }) => `!${name}`)
  return asked === 'part' ? ['!night'] : []
}
