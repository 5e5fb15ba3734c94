/** The tables of cal.com that an import reads, written from its schema. */
export const calcomTables = [
  `create table users (id integer, name text, username text, email text, "timeZone" text, "defaultScheduleId" integer, locale text, password text)`,
  `create table "EventType" (id integer, title text, description text, length integer, hidden boolean, "userId" integer, "slotInterval" integer,
     "minimumBookingNotice" integer, "beforeEventBuffer" integer, "afterEventBuffer" integer, "seatsPerTimeSlot" integer, price integer, currency text,
     "periodType" text, "periodDays" integer, "scheduleId" integer, "schedulingType" text, "requiresConfirmation" boolean)`,
  `create table "Schedule" (id integer, "userId" integer, name text, "timeZone" text)`,
  `create table "Availability" (id integer, "userId" integer, days integer[], "startTime" time, "endTime" time, date date, "scheduleId" integer)`,
  `create type "BookingStatus" as enum ('accepted', 'cancelled', 'rejected', 'pending')`,
  `create table "Booking" (id integer, uid text, "userId" integer, "eventTypeId" integer, title text, description text, "startTime" timestamp(3),
     "endTime" timestamp(3), status "BookingStatus", "createdAt" timestamp(3), location text, responses jsonb)`,
  `create table "Attendee" (id integer, email text, name text, "timeZone" text, "bookingId" integer, locale text, "noShow" boolean, "phoneNumber" text)`,
  `create table "_user_eventtype" ("A" integer, "B" integer)`,
  `create table "OutOfOfficeEntry" (id integer, uuid text, start timestamp(3), "end" timestamp(3), "userId" integer, notes text)`,
]
