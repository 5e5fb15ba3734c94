import { expect, test } from 'vitest'
import { presentSlot, SlotTexts } from '../../src/availability/shown-slot-rules.ts'
import type { Slot } from '../../src/availability/slot-rules.ts'
import { ZoneOffsets } from '../../src/availability/zone-rules.ts'
import { latestMs } from '../../src/base/instants.ts'

const hourMs = 3_600_000
const firstMs = Date.UTC(2026, 9, 25) // Berlin sets its clock back an hour later
const zone = new ZoneOffsets('Europe/Berlin', { from: firstMs - hourMs, to: latestMs + hourMs })
const slot = (hours: number, parts: Partial<Slot> = {}): Slot => {
  const from = firstMs + hours * hourMs
  return { from, to: from + hourMs, staffIds: [], seatsLeft: 1, heldByYou: false, ...parts }
}

test('the text of a slot is the JSON of its value, whatever slot came before', () => {
  const [ada, ben, cat] = ['a', 'b', 'c'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`)
  const slots = [
    slot(0),
    slot(1, { staffIds: [ada, ben] as string[], seatsLeft: 2 }),
    slot(2, { staffIds: [ada, cat] as string[], seatsLeft: 3 }),
    slot(2, { staffIds: [ada] as string[], heldByYou: true }),
    slot(4, { staffIds: [ada] as string[] }),
    slot(3),
    slot(0, { from: latestMs - 2 * hourMs, to: latestMs }),
  ]
  const texts = new SlotTexts(zone)
  for (const one of slots) expect(texts.of(one)).toBe(JSON.stringify(presentSlot(one, zone)))
})
