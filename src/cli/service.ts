import type { Context } from '../bookings/context.ts'
import {
  ChangeService,
  CreateService,
  type Service,
  type ServiceChange,
  type ServiceCreation,
  type serviceFields,
} from '../catalogue/service-schemas.ts'
import { locationKind, serviceKind, staffKind, writableServices } from '../catalogue/catalogue-kinds.ts'
import type { CliCommand } from './command-line.ts'
import {
  given,
  moneyText,
  numberIn,
  readMoney,
  readFees,
  readTimetable,
  repeated,
  unlessNone,
} from './input.ts'
import { partReaders } from './service-parts.ts'
import { idsOf, type ItemCommands, registerItem, shownReaders, type ShownOptions, withShown } from './item.ts'

interface ServiceOptions extends ShownOptions {
  category?: string
  duration?: string
  bufferBefore?: string
  bufferAfter?: string
  slotInterval?: string
  timetable?: string
  minNotice?: string
  maxAdvanceDays?: string
  cancelUntil?: string
  rescheduleUntil?: string
  maxReschedules?: string
  maxRepeats?: string
  confirmation?: string
  respondWithin?: string
  capacity?: string
  waitlist?: boolean
  price?: string
  deposit?: string
  payment?: string
  fees?: string
  feeNoShow?: string
  phone?: string
  lastName?: string
  location?: string[]
  /** False after `--no-staff`. */
  staff?: string[] | false
  steps?: string
  /** False after `--no-need`. */
  need?: string[] | false
  /** False after `--no-terms`. */
  terms?: string[] | false
}

const services: ItemCommands<Service, ServiceCreation, ServiceChange, ServiceOptions> = {
  word: 'service',
  plural: 'services',
  texts: {
    create: 'create a service; add custom fields with "holdfast import"',
    update:
      'change a service; "none" clears --category, --steps, --timetable, --max-advance-days, --price, --deposit, --fees and --fee-no-show, and turns off changes by clients in --cancel-until and --reschedule-until',
  },
  examples: {
    create: [
      'create Massage --business "Salon Spree" --duration 45 --location Mitte --staff "Anna Weber"',
      'create Colour --business "Salon Spree" --steps "30, 35 without, 25" --location Mitte --staff "Anna Weber" --need "Basin"',
      'create "Yoga class" --business 0198… --duration 60 --location Mitte --capacity 8 --price "15 EUR"',
    ],
    update: [
      'update Massage --duration 60 --price "70 EUR"',
      'update 0198… --deposit none --no-active',
      'update Haircut --terms "Anna Weber: 60 EUR in 40"',
    ],
  },
  withOptions: withServiceOptions,
  kind: serviceKind,
  writable: writableServices,
  schemas: { create: CreateService, change: ChangeService },
  optionNames: {
    duration_minutes: '--duration',
    steps: '--steps',
    needs: '--need',
    terms: '--terms',
    buffer_before_minutes: '--buffer-before',
    buffer_after_minutes: '--buffer-after',
    slot_interval_minutes: '--slot-interval',
    timetable: '--timetable',
    min_notice_minutes: '--min-notice',
    cancel_until_minutes: '--cancel-until',
    reschedule_until_minutes: '--reschedule-until',
    respond_within_minutes: '--respond-within',
    no_show_percent: '--fee-no-show',
    location_ids: '--location',
    staff_ids: '--staff',
    client_fields: '--phone, --last-name',
    name: 'The name',
  },
  readers: serviceReaders,
  columns: {
    MINUTES: ({ duration_minutes }) => String(duration_minutes),
    CAPACITY: ({ capacity }) => String(capacity),
    PRICE: ({ price }) => moneyText(price),
    DEPOSIT: ({ deposit, payment }) =>
      payment === 'full' ? 'full price' : payment === 'card' ? 'card' : moneyText(deposit),
  },
}

export function registerServiceCommands(program: CliCommand): void {
  registerItem(program, services)
}

function withServiceOptions(command: CliCommand, isNew: boolean): CliCommand {
  const required = isNew
    ? command
        .option('--duration <minutes>', 'duration; required without --steps')
        .requiredOption('--location <name or id>', 'locations that offer it; repeatable', repeated)
    : command
        .option('--duration <minutes>', 'duration')
        .option('--location <name or id>', 'replace the locations that offer it; repeatable', repeated)
        .option('--no-staff', 'require no staff')
        .option('--no-need', 'need no resources')
        .option('--no-terms', 'the same price and length for all staff')
  return withPrice(withShown(required))
    .option(
      '--steps <minutes>',
      'its length in pieces, with the staff member or without: "30, 35 without, 25"; replaces --duration',
    )
    .option(
      '--need <resources>',
      'room or equipment that it needs, in order of preference: "Basin 1 | Basin 2". More of them: "Chair x2". Only for steps with staff: "Basin staffed". Repeatable',
      repeated,
    )
    .option(
      '--terms <terms>',
      'price and steps of one staff member: "Anna Weber: 60 EUR in 40"; repeatable',
      repeated,
    )
    .option('--category <name>', 'category in lists')
    .option('--buffer-before <minutes>', 'blocked time before each booking')
    .option('--buffer-after <minutes>', 'blocked time after each booking')
    .option('--slot-interval <minutes>', 'time between slot starts (default: the duration)')
    .option(
      '--timetable <starts>',
      'starts by weekday, instead of --slot-interval: "mon-fri 09:00 18:30, sat 10:00"',
    )
    .option('--min-notice <minutes>', 'minimum time between booking and start')
    .option('--max-advance-days <days>', 'how many days ahead clients can book (default: 365)')
    .option('--cancel-until <minutes>', 'how long before the start clients can cancel (default: 1440)')
    .option(
      '--reschedule-until <minutes>',
      'how long before the start clients can move a booking (default: 1440)',
    )
    .option('--max-reschedules <times>', 'how often a client can move a booking (default: 3)')
    .option(
      '--max-repeats <times>',
      'how many appointments clients can book at once, as a series (default: 1)',
    )
    .option(
      '--confirmation <way>',
      'request: you confirm each booking by a client; automatic: nobody does (default: automatic)',
    )
    .option('--respond-within <minutes>', 'time to answer a request (default: 1440)')
    .option('--capacity <clients>', 'clients per slot, such as the seats in a class (default: 1)')
    .option('--waitlist', 'clients can join the waiting list for it (the default)')
    .option('--no-waitlist', 'clients cannot join the waiting list for it')
    .option('--phone <use>', "the client's phone: required, optional or hidden (default: optional)")
    .option('--last-name <use>', "the client's last name: required, optional or hidden (default: required)")
    .option(
      '--staff <name or id>',
      'staff who provide it; repeatable. Without staff, a booking takes one of the --capacity seats of this service at the location',
      repeated,
    )
}

function withPrice(command: CliCommand): CliCommand {
  return command
    .option('--price <amount>', 'price, such as "25 EUR"')
    .option('--deposit <amount>', 'amount to pay in advance, such as "5 EUR"')
    .option(
      '--payment <mode>',
      'paid when booking: none, deposit, full, the whole price, or card, which only saves a card (default: deposit with --deposit, else none)',
    )
    .option(
      '--fees <fees>',
      'parts of the price for clients who cancel late, by the minutes before the start: "50% in 1440, 100% in 120"',
    )
    .option('--fee-no-show <percent>', 'part of the price for clients who do not come, such as 100')
}

function serviceReaders(context: Context, businessId: string, options: ServiceOptions) {
  const read = <T>(text: string | undefined, reader: (text: string) => T) =>
    text === undefined ? undefined : reader(text)
  const clearable = <T>(text: string | undefined, reader: (text: string) => T) =>
    read(text, (given) => unlessNone(given, reader))
  const minutes = (option: string) => (text: string) => numberIn(text, option, 'whole minutes, such as 30')
  const at = (option: string, references: string[]) => ({ businessId, option, references })
  return {
    ...shownReaders(options),
    category: () => clearable(options.category, String),
    duration_minutes: () => read(options.duration, minutes('--duration')),
    buffer_before_minutes: () => read(options.bufferBefore, minutes('--buffer-before')),
    buffer_after_minutes: () => read(options.bufferAfter, minutes('--buffer-after')),
    slot_interval_minutes: () => read(options.slotInterval, minutes('--slot-interval')),
    timetable: () => clearable(options.timetable, readTimetable),
    min_notice_minutes: () => read(options.minNotice, minutes('--min-notice')),
    max_advance_days: () =>
      clearable(options.maxAdvanceDays, (text) =>
        numberIn(text, '--max-advance-days', 'whole days, such as 90'),
      ),
    cancel_until_minutes: () => clearable(options.cancelUntil, minutes('--cancel-until')),
    reschedule_until_minutes: () => clearable(options.rescheduleUntil, minutes('--reschedule-until')),
    max_reschedules: () =>
      read(options.maxReschedules, (text) =>
        numberIn(text, '--max-reschedules', 'a whole number, such as 3'),
      ),
    max_repeats: () =>
      read(options.maxRepeats, (text) => numberIn(text, '--max-repeats', 'a whole number, such as 6')),
    confirmation: () => options.confirmation,
    respond_within_minutes: () => read(options.respondWithin, minutes('--respond-within')),
    capacity: () =>
      read(options.capacity, (text) => numberIn(text, '--capacity', 'a whole number, such as 8')),
    waitlist: () => options.waitlist,
    price: () => clearable(options.price, readMoney),
    deposit: () => clearable(options.deposit, readMoney),
    payment: () => options.payment,
    fees: () => read(options.fees, (text) => unlessNone(text, readFees) ?? []),
    no_show_percent: () =>
      clearable(options.feeNoShow, (text) =>
        numberIn(text, '--fee-no-show', 'a whole percentage, such as 100'),
      ),
    client_fields: () =>
      options.phone === undefined && options.lastName === undefined
        ? undefined
        : given({ phone: options.phone, last_name: options.lastName }),
    location_ids: () => options.location && idsOf(context, locationKind, at('--location', options.location)),
    staff_ids: () =>
      options.staff === false ? [] : options.staff && idsOf(context, staffKind, at('--staff', options.staff)),
    ...partReaders(context, businessId, options),
  } satisfies Record<string, unknown> & Record<Exclude<keyof typeof serviceFields, 'name'>, unknown> // the name is an argument
}
