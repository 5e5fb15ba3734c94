import { expect, test } from 'vitest'
import { systemIds } from '../../src/base/ids.ts'
import { Gate, hashPassword, verifyPassword } from '../../src/access/password.ts'
import { passwordFault } from '../../src/access/password-rules.ts'

const email = 'ada.lovelace@example.com'

test.each([
  ['1234567', 'too_short'],
  ['👍👍👍', 'too_short'],
  ['x'.repeat(250) + 'abcdefg', 'too_long'],
  ['password1', 'common'],
  ['PassWord123', 'common'],
  ['abababab', 'common'],
  ['ada.lovelace@example.com', 'own_address'],
  ['Ada.Lovelace', 'own_address'],
])('the password %s is refused', (password, reason) => {
  expect(passwordFault(password, { email })).toBe(reason)
})

test.each([
  'correct horse battery staple',
  'tr0ub4dor&3',
  'пароль-который',
  'x'.repeat(63) + 'yz',
  'only lower case',
])('the password %s is taken', (password) => {
  expect(passwordFault(password, { email })).toBeUndefined()
})

test('a password has its own hash, whose salt no other has, and in each form of Unicode', async () => {
  const [one, other] = await Promise.all([
    hashPassword('Zoë and more', systemIds),
    hashPassword('Zoë and more', systemIds),
  ])
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(one).not.toBe(other)
  expect(await verifyPassword('Zoe\u0308 and more', one)).toBe(true)
  expect(await verifyPassword('Zoe and more', one)).toBe(false)
  expect(await verifyPassword('Zoë and more', null)).toBe(false)
})

test('at most two hashes are made at once, and what would wait too long is refused', async () => {
  const gate = new Gate({ atOnce: 2, waiting: 3 })
  const ends: (() => void)[] = []
  let running = 0
  let most = 0
  const begin = () =>
    gate.run(async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => ends.push(resolve))
      running -= 1
    })
  const all = [begin(), begin(), begin(), begin(), begin()]
  await expect(begin()).rejects.toMatchObject({ code: 'unavailable' })
  for (let ended = 0; ended < 5; ended += 1) {
    await new Promise(setImmediate)
    ends.shift()?.()
  }
  await Promise.all(all)
  expect(most).toBe(2)
  await Promise.all([begin(), new Promise(setImmediate).then(() => ends.shift()?.())])
})
