import { expect, test } from 'vitest'
import { calendarFile } from '../../widget/flow/calendar-file.ts'

const appointment = {
  id: 'e3b0c442-98fc-4c14-9afb-f4c8996fb924',
  title: 'Haircut; wash, cut \\ dry',
  place: 'Chelsea, 1 Main Street\nNew York',
  description: 'Dana Brooks',
  startsAtMs: Date.parse('2027-03-15T09:00:00-04:00'),
  endsAtMs: Date.parse('2027-03-15T10:00:00-04:00'),
  writtenAtMs: Date.parse('2026-11-20T09:00:00Z'),
}

const lines = (text: string) => text.replaceAll('\r\n ', '').split('\r\n')

test('says when it is in UTC, which is right in every zone', () => {
  expect(lines(calendarFile(appointment))).toEqual(
    expect.arrayContaining([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'UID:e3b0c442-98fc-4c14-9afb-f4c8996fb924@holdfast',
      'DTSTAMP:20261120T090000Z',
      'DTSTART:20270315T130000Z',
      'DTEND:20270315T140000Z',
      'SUMMARY:Haircut\\; wash\\, cut \\\\ dry',
      'LOCATION:Chelsea\\, 1 Main Street\\nNew York',
      'END:VCALENDAR',
    ]),
  )
})

test('no line is longer than 75 octets, none is lost, and no character is cut', () => {
  const title = 'Ünïcödé 😀 '.repeat(20).trim()
  const text = calendarFile({ ...appointment, title })
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
  expect(lines(text)).toContain(`SUMMARY:${title}`)
  expect(text).not.toContain('\uFFFD')
  expect(text.endsWith('\r\n')).toBe(true)
})

test('what a person is called cannot add a line of its own', () => {
  const text = calendarFile({ ...appointment, description: 'Dana\r\nATTENDEE:mailto:eve@example.com' })
  expect(text).not.toMatch(/^ATTENDEE/m)
})
