import { expect, test } from 'vitest'
import { MemberGone } from '../../src/base/together.ts'
import { Turns } from '../../src/base/turns.ts'

const loop = () => new Promise(setImmediate)

/** Work that records its beginning and lasts until it is ended. */
function workOf(turns: Turns) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const begin = (owner: string, name: string, isGone?: () => boolean) =>
    turns.run(
      owner,
      async () => {
        begun.push(name)
        await new Promise<void>((resolve) => ends.set(name, resolve))
        return name
      },
      isGone,
    )
  const end = async (name: string) => {
    ends.get(name)?.()
    await loop()
  }
  return { begun, begin, end }
}

test('an owner has one turn at a time, others have theirs beside', async () => {
  const { begun, begin, end } = workOf(new Turns({ waiting: 2, busy: 'Busy.' }))
  const all = [begin('a', 'a1'), begin('a', 'a2'), begin('b', 'b1'), begin('a', 'a3')]
  await loop()
  expect(begun).toEqual(['a1', 'b1'])
  await end('a1')
  expect(begun).toEqual(['a1', 'b1', 'a2'])
  for (const name of ['a2', 'b1', 'a3']) await end(name)
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('what would wait too long is refused with Retry-After, and does not keep others out', async () => {
  const { begin, end } = workOf(new Turns({ waiting: 1, busy: 'It is busy.' }))
  const all = [begin('a', 'a1'), begin('a', 'a2')]
  await expect(begin('a', 'a3')).rejects.toMatchObject({
    code: 'unavailable',
    message: 'It is busy. Retry.',
    parts: { headers: { 'retry-after': '1' } },
  })
  const other = begin('b', 'b1')
  await loop()
  for (const name of ['b1', 'a1', 'a2']) await end(name)
  await Promise.all([...all, other])
})

test('at most so many owners have a turn at once, each in its order', async () => {
  const { begun, begin, end } = workOf(new Turns({ owners: 1, waiting: 9, waitingInAll: 3, busy: 'Busy.' }))
  const all = [begin('a', 'a1'), begin('a', 'a2'), begin('b', 'b1'), begin('a', 'a3')]
  await expect(begin('c', 'c1')).rejects.toMatchObject({ code: 'unavailable' })
  await loop()
  for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name)
  await Promise.all(all)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('who went away while waiting gets no turn, and who fails leaves theirs', async () => {
  const turns = new Turns({ waiting: 2, busy: 'Busy.' })
  const { begun, begin, end } = workOf(turns)
  const first = begin('a', 'a1')
  const gone = expect(begin('a', 'a2', () => true)).rejects.toBeInstanceOf(MemberGone)
  const last = begin('a', 'a3')
  await loop()
  await end('a1')
  await gone
  await end('a3')
  await Promise.all([first, last])
  expect(begun).toEqual(['a1', 'a3'])
  await expect(turns.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await turns.run('a', () => Promise.resolve('next'))).toBe('next')
})
