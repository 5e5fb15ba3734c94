import { afterAll, beforeAll, expect, test } from 'vitest'
import { tidy } from '../../src/operate/housekeeping.ts'
import { exportCatalogue } from '../../src/catalogue/export.ts'
import { importCatalogue } from '../../src/catalogue/import.ts'
import { jobs } from '../../src/server.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { logInNewPerson } from '../support/person.ts'
import { pngOf } from '../support/pictures.ts'
import type { Tenant } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

/** The beginning of a JPEG file of this size. */
function jpegOf(width: number, height: number): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16BE(height, 0)
  size.writeUInt16BE(width, 2)
  const app0 = Buffer.from('ffe000104a46494600010100000100010000', 'hex')
  const frame = Buffer.concat([
    Buffer.from('ffc0001108', 'hex'),
    size,
    Buffer.from('03011100021101031101', 'hex'),
  ])
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    app0,
    frame,
    Buffer.from('ffd9', 'hex'),
    Buffer.alloc(16),
  ])
}

/** A lossless WebP file of this size. */
function webpOf(width: number, height: number): Buffer {
  const bits = (width - 1) | ((height - 1) << 14)
  const data = Buffer.alloc(10)
  data.writeUInt8(0x2f, 0)
  data.writeUInt32LE(bits >>> 0, 1)
  const head = Buffer.from('RIFF\0\0\0\0WEBPVP8L\0\0\0\0', 'latin1')
  head.writeUInt32LE(12 + data.length, 4)
  head.writeUInt32LE(data.length, 16)
  return Buffer.concat([head, data, Buffer.alloc(8)])
}

onOneEngine('sqlite', 'pictures', (engine) => {
  let service: TestService
  let salon: Tenant
  let studio: Tenant
  beforeAll(async () => {
    service = await startTestService(engine, { PUBLIC_URL: 'https://book.example.com' })
    salon = businessOf(service.world, 'Salon Spree')
    studio = businessOf(service.world, 'Hudson Studio')
  })
  afterAll(() => service.stop())

  const upload = (rawBody: Buffer | string, token = salon.business_key, type = 'image/png', query = '') =>
    service.call('POST', `/images${query}`, { token, rawBody, headers: { 'content-type': type } })
  const change = (path: string, body: object, token = salon.business_key) =>
    service.call('PATCH', path, { token, body })
  const images = async () => (await service.rows('images')).length
  const hour = async (hours: number) => {
    service.clock.advance(hours * 3_600)
    await tidy(service.context, jobs)
  }

  test('a picture is stored once, whatever header it comes with, and served for ever', async () => {
    const picture = pngOf(40, 30)
    const first = await upload(picture)
    expect(first).toMatchObject({
      status: 201,
      body: { url: expect.stringMatching(/^\/images\/[0-9a-f]{64}$/) },
    })
    expect((await upload(picture, salon.business_key, 'image/jpeg')).body).toEqual(first.body)
    const served = await service.app.server.inject({ url: first.body.url })
    expect(served.rawPayload).toEqual(picture)
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect((await upload(picture, studio.business_key)).body.id).not.toBe(first.body.id)
    expect(await images()).toBe(2)
  })

  test('JPEG and WebP files are recognised by their content', async () => {
    for (const [bytes, type] of [
      [jpegOf(30, 20), 'image/jpeg'],
      [webpOf(30, 20), 'image/webp'],
    ] as const) {
      const { body } = await upload(bytes)
      const served = await service.app.server.inject({ url: body.url })
      expect(served.headers['content-type']).toBe(type)
    }
  })

  test('other files, too large ones and those with too many pixels are refused', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    for (const bad of [
      svg,
      'GIF89a\x01\0\x01\0',
      '\x89PNG\r\n\x1a\n',
      '\xff\xd8\xff\xe0',
      'RIFF\0\0\0\0WEBP',
    ])
      expectErrors(await upload(Buffer.from(bad, 'latin1')), '')
    expectProblem(await upload(svg, salon.business_key, 'image/svg+xml'), 'unsupported_media_type')
    expectProblem(await upload('{}', salon.business_key, 'application/json'), 'unsupported_media_type')
    const wide = await upload(pngOf(2_001, 10))
    expectErrors(wide, '')
    expect(wide.body.errors[0].detail).toBe('may have at most 2000 × 2000 pixels, and has 2001 × 10')
    const large = Buffer.concat([pngOf(10, 10), Buffer.alloc(512 * 1024)])
    expectProblem(await upload(large), 'payload_too_large')
  })

  test('only managers upload, and a hub names its business', async () => {
    const people = { staff: 403, manager: 201, owner: 201 } as const
    for (const [role, status] of Object.entries(people)) {
      const email = `${role}-pictures@example.com`
      const person = await logInNewPerson(service, {
        email,
        role: role as 'staff',
        place: { businessId: salon.id },
        ...(role === 'staff' && { staffId: salon.staff[0]?.id ?? '' }),
      })
      const reply = await service.call('POST', '/images', {
        rawBody: pngOf(11, 11),
        headers: { cookie: person.cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'image/png' },
      })
      expect(reply.status).toBe(status)
      const foreign = await service.call('POST', '/images', {
        rawBody: pngOf(11, 11),
        headers: { cookie: person.cookie, 'sec-fetch-site': 'cross-site', 'content-type': 'image/png' },
      })
      expectProblem(foreign, 'origin_not_allowed')
    }
    const { key } = service.world.hub
    expectErrors(await upload(pngOf(12, 12), key), '/business_id')
    expect((await upload(pngOf(12, 12), key, 'image/png', `?business_id=${salon.id}`)).status).toBe(201)
    const other = await upload(pngOf(12, 12), salon.business_key, 'image/png', `?business_id=${studio.id}`)
    expectProblem(other, 'not_found')
  })

  test('services, people and the page name pictures of their own business only', async () => {
    const { url } = (await upload(pngOf(21, 21))).body
    const places = [
      [`/services/${salon.services[0]?.id}`, 'image_url', studio.services[0]?.id],
      [`/staff/${salon.staff[0]?.id}`, 'image_url', studio.staff[0]?.id],
      [`/businesses/${salon.id}`, 'cover_url', studio.id],
      [`/businesses/${salon.id}`, 'brand_logo_url', studio.id],
    ] as const
    for (const [path, name, foreign] of places) {
      expect((await change(path, { [name]: url })).body[name]).toBe(url)
      expect((await change(path, { [name]: `https://book.example.com${url}` })).body[name]).toBe(url)
      const theirs = path.replace(/[^/]+$/, foreign ?? '')
      const refused = await change(theirs, { [name]: url }, studio.business_key)
      expectErrors(refused, `/${name}`)
      expect(refused.body.errors[0].code).toBe('unknown_reference')
      expectErrors(await change(path, { [name]: `/images/${'0'.repeat(64)}` }), `/${name}`)
      expectErrors(await change(path, { [name]: '/docs/icon.svg' }), `/${name}`)
      await change(path, { [name]: null })
    }
  })

  test('a picture is removed a day after nothing names it, and not before', async () => {
    await hour(60)
    const { url } = (await upload(pngOf(22, 22))).body
    const path = `/staff/${salon.staff[0]?.id}`
    await change(path, { image_url: url })
    await hour(50)
    await hour(50)
    expect((await service.rows('images')).map(({ digest }) => `/images/${String(digest)}`)).toEqual([url])
    await change(path, { image_url: null })
    await hour(2)
    await hour(20)
    expect(await images()).toBe(1)
    await change(path, { image_url: url }) // named again within the day
    await change(path, { image_url: null })
    await hour(2)
    await hour(20)
    expect(await images()).toBe(1)
    await hour(5)
    expect(await images()).toBe(0)
    expectErrors(await change(path, { image_url: url }), '/image_url')
    expectProblem(await service.call('GET', `//images/${'0'.repeat(64)}`), 'not_found')
  })

  /** Uploads 205 different pictures, some at the same time. */
  async function manyAtOnce() {
    const replies: Awaited<ReturnType<typeof upload>>[] = []
    for (let first = 0; first < 205; first += 15) {
      const wave = Array.from({ length: Math.min(15, 205 - first) }, (_, index) =>
        upload(pngOf(300 + first + index, 9)),
      )
      replies.push(...(await Promise.all(wave)))
    }
    return replies
  }

  test('a business has at most 200 pictures, also if they come at once', async () => {
    const many = await manyAtOnce()
    const refused = many.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(5)
    for (const reply of refused) expectProblem(reply, 'catalogue_limit_reached')
    expect((await upload(pngOf(300, 9))).status).toBe(201) // one that it has
    expect((await upload(pngOf(300, 9), studio.business_key)).status).toBe(201)
  })

  test('a file names pictures by their absolute address, which this server reads as its own', async () => {
    const { url } = (await upload(pngOf(300, 9))).body
    await change(`/services/${salon.services[0]?.id}`, { image_url: url })
    await change(`/businesses/${salon.id}`, { cover_url: url })
    const file = await exportCatalogue(service.context, salon.id)
    expect(file.business?.cover_url).toBe(`https://book.example.com${url}`)
    expect(file.services?.map(({ image_url }) => image_url)).toContain(`https://book.example.com${url}`)
    const options = { businessId: undefined, overwriteBusiness: false, dryRun: false }
    const report = await importCatalogue(service.context, file, options)
    expect(report.changes).toEqual([])
    expect(report.business.changed).toEqual({})
  })
})
