import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MailsTable } from '../database/tables.ts'
import type { Context } from './context.ts'
import { mailRoute } from './outbox.ts'
import { mailDirectory, mailFileName } from './send.ts'

/** The mail that a file holds. */
export type MailFile = Pick<MailsTable, 'id' | 'kind'>

/** Deletes the files of mails, where mails go into files. */
export async function deleteMailFiles(
  { config }: Pick<Context, 'config'>,
  mails: readonly MailFile[],
): Promise<void> {
  if (mailRoute(config) !== 'files') return
  const directory = mailDirectory(config)
  await Promise.all(mails.map((mail) => rm(join(directory, mailFileName(mail)), { force: true })))
}
