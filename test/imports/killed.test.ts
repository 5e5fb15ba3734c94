/** @module-tag long */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { calcomTables } from '../support/calcom.ts'
import { changeDirectly } from '../support/change-directly.ts'
import { readRows } from '../support/checker.ts'
import { commandLine } from '../support/command-line.ts'
import { type EasyRecord, writtenDump } from '../support/easyappointments.ts'
import { easySalon } from '../support/easyappointments-salon.ts'
import { eventually } from '../support/eventually.ts'
import { startHoldfast } from '../support/holdfast-process.ts'
import { createMigratedDatabase, createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { onOneEngine } from '../support/long.ts'
import { engines } from '../support/test-service.ts'

/* An import that is killed while it writes. Each source has one service, one person, one client and 600 appointments. */

const days = Array.from({ length: 600 }, (_each, n) =>
  new Date(Date.UTC(2031, 0, 1 + n)).toISOString().slice(0, 10),
)
const lines = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n')
const easyBase = easySalon.filter(([name]) => ['settings', 'hair', 'cut', 'anna', 'ada'].includes(name))

function easyDump(): string {
  const parts = {
    id_users_provider: '@anna',
    id_users_customer: '@ada',
    id_services: '@cut',
    status: 'Booked',
  }
  const appointments = days.map((date): EasyRecord => {
    const times = { start_datetime: `${date} 09:00:00`, end_datetime: `${date} 09:45:00` }
    return [date, 'appointments', { ...times, ...parts }]
  })
  return writtenDump([...easyBase, ...appointments]).dump
}

function calendlyFile(): string {
  const api = 'https://api.calendly.com'
  const [anna, talk] = [`${api}/users/ANNA`, `${api}/event_types/TALK`]
  const type = { uri: talk, name: 'Talk', duration: 30, active: true, profile: { owner: anna, type: 'User' } }
  const events = days.map((date) => ({
    ...{ uri: `${api}/scheduled_events/${date}`, event_type: talk, status: 'active' },
    ...{
      start_time: `${date}T09:00:00Z`,
      end_time: `${date}T09:30:00Z`,
      event_memberships: [{ user: anna }],
    },
  }))
  const invitees = days.map((date) => ({
    uri: `${api}/scheduled_events/${date}/invitees/I`,
    ...{ name: 'Ada Lovelace', email: 'ada@example.org', status: 'active', timezone: 'UTC' },
  }))
  const user = { uri: anna, name: 'Anna Weber', email: 'anna@example.org', timezone: 'Europe/Berlin' }
  return lines([{ resource: user }, { collection: [type] }, { collection: events }, { collection: invitees }])
}

/** Fills a database of cal.com. */
async function fillCalcom({ url }: TestDatabase): Promise<void> {
  const each = `from generate_series(1, ${days.length}) as n`
  const rows = [
    `insert into users (id, name, email, "timeZone") values (1, 'Anna Weber', 'anna@example.org', 'UTC')`,
    `insert into "EventType" (id, title, length, "userId") values (1, 'Talk', 30, 1)`,
    `insert into "Booking" (id, uid, "userId", "eventTypeId", "startTime", "endTime", status, "createdAt")
       select n, 'b' || n, 1, 1, timestamp '2031-01-01 09:00' + n * interval '1 day',
              timestamp '2031-01-01 09:30' + n * interval '1 day', 'accepted', '2030-01-01' ${each}`,
    `insert into "Attendee" (id, email, name, "timeZone", "bookingId")
       select n, 'ada@example.org', 'Ada Lovelace', 'UTC', n ${each}`,
  ]
  for (const statement of [...calcomTables, ...rows]) await changeDirectly(url, statement)
}

/** Writes a file and returns its path. */
function fileOf(name: string, text: string): string {
  const path = join(mkdtempSync(join(inject('filesDirectory'), 'killed-')), name)
  writeFileSync(path, text)
  return path
}

const csv = ['Date;Start;Service;Staff;First name;Last name;Email']
  .concat(days.map((date) => `${date};09:00;Haircut;Anna Weber;Ada;Lovelace;ada@example.org`))
  .join('\n')

/** Makes each source. Returns its path or address. */
const sources: [system: string, make: (calcom: TestDatabase | undefined) => string][] = [
  ['easyappointments', () => fileOf('easyappointments.sql', easyDump())],
  ['calendly', () => fileOf('calendly.json', calendlyFile())],
  ['csv', () => fileOf('appointments.csv', csv)],
]
if (engines.includes('postgres')) sources.push(['calcom', (calcom) => calcom?.url ?? ''])

onOneEngine('sqlite', 'a move that is killed', (engine) => {
  describe.each(sources)('from %s', (system, make) => {
    test('is completed by a repeat', async () => {
      const database = await createMigratedDatabase(engine)
      const holdfast = commandLine(database.url)
      await holdfast.text('business', 'create', 'Corner Salon', '--timezone', 'Europe/Berlin')
      const calcom = system === 'calcom' ? await createTestDatabase('postgres') : undefined
      if (calcom) await fillCalcom(calcom)
      const move = (from: string, path: string) => [
        ...['import', '--from', from, path, '--business', 'Corner Salon', '--apply'],
      ]
      // a file of appointments finds the catalogue by its names
      if (system === 'csv')
        await holdfast.json(...move('easyappointments', fileOf('salon.sql', writtenDump(easyBase).dump)))
      const args = move(system, make(calcom))
      const number = async (table: string) =>
        Number((await readRows(database.url, `select count(*) as n from ${table}`))[0]?.['n'])
      const killed = startHoldfast(args, { variables: { DATABASE_URL: database.url } })
      await eventually('the first bookings', async () => (await number('bookings')) > 0 || undefined)
      killed.signal('SIGKILL')
      expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
      const before = await number('bookings')
      expect(before).toBeLessThan(days.length)
      expect(await holdfast.json(...args)).toMatchObject({
        bookings: { coming: days.length - before, present: before, conflicts: 0 },
      })
      for (const table of ['bookings', 'claims', 'events'])
        expect(await number(table), table).toBe(days.length)
      expect(await number('clients')).toBe(1)
      await calcom?.drop()
      await database.drop()
    })
  })
})
