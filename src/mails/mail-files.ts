import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from './context.ts'
import { mailDirectory, mailFileName } from './send.ts'

/** The email in a file. */
export type MailFile = { id: string; kind: string }

/** Deletes the files of emails, including those written before a mail server was configured. */
export async function deleteMailFiles(
  { config }: Pick<Context, 'config'>,
  mails: readonly MailFile[],
): Promise<void> {
  const directory = mailDirectory(config)
  await Promise.all(mails.map((mail) => rm(join(directory, mailFileName(mail)), { force: true })))
}
