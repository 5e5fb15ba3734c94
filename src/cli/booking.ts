import type { Command } from 'commander'
import { addBookingCancel } from './booking-cancel.ts'
import { addBookingComplete } from './booking-complete.ts'
import { addBookingList } from './booking-list.ts'
import { addBookingReschedule } from './booking-reschedule.ts'
import { addBookingShow } from './booking-show.ts'
import { addGroup } from './command-group.ts'

/** `holdfast booking …`: what clients have booked. */
export function addBooking(program: Command): void {
  addGroup(program, {
    name: 'booking',
    description: 'what clients have booked',
    example: 'list --status confirmed',
    commands: [addBookingList, addBookingShow, addBookingReschedule, addBookingCancel, addBookingComplete],
  })
}
