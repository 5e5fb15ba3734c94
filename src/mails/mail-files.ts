import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MailsTable } from '../database/tables.ts'
import type { Context } from './context.ts'
import { mailDirectory, mailFileName } from './send.ts'

/** The mail that a file holds. */
export type MailFile = Pick<MailsTable, 'id' | 'kind'>

/** Deletes the files of mails, also where mails went into files before there was a mail server. */
export async function deleteMailFiles(
  { config }: Pick<Context, 'config'>,
  mails: readonly MailFile[],
): Promise<void> {
  const directory = mailDirectory(config)
  await Promise.all(mails.map((mail) => rm(join(directory, mailFileName(mail)), { force: true })))
}
