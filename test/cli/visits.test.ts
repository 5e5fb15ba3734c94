import { afterAll, beforeAll, expect, test } from 'vitest'
import { cellsOf, commandLine, type CommandLine } from '../support/command-line.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

/** A winter in the future, whenever the tests run. */
const year = new Date().getUTCFullYear() + 1

onOneEngine('sqlite', 'visits on the command line', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let salon: VisitSalon
  let holdfast: CommandLine
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    salon = await makeVisitSalon(service, business)
    holdfast = commandLine(service.databaseUrl)
  })
  afterAll(() => service.stop())

  const items = (body: unknown) =>
    (body as { items: { id: string; service: { name: string }; staff: { name: string } }[] }).items

  test('a booking of several services is listed, shown, moved and changed', async () => {
    const booked = await salon.book(`${year}-01-12T10:00:00+01:00`)
    const { id } = booked
    const [head = [], row = []] = cellsOf(
      await holdfast.text('booking', 'list', '--business', business.id, '--staff', 'Anna'),
    )
    expect(row[head.indexOf('SERVICE')]).toBe('Cut + Colour')
    expect(row[head.indexOf('STAFF')]).toBe('Anna')
    const shown = await holdfast.text('booking', 'show', id)
    expect(shown).toMatch(/^service +10:00–10:30 Cut: Anna$/m)
    expect(shown).toMatch(/^service +10:30–12:00 Colour: Anna$/m)
    expect(shown).toMatch(/^price +95\.00 EUR$/m)
    const moved = await holdfast.json('booking', 'reschedule', id, '--to', `${year}-01-12 14:00`)
    expect(moved).toMatchObject({ starts_at: `${year}-01-12T14:00:00+01:00`, items: [{}, {}] })
    const changed = await holdfast.json(
      ...['booking', 'change', id, '--item', 'Cut', '--item', '~Cut: Ben', '--item', 'Colour: Ben x1'],
    )
    expect(items(changed).map(({ service: { name }, staff }) => `${name} ${staff.name}`)).toEqual([
      ...['Cut Anna', 'Cut Ben', 'Colour Ben'],
    ])
    expect(items(changed).map((one) => one.id)).toEqual([id, expect.anything(), booked.items[1]?.id])
    const alone = await holdfast.json(
      'booking',
      'change',
      id,
      '--item',
      'Colour',
      '--to',
      `${year}-01-13 09:00`,
    )
    expect(alone).toMatchObject({ starts_at: `${year}-01-13T09:00:00+01:00`, service: { name: 'Colour' } })
    await holdfast.refuses(['booking', 'change', id, '--item', 'Color'], 2, /--item.*Color/)
    await holdfast.refuses(['booking', 'change', id, '--item', 'Colour: Carl'], 2, /--item.*Carl/)
  })
})
