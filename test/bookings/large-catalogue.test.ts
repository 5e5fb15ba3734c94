import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConsole, textOf } from '../support/console.ts'
import { expectErrors } from '../support/expect-problem.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

interface Shown {
  columns: { id: string; staff: { name: string } | null; service: { name: string } | null }[]
  bookings: { id: string }[]
  next_cursor: string | null
}

/** More than fit on one page of the calendar, and more than numbers list. */
const people = 310
const rooms = 30
const places = 40

onOneEngine('sqlite', 'a catalogue with more columns than an answer holds', (engine) => {
  let service: TestService
  let salon: ReturnType<typeof bookerOf>
  let owner: LoggedIn
  let booking: string
  /** ID of the last person by name, who is on the second page. */
  let last: string
  const day = 'from=2026-11-24&to=2026-11-24'
  const calendar = async (more = '') => {
    const { status, body } = await salon.call('GET', `/calendar?${day}${more}`)
    expect(status).toBe(200)
    return body as Shown
  }
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = bookerOf(service)
    const { id: businessId } = salon.business
    const { ids, db } = service.context
    await db.transaction(async (tx) => {
      const at = { business_id: businessId, created_at: tx.now, date_overrides_json: '[]' }
      const row = (name: string) => ({ ...at, id: ids.next(), name })
      const numbered = (count: number, name: string) =>
        Array.from({ length: count }, (_each, index) => `${name} ${String(index).padStart(3, '0')}`)
      const staff = numbered(people, 'Person').map(row)
      await tx.db.insertInto('staff').values(staff).execute()
      last = staff.at(-1)?.id ?? ''
      const locations = numbered(places, 'Place').map((name) => ({ ...row(name), timezone: 'Europe/Berlin' }))
      await tx.db.insertInto('locations').values(locations).execute()
      for (const name of numbered(rooms, 'Room')) {
        const id = ids.next()
        await sql`insert into services (id, business_id, name, duration_minutes, buffer_before_minutes, buffer_after_minutes,
                    slot_interval_minutes, min_notice_minutes, capacity, custom_fields_json, max_reschedules, created_at)
                  values (${id}, ${businessId}, ${name}, 30, 0, 0, 30, 0, 1, '[]', 3, ${tx.now})`.execute(
          tx.db,
        )
        const links = locations.map((location) => ({
          ...{ business_id: businessId, service_id: id, location_id: location.id },
        }))
        await tx.db.insertInto('service_locations').values(links).execute()
      }
      const haircut = salon.business.services.find(({ name }) => name === 'Haircut')?.id ?? ''
      await tx.db
        .insertInto('service_staff')
        .values({ business_id: businessId, service_id: haircut, staff_id: last })
        .execute()
      await sql`update businesses set catalogue_version = catalogue_version + 1 where id = ${businessId}`.execute(
        tx.db,
      )
    })
    booking = await salon.book('Haircut', '2026-11-24T10:00:00+01:00', { staff_id: last })
    const place = { businessId }
    owner = await logInNewPerson(service, { email: 'ada@example.com', role: 'owner', place })
  })
  afterAll(() => service.stop())

  test('is shown page by page, each column once, with what is in it', async () => {
    const pages = [await calendar()]
    for (let next = pages[0]?.next_cursor; next; next = pages.at(-1)?.next_cursor)
      pages.push(await calendar(`&cursor=${next}`))
    for (const page of pages.slice(0, -1)) expect(page.columns).toHaveLength(300)
    const ids = pages.flatMap(({ columns }) => columns.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    const names = pages.flatMap(({ columns }) => columns.flatMap(({ staff }) => staff?.name ?? []))
    expect(names).toEqual(names.toSorted())
    expect(names.length).toBeGreaterThanOrEqual(people)
    expect(ids.length - names.length).toBeGreaterThanOrEqual(rooms * places)
    const found = pages.map(({ bookings }) => bookings.map(({ id }) => id))
    expect(found.slice(0, 3)).toEqual([[], [booking], []])
  })

  test('shows one column wherever it stands, and refuses a cursor of another list', async () => {
    const only = await calendar(`&column_id=${last}`)
    expect(only).toMatchObject({ columns: [{ id: last }], bookings: [{ id: booking }], next_cursor: null })
    const second = await calendar(`&cursor=${(await calendar()).next_cursor ?? ''}`)
    const room = second.columns.find(({ service: one }) => one)?.id ?? ''
    expect((await calendar(`&column_id=${room}`)).columns).toMatchObject([{ id: room }])
    expectErrors(await salon.call('GET', `/calendar?${day}&cursor=x`), '/cursor')
  })

  test('has a hundred on a page of the console, with a way to the others', async () => {
    const first = await readConsole(service, '/console?date=2026-11-24', owner)
    const count = (page: { body: unknown }) => String(page.body).match(/class="cal-col"/g)?.length
    expect(count(first)).toBe(100)
    expect(textOf(first)).not.toContain('Back to the first people')
    const next =
      /href="([^"]*)"[^>]*>More people/.exec(String(first.body))?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await readConsole(service, next, owner)
    expect(count(second)).toBe(100)
    expect(textOf(second)).toContain('Back to the first people')
    const own = await readConsole(service, `/console?date=2026-11-24&who=${last}`, owner)
    expect(count(own)).toBe(1)
    expect(own.body).toContain(`b-${booking}`)
    const lost = await readConsole(service, '/console?date=2026-11-24&cursor=x', owner)
    expect(count(lost)).toBe(100)
  })

  test('is counted whole, though not all of it is listed', async () => {
    const { body } = await salon.call('GET', `/numbers?${day}`)
    const { weeks, columns, complete } = body as {
      weeks: { bookings: number; open_minutes: number }[]
      columns: { id: string; bookings: number[]; open_minutes: number[] }[]
      complete: boolean
    }
    expect(complete).toBe(false)
    expect(columns.length).toBe(1_000)
    expect(weeks[0]?.bookings).toBe(1)
    expect(columns.find(({ id }) => id === last)?.bookings).toEqual([1])
    const listed = columns.reduce((sum, { open_minutes }) => sum + (open_minutes[0] ?? 0), 0)
    // the others are rooms that are always open
    const all = people + rooms * places + (await calendarColumnsOfDemo())
    expect(weeks[0]?.open_minutes).toBe(listed + (all - 1_000) * 1_440)
    const page = await readConsole(service, '/console/numbers?range=own&from=2026-11-24&to=2026-11-24', owner)
    expect(page.status).toBe(200)
    expect(textOf(page)).toContain('Utilisation')
  })

  /** Counts the demo world's own columns. */
  const calendarColumnsOfDemo = async () => {
    let count = 0
    let cursor: string | null | undefined
    do {
      const page: Shown = await calendar(cursor ? `&cursor=${cursor}` : '')
      count += page.columns.length
      cursor = page.next_cursor
    } while (cursor)
    return count - people - rooms * places
  }
})
