import { Problem } from '../../base/errors.ts'

/** A page of a list, or the first one where the cursor is of another list: an address may be kept for long. */
export async function pageOrFirst<Page>(
  cursor: string | undefined,
  list: (cursor: string | undefined) => Promise<Page>,
): Promise<Page> {
  try {
    return await list(cursor)
  } catch (error) {
    if (cursor === undefined || !(error instanceof Problem)) throw error
    return list(undefined)
  }
}
