import type { Command } from 'commander'
import { staffKind } from '../catalogue/catalogue-kinds.ts'
import { addCatalogueList } from './catalogue-list.ts'
import { addGroup } from './command-group.ts'
import { weeklyHoursText } from './hours-text.ts'
import { addStaffCreate } from './staff-create.ts'
import { addStaffUpdate } from './staff-update.ts'

/** `holdfast staff …`: who gives services. */
export function addStaff(program: Command): void {
  addGroup(program, {
    name: 'staff',
    description: 'who gives services',
    example: 'create "Anna Weber" --business 0198… --location Mitte',
    commands: [addStaffCreate, addStaffList, addStaffUpdate],
  })
}

function addStaffList(staff: Command): void {
  addCatalogueList(staff, {
    kind: staffKind,
    many: 'staff members',
    columns: {
      EMAIL: ({ email }) => email ?? '',
      HOURS: ({ weekly_hours }) =>
        weekly_hours === null ? 'as the location' : weeklyHoursText(weekly_hours),
    },
  })
}
