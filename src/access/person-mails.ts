import type { Transaction } from '../database/database.ts'

/** Writes mails to people who log in, each in the transaction of the change that it reports. */
export interface PersonMails {
  /** With a link to choose a password. */
  link: (tx: Transaction, link: { id: string }) => Promise<void>
  invitation: (tx: Transaction, invitation: { id: string }) => Promise<void>
  /** With a link that proves a new address, to that address. */
  address: (tx: Transaction, change: { id: string }) => Promise<void>
}

/** Mails in a language; undefined on a server that sends none. */
export type MailsInLanguage = (locale: string) => PersonMails | undefined
