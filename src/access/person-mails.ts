import type { Transaction } from '../database/database.ts'

/** Writes emails to people who log in, each in the transaction of the change that it reports. */
export interface PersonMails {
  /** Contains a link to choose a password. */
  link: (tx: Transaction, link: { id: string }) => Promise<void>
  invitation: (tx: Transaction, invitation: { id: string }) => Promise<void>
  /** Contains a link that proves a new address, and goes to that address. */
  address: (tx: Transaction, change: { id: string }) => Promise<void>
}

/** Returns emails in a language, or undefined on a server that sends none. */
export type MailsInLanguage = (locale: string) => PersonMails | undefined
