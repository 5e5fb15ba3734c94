import type { FieldError } from '../base/errors.ts'
import type { ImageType } from '../database/tables.ts'
import { logoUrlErrors, onlineUrlErrors } from './business-rules.ts'

export const maxImageBytes = 512 * 1024
/** Pixels of each side. */
export const maxImageSide = 2_000
/** Per business. The table has as many places. */
export const maxImages = 200

/** Housekeeping looks at named pictures this often. */
export const checkSeconds = 3_600

const pathPattern = /^\/images\/([0-9a-f]{64})$/

export function imagePath(digest: string): string {
  return `/images/${digest}`
}

/** Returns the digest of an uploaded picture; undefined for another address. */
function imageDigest(url: string | null | undefined): string | undefined {
  return pathPattern.exec(url ?? '')?.[1]
}

/** Accepts an uploaded picture, or an https address. */
export function imageUrlErrors(text: string): FieldError[] {
  return imageDigest(text) === undefined ? onlineUrlErrors(text) : []
}

/** Accepts an uploaded picture, or an http or https address. */
export function logoErrors(text: string): FieldError[] {
  return imageDigest(text) === undefined ? logoUrlErrors(text) : []
}

export const imageTypes: readonly ImageType[] = ['image/jpeg', 'image/png', 'image/webp']

/** The addresses of pictures in a file, business or item. */
interface Pictured {
  image_url?: string | null
  brand_logo_url?: string | null
  cover_url?: string | null
}

const names = ['image_url', 'brand_logo_url', 'cover_url'] as const

/** Returns a copy with changed addresses of pictures. */
function withAddresses<T extends object>(item: T, change: (url: string) => string): T {
  const pictured: Pictured = item
  const changed = names.flatMap((name) => {
    const url = pictured[name]
    return typeof url === 'string' ? [[name, change(url)] as const] : []
  })
  return changed.length === 0 ? item : { ...item, ...Object.fromEntries(changed) }
}

/** Returns an item with the absolute addresses of its uploaded pictures, for other servers. */
export function withAbsoluteImages<T extends object>(item: T, server: string): T {
  return withAddresses(item, (url) => (imageDigest(url) === undefined ? url : `${server}${url}`))
}

/** Returns an item with the paths of pictures that this server serves. */
export function withOwnImages<T extends object>(item: T, server: string): T {
  return withAddresses(item, (url) => {
    const path = url.startsWith(`${server}/`) ? url.slice(server.length) : url
    return imageDigest(path) === undefined ? url : path
  })
}

/** Returns a file of a business with other addresses of its pictures. */
export function inFile<T extends PicturedFile>(file: T, change: (item: object) => object): T {
  const all = (items: readonly object[] | undefined) => items?.map(change)
  return {
    ...file,
    ...(file.business && { business: change(file.business) }),
    ...(file.staff && { staff: all(file.staff) }),
    ...(file.services && { services: all(file.services) }),
  }
}

interface PicturedFile {
  business?: object
  staff?: readonly object[]
  services?: readonly object[]
}

/** An address of a picture, and its place in the request. */
export interface NamedImage {
  pointer: string
  digest: string
}

/** Returns the uploaded pictures that an item names. */
export function namedImages(item: object, prefix = ''): NamedImage[] {
  const pictured: Pictured = item
  return names.flatMap((name) => {
    const digest = imageDigest(pictured[name])
    return digest === undefined ? [] : [{ pointer: `${prefix}/${name}`, digest }]
  })
}
