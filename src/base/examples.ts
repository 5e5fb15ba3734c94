/** Example IDs of the API reference. They belong to the demo data, so the examples work as they are. */
export const exampleIds = {
  business: '27b9f42d-b714-8810-8587-3a3a57b20f37',
  service: '8722dbeb-7f09-8993-9751-bd3a10e37d26',
  location: 'fc3de050-a368-8344-b985-f90b13bae9e6',
  staff: '93fa21da-6815-8fc2-b29b-fd569494e82d',
  resource: 'ee2f8e05-07e0-8899-89d8-3368c0a06743',
  /** A hold and the booking that it becomes share one ID. */
  booking: '01a1fa68-2f8d-7aba-8613-821934a98a29',
  client: '01a1fa68-2f8d-7c51-9b07-3c1d5a8e6f40',
  webhook: '01a1fa68-2f90-7c3e-9a41-6f1d3b8e5c02',
  event: '01a1fa68-2f8d-7d14-b6a0-94c2f7e13d58',
  mail: '01a1fa68-2f8e-7b52-a3c1-0d5e8f7a6b49',
  busyCalendar: '01a1fa68-2f92-7c47-9d10-5e8a6b3c4f20',
  calendarAccount: '01a1fa68-2f93-7d12-8e01-6f9b7c4d5a31',
  feed: '01a1fa68-2f92-7e1a-8c55-3b7d9f02e6a1',
  delivery: '01a1fa68-2f8d-8d14-b6a0-94c2f7e13d00',
  customField: '5d0a41f6-6a0a-8b52-9f7e-6f1f6e0c7b11',
  request: '694fac97-862f-4166-824d-d4d040fda305',
}

/** Instants in responses, in Berlin in winter. */
export const exampleTimes = {
  startsAt: '2026-12-01T10:00:00+01:00',
  endsAt: '2026-12-01T10:30:00+01:00',
  expiresAt: '2026-11-20T10:10:00+01:00',
  createdAt: '2026-11-20T10:00:00+01:00',
  sessionEndsAt: '2026-11-20T11:00:00+01:00',
}

export const exampleClient = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@example.com',
  phone: '+49 30 1234567',
}
