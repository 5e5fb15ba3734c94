import type { MailKind } from '../../database/tables.ts'

/** The texts of mails in one language; `{name}` stands for a value. Words of clients and owners, never of the system. */
export interface MailTexts {
  /** What a subject begins with. */
  subject: Record<Exclude<MailKind, 'reminder'>, string>
  /** `{what}` is the beginning, then service, date and time, then the business. */
  subjectLine: string
  /** Of an appointment in a calendar whose readers are told no more. */
  busy: string
  today: string
  tomorrow: string
  /** Of a reminder: `{day}` is one of the two above, or a date. */
  reminderSubject: string
  greeting: string
  /** The first sentence of each mail to a client. */
  intro: Record<Exclude<MailKind, 'booked'>, string>
  timeAt: string
  withPerson: string
  /** The start that was changed. */
  before: string
  place: string
  online: string
  price: string
  depositPaid: string
  depositDue: string
  /** Of a cancelled booking; the bank may take some days. */
  depositRefunded: string
  client: string
  /** In place of a name. */
  erasedClient: string
  phone: string
  email: string
  notes: string
  /** Of the link to the page, and of that to a cancelled one. */
  manage: string
  manageCancelled: string
  pay: string
  /** As the page of the booking says it. */
  untilBoth: string
  untilMove: string
  untilCancel: string
  contact: string
  noReminders: string
  noRemindersDone: string
  noRemindersAsk: string
  /** To those whom a business names. */
  owner: Record<'booked' | 'changed' | 'cancelled', string>
  ownerIntro: Record<'booked' | 'changed' | 'cancelled', string>
  many: string
  manyIntro: string
  more: string
  /** To people who log in, with a link to set a password: they asked for it, or somebody has added them. */
  password: {
    subject: string
    asked: string
    notAsked: string
    invitation: string
    invited: string
    notMeant: string
    choose: string
    once: string
  }
  /** To those whom a business names: a busy calendar cannot be read. */
  calendarFails: {
    subject: string
    /** `{time}`: of the first failure. */
    since: string
    /** What becomes of its times. */
    stays: string
    look: string
    open: string
  }
}
