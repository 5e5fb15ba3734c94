import type { ImageType } from '../database/tables.ts'

/* The format and size of pictures, from the headers of PNG (RFC 2083), JPEG (ITU-T T.81) and WebP (RFC 9649). */

interface Measured {
  type: ImageType
  width: number
  height: number
}

/** Returns undefined for other formats and for files that end too early. */
export function measureImage(bytes: Buffer): Measured | undefined {
  const text = (from: number, until: number) => bytes.subarray(from, until).toString('latin1')
  if (bytes.length < 32) return undefined
  if (text(0, 8) === '\x89PNG\r\n\x1a\n' && text(12, 16) === 'IHDR')
    return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (text(0, 3) === '\xff\xd8\xff') return jpegOf(bytes)
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return webpOf(bytes, text(12, 16))
  return undefined
}

/** Markers of frames: SOF0 to SOF15 without DHT, JPG and DAC. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

function jpegOf(bytes: Buffer): Measured | undefined {
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    if (isFrame(marker))
      return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    if (marker === 0xff)
      at += 1 // a fill byte
    else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

function webpOf(bytes: Buffer, chunk: string): Measured | undefined {
  const type = 'image/webp'
  if (chunk === 'VP8X')
    return { type, width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) }
  if (chunk === 'VP8L' && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21)
    return { type, width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  if (chunk === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d012a)
    return { type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  return undefined
}
