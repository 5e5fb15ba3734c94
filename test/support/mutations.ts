import type { Random } from './random.ts'

const strange: readonly unknown[] = [
  ...[null, true, false, 0, -1, 2 ** 31, 2 ** 53, 1e300, 0.5],
  ...[
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\u202e',
    'x'.repeat(5000),
    '🦊'.repeat(600),
    '__proto__',
    '9999-12-31T23:59:59Z',
  ],
  ...[[], [null], [[[]]], {}, { id: 1 }, { $ne: null }, { toString: 1 }, ['a', 1, {}]],
]

/** Returns a JSON value with some of its parts replaced, removed, doubled, renamed or wrapped. */
export function mutate(value: unknown, random: Random): unknown {
  if (random.chance(0.06)) return random.of(strange)
  if (Array.isArray(value)) return mutateList(value, random)
  if (typeof value === 'object' && value !== null) return mutateObject(value, random)
  if (typeof value === 'string' && random.chance(0.15)) return mutateText(value, random)
  return value
}

function mutateList(list: unknown[], random: Random): unknown[] {
  const changed = list.map((entry) => mutate(entry, random))
  if (random.chance(0.1)) changed.push(...changed)
  if (random.chance(0.05)) return Array.from({ length: 300 }, () => changed[0] ?? null)
  return changed
}

function mutateObject(object: object, random: Random): object {
  const members = Object.entries(object).flatMap(([name, member]): [string, unknown][] => {
    if (random.chance(0.05)) return []
    if (random.chance(0.03)) return [[`${name}${random.of(['s', '\u0000', '.', '/', '~', ' '])}`, member]]
    return [[name, mutate(member, random)]]
  })
  if (random.chance(0.08))
    members.push([random.of(['constructor', 'toString', 'length', '', 'x'.repeat(2000)]), random.of(strange)])
  return Object.fromEntries(members)
}

function mutateText(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  const inserted = random.of([
    '\u0000',
    '\ud83d',
    '\r',
    '\u200b',
    ' ',
    "'",
    '%',
    '\\',
    '𐍈',
    'e\u0301',
    '-',
    '0',
    'Z',
  ])
  return text.slice(0, at) + inserted + text.slice(random.chance(0.5) ? at : at + 1)
}
