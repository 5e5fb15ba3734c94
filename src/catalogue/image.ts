import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import type { Context } from '../access/context.ts'
import { type FieldError, Problem, validationProblem } from '../base/errors.ts'
import { daySeconds, plusSeconds } from '../base/instants.ts'
import type { CleanupJob } from '../database/context.ts'
import type { ImageType } from '../database/tables.ts'
import { lockBusiness } from '../database/tenant-scope.ts'
import { businessForCreation } from './catalogue.ts'
import { checkImages, findImage, findImageId, insertImage, touchImages } from './image-queries.ts'
import { checkSeconds, imagePath, maxImages, maxImageSide } from './image-rules.ts'
import { measureImage } from './image-size-rules.ts'

/*
 * Pictures of a business. Its digest is the address of a picture, so the same picture has one row in each
 * business. A change that names a picture touches its row in the same transaction, so housekeeping cannot remove it.
 */

/** Stores a picture. Throws validation_failed, not_found and catalogue_limit_reached. */
export async function storeImage(
  context: Context,
  actor: Actor,
  { businessId: given, bytes }: { businessId: string | undefined; bytes: Buffer },
): Promise<{ id: string; url: string }> {
  const read = readImage(bytes)
  if ('error' in read) throw validationProblem([read.error])
  const digest = createHash('sha256').update(bytes).digest('hex')
  const id = await context.db.transaction(async (tx) => {
    const { id: businessId } = await businessForCreation(tx.db, actor.scope, given)
    await lockBusiness(tx.db, actor.scope, businessId)
    const check_at = plusSeconds(tx.now, checkSeconds)
    const [known] = await touchImages(tx.db, { businessId, digests: [digest], checkAt: check_at })
    if (known !== undefined) return findImageId(tx.db, { businessId, digest })
    const image = {
      ...{ id: context.ids.next(), business_id: businessId, digest, media_type: read.type },
      ...{ content: bytes.toString('base64'), unnamed_since: null, check_at, created_at: tx.now },
    }
    if (!(await insertImage(tx.db, image))) {
      const detail = `The business may have ${maxImages} pictures: take some from services, people or the page. A day later there is room.`
      throw new Problem('catalogue_limit_reached', detail)
    }
    await recordAudit(context, tx, { by: actor, action: 'image.created', subjectId: image.id, businessId })
    return image.id
  })
  if (id === undefined) throw new Error('a picture is gone under its lock')
  return { id, url: imagePath(digest) }
}

interface ServedImage {
  type: ImageType
  bytes: Buffer
}

/** Memory for pictures that visitors see again and again. */
const cachedBytes = 16 * 1024 * 1024

/** Returns a function that finds a picture, and calls `count` before it reads the database. */
export function imageReader({ db }: Context) {
  const cache = new LRUCache<string, ServedImage>({
    maxSize: cachedBytes,
    sizeCalculation: ({ bytes }) => bytes.length,
  })
  return async (digest: string, count: () => Promise<void>): Promise<ServedImage | undefined> => {
    const cached = cache.get(digest)
    if (cached) return cached
    await count()
    const found = await findImage(db.reads, digest)
    if (!found) return undefined
    const image = { type: found.media_type, bytes: Buffer.from(found.content, 'base64') }
    cache.set(digest, image)
    return image
  }
}

/** Each reads a few indexes. */
const checkedAtOnce = 50

/** Removes a picture a day after housekeeping found that nothing names it. */
export const unnamedImages: CleanupJob = {
  name: 'unnamed images',
  deleteBatch: ({ db }, max) =>
    db.transaction(async (tx) => {
      const checked = await checkImages(tx.db, {
        now: tx.now,
        dayAgo: plusSeconds(tx.now, -daySeconds),
        tomorrow: plusSeconds(tx.now, daySeconds),
        soon: plusSeconds(tx.now, checkSeconds),
        max: checkedAtOnce,
      })
      return checked === checkedAtOnce ? max : checked
    }),
}

type ReadImage = { type: ImageType } | { error: FieldError }

/** Reads the format and the size of a picture from its content. */
function readImage(bytes: Buffer): ReadImage {
  const found = measureImage(bytes)
  if (!found)
    return { error: { pointer: '', code: 'invalid_format', detail: 'must be a JPEG, PNG or WebP picture' } }
  const { width, height, type } = found
  if (width >= 1 && height >= 1 && width <= maxImageSide && height <= maxImageSide) return { type }
  const detail = `may have at most ${maxImageSide} × ${maxImageSide} pixels, and has ${width} × ${height}`
  return { error: { pointer: '', code: 'out_of_range', detail } }
}
