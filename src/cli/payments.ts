import type { Command } from 'commander'
import { addGroup } from './command-group.ts'
import { addPaymentsReconcile } from './payments-reconcile.ts'

/** `holdfast payments …`: deposits of bookings. */
export function addPayments(program: Command): void {
  addGroup(program, {
    name: 'payments',
    description: 'deposits of bookings',
    example: 'reconcile',
    commands: [addPaymentsReconcile],
  })
}
