import { monthOf, plusDays, plusMonths, sameDayIn, startOfWeek } from '../times/civil-dates.ts'

interface Grid {
  firstWeekday: number
  rightToLeft: boolean
  /** The first day that can be booked. */
  today: string
}

/** Returns the day to which a key moves (ARIA Authoring Practices: Date Picker); undefined for other keys. */
export function keyTarget(key: string, from: string, grid: Grid): string | undefined {
  const target = targetOf(key, from, grid)
  return target !== undefined && target < grid.today ? grid.today : target
}

function targetOf(key: string, from: string, { firstWeekday, rightToLeft }: Grid): string | undefined {
  const forward = rightToLeft ? -1 : 1
  switch (key) {
    case 'ArrowRight':
      return plusDays(from, forward)
    case 'ArrowLeft':
      return plusDays(from, -forward)
    case 'ArrowDown':
      return plusDays(from, 7)
    case 'ArrowUp':
      return plusDays(from, -7)
    case 'Home':
      return startOfWeek(from, firstWeekday)
    case 'End':
      return plusDays(startOfWeek(from, firstWeekday), 6)
    case 'PageDown':
      return sameDayIn(plusMonths(monthOf(from), 1), from)
    case 'PageUp':
      return sameDayIn(plusMonths(monthOf(from), -1), from)
    default:
      return undefined
  }
}
