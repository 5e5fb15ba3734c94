import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectErrors } from '../support/expect-problem.ts'
import { holdOf, type Tenant } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, startTestService, type TestService } from '../support/test-service.ts'

const terms = '1. Cancel until 24 hours before.\n2. Afterwards we charge half of the price.'

onOneEngine('sqlite', 'terms of a business', (engine) => {
  let service: TestService
  let salon: Tenant
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    await change({ terms, terms_language: 'en' })
  })
  afterAll(() => service.stop())

  const change = (body: object) =>
    service.call('PATCH', `/businesses/${salon.id}`, { token: salon.business_key, body })
  const book = async (token: string, custom_field_values?: object[]) => {
    const hold_id = await holdOf(service, salon, { token, service: 'Haircut' })
    return service.call('POST', '/bookings', {
      token,
      body: { hold_id, client: ada, ...(custom_field_values && { custom_field_values }) },
    })
  }
  const consent = (text = terms) => ({ field_id: salon.id, value: true, text })

  test('a session books with consent to the present terms only, which is kept with text and time', async () => {
    const token = await service.session(salon)
    const missing = await book(token)
    expectErrors(missing, '/custom_field_values')
    expect(missing.body.errors[0].code).toBe('required')
    const refused = await book(token, [{ field_id: salon.id, value: false }])
    expectErrors(refused, '/custom_field_values/0/value')
    expect(refused.body.errors[0].code).toBe('must_be_true')
    const old = await book(token, [consent('Older terms')])
    expectErrors(old, '/custom_field_values/0/text')
    expect(old.body.errors[0].code).toBe('text_changed')
    const { status, body } = await book(token, [consent()])
    expect(status).toBe(201)
    expect(body.custom_field_values).toEqual([{ ...consent(), agreed_at: expect.any(String) as string }])
  })

  test('keys book without them, and may pass on the consent of a client', async () => {
    const token = salon.business_key
    expect((await book(token)).body.custom_field_values).toEqual([])
    expect((await book(token, [consent()])).body.custom_field_values).toEqual([
      { ...consent(), agreed_at: expect.any(String) as string },
    ])
  })

  test('the consent of a booking stays when its answers and the terms change', async () => {
    const { body: booked } = await book(await service.session(salon), [consent()])
    await change({ terms: 'Newer terms' })
    const token = salon.business_key
    const path = `/bookings/${booked.id}`
    const changed = await service.call('PATCH', path, { token, body: { custom_field_values: [] } })
    expect(changed.body.custom_field_values).toEqual(booked.custom_field_values)
    await change({ terms: null })
    const again = await service.call('PATCH', path, {
      token,
      body: { custom_field_values: [{ field_id: salon.id, value: true }] },
    })
    expect(again.body.custom_field_values).toEqual(booked.custom_field_values)
    expect((await book(await service.session(salon))).status).toBe(201)
    await change({ terms })
  })

  test('links, terms and their language are checked', async () => {
    for (const bad of ['http://example.com', 'imprint', 'javascript:alert(1)'])
      for (const name of ['imprint_url', 'privacy_url'])
        expectErrors(await change({ [name]: bad }), `/${name}`)
    expectErrors(await change({ terms: 'a'.repeat(4_001) }), '/terms')
    expectErrors(await change({ terms_language: 'not a language' }), '/terms_language')
    const links = { imprint_url: 'https://example.com/imprint', privacy_url: 'https://example.com/privacy' }
    expect((await change(links)).body).toMatchObject({ ...links, terms, terms_language: 'en' })
    const start = await service.call('GET', `//book/${salon.publishable_key}/start`)
    expect(start.body.business).toMatchObject({ ...links, terms, terms_language: 'en', cover_url: null })
  })
})
