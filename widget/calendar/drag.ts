import { Carried } from './carried.ts'
import { type Grid, onStep, type Place } from './grid.ts'
import type { Moves } from './moves.ts'
import type { Held } from './pointer.ts'

/** Height of the lower edge, which resizes an appointment. */
const edgePixels = 8
const edgePixelsOfTouch = 14

/**
 * Starts dragging an appointment, a block, or its lower edge. Returns undefined if there is nothing to drag.
 */
export function beginDrag(
  { grid, moves }: { grid: Grid; moves: Moves },
  target: Element,
  at: { x: number; y: number; isTouch: boolean },
): Held | undefined {
  const classLink = target.closest('.booking.group')?.querySelector('a')
  if (classLink) {
    moves.sayOfClass(classLink.href)
    return { move: () => undefined, drop: () => undefined, giveUp: () => undefined }
  }
  const element = target.closest<HTMLElement>('.cal-col [data-id]')
  const booking = element && !moves.isBusy ? grid.bookingOf(element) : undefined
  if (!element || !booking) return undefined
  const edge = at.isTouch ? edgePixelsOfTouch : edgePixels
  const isLength = !booking.visit && element.getBoundingClientRect().bottom - at.y < edge
  const grabbed = grid.pointAt(at.x, at.y).row - booking.place.first
  const carried = new Carried(grid, booking)
  const placeAt = ({ column, row }: { column: number; row: number }): Place => {
    const { place } = booking
    if (isLength) return { ...place, end: Math.max(place.first + 1, snapped(row, place.end)) }
    const first = snapped(row - grabbed, place.first)
    return { column, first, end: first + place.end - place.first }
  }
  return {
    move(x, y) {
      grid.scrollNear(x, y)
      carried.put(placeAt(grid.pointAt(x, y)))
    },
    drop: () => void moves.drop(carried),
    giveUp: () => carried.springBack(),
  }
}

/** Returns the nearest quarter of an hour, or the original row. */
function snapped(row: number, before: number): number {
  return Math.abs(row - before) < 1.5 ? before : onStep(row)
}
