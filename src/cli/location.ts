import type { Command } from 'commander'
import { locationKind } from '../catalogue/catalogue-kinds.ts'
import { addCatalogueList } from './catalogue-list.ts'
import { addGroup } from './command-group.ts'
import { weeklyHoursText } from './hours-text.ts'
import { addLocationCreate } from './location-create.ts'
import { addLocationUpdate } from './location-update.ts'

/** `holdfast location …`: where services are given. */
export function addLocation(program: Command): void {
  addGroup(program, {
    name: 'location',
    description: 'where services are given',
    example: 'create Mitte --business 0198… --hours "mon-fri 09:00-18:00"',
    commands: [addLocationCreate, addLocationList, addLocationUpdate],
  })
}

function addLocationList(location: Command): void {
  addCatalogueList(location, {
    kind: locationKind,
    many: 'locations',
    columns: {
      'TIME ZONE': ({ timezone }) => timezone,
      HOURS: ({ weekly_hours }) => weeklyHoursText(weekly_hours),
    },
  })
}
