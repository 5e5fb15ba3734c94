import { expect, test } from 'vitest'
import { tabCheckouts } from '../../widget/flow/checkouts.ts'

const checkout = { bookingId: 'b', token: 'cal_ses_1', url: 'https://pay.example/1' }

/** The checkouts of a tab: its destination and its stored data. */
function tab({ ownPath = null as string | null, lets = true, stores = true } = {}) {
  const stored = new Map<string, string>()
  const went: string[] = []
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
    removeItem: (name: string) => stored.delete(name),
  }
  const place = {
    publishableKey: 'cal_pub_1',
    storage: () => {
      if (!stores) throw new Error('switched off')
      return storage as unknown as Storage // the rest of it is not needed
    },
    ownPath,
  }
  const checkouts = tabCheckouts(place, {
    goTo: (url) => went.push(`here ${url}`),
    openBeside: (url) => {
      if (lets) went.push(`beside ${url}`)
      return lets
    },
  })
  return { checkouts, stored, went }
}

test('from a page of the server the visitor goes there in the same tab, which knows the way back', () => {
  const { checkouts, stored, went } = tab({ ownPath: '/book/cal_pub_1?x=1' })
  expect(checkouts.go(checkout, false)).toBe(true)
  expect(went).toEqual(['here https://pay.example/1'])
  expect(stored.get('holdfast:return:b')).toBe('/book/cal_pub_1?x=1')
})

test('on a website it opens beside, and no way back is left anywhere', () => {
  const { checkouts, stored, went } = tab()
  expect(checkouts.go(checkout, false)).toBe(false)
  expect(went).toEqual(['beside https://pay.example/1'])
  expect([...stored.keys()]).toEqual(['holdfast:checkout:cal_pub_1'])
})

test('where the browser lets no tab be opened, only a visitor who asks for it leaves the page', () => {
  const { checkouts, went } = tab({ lets: false })
  expect(checkouts.go(checkout, false)).toBe(false)
  expect(went).toEqual([])
  expect(checkouts.go(checkout, true)).toBe(true)
  expect(went).toEqual(['here https://pay.example/1'])
})

test('what a checkout was for is told once', () => {
  const { checkouts } = tab()
  checkouts.go(checkout, false)
  expect(checkouts.take()).toEqual(checkout)
  expect(checkouts.take()).toBeUndefined()
})

test('storage that is switched off keeps nobody from paying', () => {
  const { checkouts, went } = tab({ ownPath: '/', stores: false })
  expect(checkouts.go(checkout, false)).toBe(true)
  expect([went.length, checkouts.take()]).toEqual([1, undefined])
})

test.each(['javascript:alert(1)', 'data:text/html,x'])('nobody is led to %s', (url) => {
  for (const ownPath of ['/', null]) {
    const { checkouts, went } = tab({ ownPath })
    expect([checkouts.go({ ...checkout, url }, true), went]).toEqual([false, []])
  }
})
