import type { Command } from 'commander'
import { given, repeated } from './catalogue-options.ts'
import type { OptionNames } from './check-input.ts'
import { readOverride, readWeeklyHours } from './hours-text.ts'

/** What the options of locations and staff are called beside their fields. */
export const scheduleOptionNames: OptionNames = {
  name: 'The name',
  weekly_hours: '--hours',
  date_overrides: '--override',
  location_ids: '--location',
}

/** What Commander makes of the options on hours. */
export interface ScheduleOptions {
  hours?: string
  /** False when `--no-override` is given. */
  override?: string[] | false
}

/** Adds the options for hours. */
export function addScheduleOptions(command: Command): Command {
  return command
    .option('--hours <hours>', 'weekly hours: "mon-fri 09:00-18:00, sat 10:00-14:00", "always" or "never"')
    .option(
      '--override <date>',
      'hours of one date: "2026-12-24 09:00-12:00" or "2026-12-25 closed"; repeat for more',
      repeated,
    )
}

/** The hours that the options give, as the API has them. Throws a UsageError. */
export function scheduleFields({ hours, override }: ScheduleOptions): Record<string, unknown> {
  return given({
    weekly_hours: hours === undefined ? undefined : readWeeklyHours(hours),
    date_overrides: override === false ? [] : override?.map(readOverride),
  })
}
