import type { EasyRecord } from './easyappointments.ts'

const day = (start: string, end: string, ...breaks: [string, string][]) => ({
  start,
  end,
  breaks: breaks.map(([from, to]) => ({ start: from, end: to })),
})
const closed = {
  monday: null,
  tuesday: null,
  wednesday: null,
  thursday: null,
  friday: null,
  saturday: null,
  sunday: null,
}

const provider = (name: string, timezone: string, plan: object, services: string[]) => {
  const [first_name = '', last_name = ''] = name.split(' ')
  const username = last_name.toLowerCase().replaceAll(/[^a-z]/g, '')
  return {
    ...{
      first_name,
      last_name,
      email: `${username}@example.org`,
      phone_number: '+49 30 1',
      timezone,
      services,
    },
    settings: { username, password: 'a long password', working_plan: JSON.stringify({ ...closed, ...plan }) },
  }
}

const appointment = (
  [start_datetime, end_datetime]: [string, string],
  [id_users_provider, id_users_customer, id_services]: [string, string, string],
  others: Record<string, string> = {},
) => ({
  ...{ start_datetime, end_datetime, id_users_provider, id_users_customer, id_services, status: 'Booked' },
  ...others,
})

/** A salon with people in two time zones, every kind of absence, and appointments around clock changes. */
export const easySalon: readonly EasyRecord[] = [
  [
    'settings',
    'settings',
    {
      ...{
        company_name: 'Corner Salon',
        default_timezone: 'Europe/Berlin',
        label_custom_field_1: 'Allergies',
      },
      ...{ book_advance_timeout: '60', future_booking_limit: '120' },
    },
  ],
  ['hair', 'service_categories', { name: 'Hair' }],
  [
    'cut',
    'services',
    {
      ...{ name: 'Haircut', duration: '45', price: '35.50', currency: '€', slot_interval: 15 },
      ...{ attendants_number: '1', description: 'Wash & cut', id_service_categories: '@hair' },
    },
  ],
  [
    'yoga',
    'services',
    {
      name: 'Yoga',
      duration: '60',
      price: '12',
      currency: 'Taler',
      slot_interval: 30,
      attendants_number: '2',
    },
  ],
  [
    'anna',
    'providers',
    provider(
      'Anna Weber',
      'Europe/Berlin',
      {
        monday: day('09:00', '18:00', ['12:00', '13:00'], ['15:30', '15:45']),
        friday: day('10:00', '20:00'),
      },
      ['@cut'],
    ),
  ],
  [
    'ben',
    'providers',
    provider("Ben O'Neil", 'America/New_York', { monday: day('08:00', '16:00') }, ['@cut', '@yoga']),
  ],
  [
    'away',
    'working_plan_exceptions',
    {
      start_date: '2031-12-24',
      end_date: '2031-12-26',
      start_time: null,
      end_time: null,
      id_users_provider: '@anna',
    },
  ],
  [
    'short',
    'working_plan_exceptions',
    {
      ...{ start_date: '2031-12-31', end_date: '2031-12-31', start_time: '08:00:00', end_time: '12:00:00' },
      ...{ breaks: '[{"start":"10:00","end":"10:15"}]', id_users_provider: '@anna' },
    },
  ],
  [
    'ada',
    'customers',
    {
      ...{ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.org', phone_number: '+49 30 1234' },
      ...{
        address: 'Street 1',
        city: 'Berlin',
        zip_code: '10115',
        notes: 'Likes tea',
        custom_field_1: 'Ammonia',
      },
      ...{ timezone: 'Europe/Berlin', language: 'german' },
    },
  ],
  [
    'eve',
    'customers',
    {
      first_name: 'Eve',
      last_name: `"Quote" D'Arc \\ Line\nTwo`,
      email: 'eve@example.org',
      phone_number: '+49 30 9999',
    },
  ],
  [
    'first',
    'appointments',
    appointment(['2031-03-03 09:00:00', '2031-03-03 09:45:00'], ['@anna', '@ada', '@cut'], {
      notes: "First; 'quoted'",
    }),
  ],
  [
    'double',
    'appointments',
    appointment(['2031-03-03 09:30:00', '2031-03-03 10:15:00'], ['@anna', '@eve', '@cut']),
  ],
  [
    'spring',
    'appointments',
    appointment(['2031-03-30 01:30:00', '2031-03-30 02:15:00'], ['@anna', '@ada', '@cut']),
  ],
  [
    'summer',
    'appointments',
    appointment(['2031-03-31 09:00:00', '2031-03-31 09:45:00'], ['@anna', '@ada', '@cut']),
  ],
  [
    'autumn',
    'appointments',
    appointment(['2031-10-26 02:30:00', '2031-10-26 03:15:00'], ['@anna', '@ada', '@cut']),
  ],
  [
    'classOne',
    'appointments',
    appointment(['2031-03-10 09:00:00', '2031-03-10 10:00:00'], ['@ben', '@ada', '@yoga']),
  ],
  [
    'classTwo',
    'appointments',
    appointment(['2031-03-10 09:00:00', '2031-03-10 10:00:00'], ['@ben', '@eve', '@yoga']),
  ],
  [
    'past',
    'appointments',
    appointment(['2024-06-03 10:00:00', '2024-06-03 10:45:00'], ['@anna', '@ada', '@cut']),
  ],
  [
    'pastToo',
    'appointments',
    appointment(['2024-06-03 10:00:00', '2024-06-03 10:45:00'], ['@anna', '@eve', '@cut']),
  ],
  [
    'gone',
    'appointments',
    appointment(['2031-03-03 11:00:00', '2031-03-03 11:45:00'], ['@anna', '@eve', '@cut'], {
      status: 'Cancelled',
    }),
  ],
  [
    'dentist',
    'unavailabilities',
    {
      start_datetime: '2031-03-04 12:00:00',
      end_datetime: '2031-03-04 14:00:00',
      notes: 'Dentist',
      id_users_provider: '@anna',
    },
  ],
  [
    'inventory',
    'blocked_periods',
    { name: 'Inventory', start_datetime: '2031-01-06 00:00:00', end_datetime: '2031-01-07 23:59:00' },
  ],
]
