import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeRows } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const brandFields = ['brand_name', 'brand_color', 'brand_logo_url'] as const
const noBrand = { brand_name: null, brand_color: null, brand_logo_url: null }

onOneEngine('sqlite', 'the session exchange', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  const exchange = (name: string) =>
    service.call('POST', '/session', { token: businessOf(service.world, name).publishable_key })

  const expected: [name: string, timezone: string, expires: string, brand: object][] = [
    [
      'Salon Spree',
      'Europe/Berlin',
      '2026-11-20T11:00:00+01:00',
      {
        brand_name: 'Salon Spree',
        brand_color: '#1f6f5c',
        brand_logo_url: 'http://127.0.0.1:3000/docs/salon-spree.png',
      },
    ],
    ['Hudson Studio', 'America/New_York', '2026-11-20T05:00:00-05:00', noBrand],
    ['Lotus Clinic', 'Asia/Kolkata', '2026-11-20T15:30:00+05:30', noBrand],
    ['Thames Barbers', 'Europe/London', '2026-11-20T10:00:00+00:00', noBrand],
  ]

  test.each(expected)(
    'gives %s exactly the specification’s fields',
    async (name, timezone, expires_at, brand) => {
      const reply = await exchange(name)
      expect(reply.status).toBe(201)
      expect(reply.body).toEqual({
        session_token: expect.stringMatching(/^cal_ses_[0-9A-Za-z]{38}$/),
        expires_at,
        show_branding: name !== 'Salon Spree',
        business: { id: businessOf(service.world, name).id, name, timezone, ...brand },
      })
    },
  )

  test('gives a new token each time, and all of them work', async () => {
    const tokens = []
    for (let count = 0; count < 5; count += 1) tokens.push(await service.session())
    expect(new Set(tokens).size).toBe(5)
    for (const token of tokens) expect((await service.call('GET', '/services', { token })).status).toBe(200)
  })

  describe('the white label', () => {
    const brand = (name: string, values: object, plan = 'enterprise') => {
      const fields = { ...noBrand, ...values }
      const id = businessOf(service.world, name).id
      return changeRows(
        service,
        sql`update businesses set plan = ${plan}, brand_name = ${fields.brand_name},
              brand_color = ${fields.brand_color}, brand_logo_url = ${fields.brand_logo_url} where id = ${id}`,
      )
    }
    const values = {
      brand_name: 'Brand',
      brand_color: '#abcdef',
      brand_logo_url: 'https://example.com/a.png',
    }

    test.each(brandFields)('is shown with %s alone', async (field) => {
      await brand('Lotus Clinic', { [field]: values[field] })
      service.clock.advance(5)
      expect((await exchange('Lotus Clinic')).body).toMatchObject({
        show_branding: false,
        business: { ...noBrand, [field]: values[field] },
      })
    })

    test.each(['growth', 'pro'])('is not shown on the %s plan, whatever is set', async (plan) => {
      await brand('Thames Barbers', values, plan)
      service.clock.advance(5)
      expect((await exchange('Thames Barbers')).body).toMatchObject({
        show_branding: true,
        business: noBrand,
      })
    })

    test('is shown to a business that is Enterprise by its hub', async () => {
      await brand('Hudson Studio', values, 'growth')
      service.clock.advance(5)
      expect((await exchange('Hudson Studio')).body).toMatchObject({ show_branding: false, business: values })
    })

    test('goes within five seconds of a downgrade', async () => {
      await brand('Lotus Clinic', values)
      service.clock.advance(5)
      expect((await exchange('Lotus Clinic')).body.show_branding).toBe(false)
      await brand('Lotus Clinic', values, 'growth')
      service.clock.advance(5)
      expect((await exchange('Lotus Clinic')).body).toMatchObject({ show_branding: true, business: noBrand })
    })
  })
})
