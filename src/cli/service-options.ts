import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { given, idsOf, numberIn, repeated, unlessNone } from './catalogue-options.ts'
import type { OptionNames } from './check-input.ts'
import { readMoney } from './money-text.ts'

/** What the options of a service are called beside its fields. */
export const serviceOptionNames: OptionNames = {
  duration_minutes: '--duration',
  buffer_before_minutes: '--buffer-before',
  buffer_after_minutes: '--buffer-after',
  slot_interval_minutes: '--slot-interval',
  min_notice_minutes: '--min-notice',
  location_ids: '--location',
  staff_ids: '--staff',
  name: 'The name',
}

/** What Commander makes of the options of a service. */
export interface ServiceOptions {
  description?: string
  duration?: string
  bufferBefore?: string
  bufferAfter?: string
  slotInterval?: string
  minNotice?: string
  maxAdvanceDays?: string
  capacity?: string
  price?: string
  deposit?: string
  location?: string[]
  /** False when `--no-staff` is given. */
  staff?: string[] | false
}

/** Adds the options that creations and changes share. */
export function addServiceOptions(command: Command): Command {
  return command
    .option('--description <text>', 'what clients are told')
    .option('--buffer-before <minutes>', 'time before each booking in which nothing else can be')
    .option('--buffer-after <minutes>', 'time after each booking in which nothing else can be')
    .option('--slot-interval <minutes>', 'the grid on which slots start (default: the duration)')
    .option('--min-notice <minutes>', 'how long before its start a slot can be booked at the latest')
    .option('--max-advance-days <days>', 'how many days ahead it can be booked (default: 365)')
    .option('--capacity <clients>', 'how many clients at once, or in one class')
    .option('--price <amount>', 'such as "25 EUR"')
    .option('--deposit <amount>', 'what is paid in advance, such as "5 EUR"')
    .option('--staff <name or id>', 'who gives it; repeat for more', repeated)
}

/** The fields of the API that the options give. Throws a UsageError. */
export async function serviceFields(
  context: Context,
  businessId: string,
  options: ServiceOptions,
): Promise<Record<string, unknown>> {
  const number = (text: string | undefined) => (text === undefined ? undefined : numberIn(text))
  const clearable = <T>(text: string | undefined, read: (text: string) => T) =>
    text === undefined ? undefined : unlessNone(text, read)
  const ids = (option: string, references: string[] | undefined) =>
    references && idsOf(context, { businessId, option, references })
  return given({
    description: clearable(options.description, (text) => text),
    duration_minutes: number(options.duration),
    buffer_before_minutes: number(options.bufferBefore),
    buffer_after_minutes: number(options.bufferAfter),
    slot_interval_minutes: number(options.slotInterval),
    min_notice_minutes: number(options.minNotice),
    max_advance_days: clearable(options.maxAdvanceDays, numberIn),
    capacity: number(options.capacity),
    price: clearable(options.price, readMoney),
    deposit: clearable(options.deposit, readMoney),
    location_ids: await ids('--location', options.location),
    staff_ids: options.staff === false ? [] : await ids('--staff', options.staff),
  })
}
