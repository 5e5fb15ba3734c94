import { expect, test, vi } from 'vitest'
import { together } from '../../src/base/together.ts'

/** A run whose groups end when the test decides. */
function heldRun() {
  const groups: { members: string[]; end: (error?: Error) => void }[] = []
  const run = (members: readonly string[]) =>
    new Promise<string[]>((resolve, reject) => {
      groups.push({
        members: [...members],
        end: (error) => (error ? reject(error) : resolve(members.map((member) => member.toUpperCase()))),
      })
    })
  return { groups, run }
}

const turn = () => new Promise(setImmediate)

test('what arrives in one turn of the event loop is one group, and each member gets its own result', async () => {
  const run = vi.fn(async (members: readonly number[]) => members.map((member) => member * 2))
  const double = together(run)
  expect(await Promise.all([double(1), double(2), double(3)])).toEqual([2, 4, 6])
  expect(run.mock.calls).toEqual([[[1, 2, 3]]])
})

test('what arrives while groups are under way goes into the next one', async () => {
  const { groups, run } = heldRun()
  const ask = together(run, { maxGroups: 1 })
  const first = ask('a')
  await turn()
  const rest = [ask('b'), ask('c')]
  await turn()
  expect(groups.map(({ members }) => members)).toEqual([['a']])
  groups[0]?.end()
  expect(await first).toBe('A')
  await turn()
  await turn()
  expect(groups[1]?.members).toEqual(['b', 'c'])
  groups[1]?.end()
  expect(await Promise.all(rest)).toEqual(['B', 'C'])
})

test('no more groups than allowed are under way, and none has more members than allowed', async () => {
  const { groups, run } = heldRun()
  const ask = together(run, { maxGroups: 2, maxMembers: 3 })
  const all = Array.from({ length: 10 }, (_, index) => ask(String(index)))
  await turn()
  expect(groups.map(({ members }) => members.length)).toEqual([3, 3])
  for (let ended = 0; ended < 4; ended += 1) {
    await vi.waitFor(() => expect(groups.length).toBeGreaterThan(ended), 60_000)
    groups[ended]?.end()
  }
  expect(await Promise.all(all)).toHaveLength(10)
  expect(groups.map(({ members }) => members.length)).toEqual([3, 3, 3, 1])
})

test('where one has patience, another group begins beside one that takes long, and at once after one that has ended', async () => {
  const { groups, run } = heldRun()
  const ask = together(run, { maxGroups: 2, patienceMs: 30 })
  const all = [ask('a')]
  await turn()
  all.push(ask('b'))
  await turn()
  expect(groups).toHaveLength(1)
  await vi.waitFor(() => expect(groups).toHaveLength(2), 60_000)
  groups[0]?.end()
  groups[1]?.end()
  expect(await Promise.all(all)).toEqual(['A', 'B'])

  const { groups: others, run: runOther } = heldRun()
  const askOther = together(runOther, { maxGroups: 2, patienceMs: 3_600_000 })
  const first = askOther('a')
  await turn()
  const second = askOther('b')
  await turn()
  expect(others).toHaveLength(1)
  others[0]?.end()
  await first
  await vi.waitFor(() => expect(others).toHaveLength(2), 60_000)
  others[1]?.end()
  expect(await second).toBe('B')
})

test('an error of one member is its own', async () => {
  const ask = together(async (members: readonly number[]) =>
    members.map((member) => (member < 0 ? new Error(`no ${member}`) : member)),
  )
  const settled = await Promise.allSettled([ask(1), ask(-1), ask(2)])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('a group that fails as a whole is tried one by one: only the bad member fails', async () => {
  const run = vi.fn(async (members: readonly string[]) => {
    if (members.includes('bad')) throw new Error('cannot')
    return members
  })
  const ask = together(run)
  const settled = await Promise.allSettled([ask('a'), ask('bad'), ask('b')])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(run.mock.calls.map(([members]) => members)).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']])
})

test('where trying again is in vain, all members fail at once', async () => {
  const run = vi.fn(async (): Promise<string[]> => Promise.reject(new Error('away')))
  const ask = together<string, string>(run, { isWorthTrying: () => false })
  const settled = await Promise.allSettled([ask('a'), ask('b')])
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(run).toHaveBeenCalledTimes(1)
})

test('a group takes from each owner in turn, so that none starves another', async () => {
  const { groups, run } = heldRun()
  const ask = together(run, { maxGroups: 1, maxMembers: 4, ownerOf: (member) => member.slice(0, 1) })
  const all = [...['a1', 'a2', 'a3', 'a4', 'a5'], ...['b1', 'b2', 'c1']].map((member) => ask(member))
  await turn()
  groups[0]?.end()
  await vi.waitFor(() => expect(groups).toHaveLength(2), 60_000)
  groups[1]?.end()
  await Promise.all(all)
  expect(groups.map(({ members }) => members)).toEqual([
    ['a1', 'b1', 'c1', 'a2'],
    ['b2', 'a3', 'a4', 'a5'],
  ])
})

test('who has no group under way need not wait for those of others, and has no more than allowed', async () => {
  const { groups, run } = heldRun()
  const ask = together(run, { maxGroups: 3, maxGroupsOfOwner: 2, ownerOf: (member) => member.slice(0, 1) })
  const all: Promise<string>[] = []
  for (const member of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) {
    all.push(ask(member))
    await turn()
  }
  expect(groups.map(({ members }) => members)).toEqual([['a1'], ['a2'], ['b1']])
  groups[1]?.end()
  await vi.waitFor(() => expect(groups).toHaveLength(4), 60_000)
  expect(groups[3]?.members).toEqual(['a3', 'b2', 'c1'])
  for (const { end } of groups) end()
  expect(await Promise.all(all)).toHaveLength(6)
})

test('patience is for owners who have a group under way', async () => {
  const { groups, run } = heldRun()
  const options = { maxGroups: 2, patienceMs: 3_600_000, ownerOf: (member: string) => member.slice(0, 1) }
  const ask = together(run, options)
  const all = [ask('a1')]
  await turn()
  all.push(ask('a2'), ask('b1'))
  await turn()
  expect(groups.map(({ members }) => members)).toEqual([['a1'], ['b1']])
  for (const { end } of groups) end()
  await vi.waitFor(() => expect(groups).toHaveLength(3), 60_000)
  groups[2]?.end()
  expect(await Promise.all(all)).toEqual(['A1', 'A2', 'B1'])
})

test('a member whose client has gone is left out before it is sent', async () => {
  const { groups, run } = heldRun()
  const ask = together(run)
  const gone = ask('gone', () => true)
  const here = ask('here', () => false)
  await expect(gone).rejects.toMatchObject({ name: 'MemberGone' })
  groups[0]?.end()
  expect(await here).toBe('HERE')
  expect(groups[0]?.members).toEqual(['here'])
})

test('a group that gives too few outcomes fails, and settles every member', async () => {
  const ask = together(async () => [] as string[])
  const settled = await Promise.allSettled([ask('a'), ask('b')])
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
