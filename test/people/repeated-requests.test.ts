import { expect, test } from 'vitest'
import { goodPassword, logInNewPerson, sendForm, addNewPerson } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'a person of two businesses', (engine) => {
  test('who repeats a request at the other one makes another thing there', async () => {
    const service = await startTestService(engine)
    const [here, there] = ['Salon Spree', 'Lotus Clinic'].map((name) => businessOf(service.world, name).id)
    const email = 'ada@example.com'
    const person = await logInNewPerson(service, {
      ...{ email, role: 'owner', place: { businessId: here ?? '' } },
    })
    const { person: second } = await addNewPerson(service, {
      ...{ email, role: 'owner', place: { businessId: there ?? '' } },
    })
    const make = () =>
      person.call('POST', '/locations', { name: 'Annexe' }, { 'idempotency-key': 'the same key' })
    const first = await make()
    expect(first).toMatchObject({ status: 201, body: { business_id: here } })
    expect((await make()).headers['idempotent-replayed']).toBe('true')
    await sendForm(service, '/console/place', { place: second.id }, person)
    const other = await make()
    expect(other).toMatchObject({ status: 201, body: { business_id: there } })
    expect(other.headers['idempotent-replayed']).toBeUndefined()
    expect(other.body.id).not.toBe(first.body.id)
    expect((await make()).body).toEqual(other.body)
    await service.stop()
  })
})

onOneEngine('sqlite', 'a browser in which somebody has logged in', (engine) => {
  test('gets them in anywhere, whatever strangers try from many addresses', async () => {
    const service = await startTestService(engine, { RATE_LIMIT_FACTOR: '1' })
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    const { email } = await logInNewPerson(service, { email: 'ada@example.com', role: 'owner', place })
    const tryFrom = async (remoteAddress: string, password: string, cookie?: string) =>
      service.app.server.inject({
        method: 'POST',
        url: '/console/login',
        remoteAddress,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          host: 'localhost',
          ...(cookie !== undefined && { cookie }),
        },
        payload: new URLSearchParams({ email, password }).toString(),
      })
    const cookies = (await tryFrom('203.0.113.9', goodPassword)).headers['set-cookie']
    const device = [cookies].flat().find((one) => one?.startsWith('holdfast-device=')) ?? ''
    expect(device).toMatch(/; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/)
    const mark = device.split(';', 1)[0] ?? ''
    // from one network, which uses up its attempts on an account
    for (let tries = 0; tries < 6; tries += 1) await tryFrom('198.51.100.7', 'wrong password')
    expect((await tryFrom('198.51.100.7', goodPassword)).statusCode).toBe(429)
    expect((await tryFrom('198.51.100.7', goodPassword, mark)).statusCode).toBe(303)
    // an invented mark, or one of another account, is worthless
    const forged = `${mark.slice(0, -1)}${mark.endsWith('A') ? 'B' : 'A'}`
    expect((await tryFrom('198.51.100.7', goodPassword, forged)).statusCode).toBe(429)
    // and it limits guesses, too, by a thief of the mark
    service.clock.advance(61)
    const guesses = []
    for (let tries = 0; tries < 7; tries += 1)
      guesses.push((await tryFrom('192.0.2.44', 'wrong password', mark)).statusCode)
    expect(guesses).toEqual([422, 422, 422, 422, 422, 429, 429])
    await service.stop()
  })
})
