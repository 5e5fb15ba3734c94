import { describe, expect, test } from 'vitest'
import { type Move, moved } from '../../src/catalogue/order-rules.ts'

const services = ['a:1', 'b:1', 'c:2', 'd:1', 'e:'].map((text) => {
  const [id = '', category = ''] = text.split(':')
  return { id, category: category || null }
})
const orderAfter = (move: Move) =>
  moved(services, move)
    .map(({ id }) => id)
    .join('')

describe('the order of services', () => {
  test.each<[string, Move]>([
    ['badce', { id: 'b', to: 'up', withCategory: false }],
    ['adbce', { id: 'b', to: 'down', withCategory: false }],
    ['abdce', { id: 'a', to: 'up', withCategory: false }],
    ['abdce', { id: 'd', to: 'down', withCategory: false }],
    ['cabde', { id: 'c', to: 'up', withCategory: true }],
    ['cabde', { id: 'd', to: 'down', withCategory: true }],
    ['dabce', { id: 'd', before: 'a' }],
    ['bdace', { id: 'a', before: null }],
    ['bdace', { id: 'a', before: 'c' }],
    ['abdce', { id: 'unknown', before: 'a' }],
  ])('is %s after %o', (order, move) => {
    expect(orderAfter(move)).toBe(order)
  })
})
