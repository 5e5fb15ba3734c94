import { expect, test } from 'vitest'
import { measureImage } from '../../src/catalogue/image-size-rules.ts'
import { pngOf } from '../support/pictures.ts'

const file = (hex: string) => Buffer.concat([Buffer.from(hex.replaceAll(' ', ''), 'hex'), Buffer.alloc(32)])
const riff = '52494646 24000000 57454250'

test('the size of each format is read from its header', () => {
  expect(measureImage(pngOf(70, 9))).toEqual({ type: 'image/png', width: 70, height: 9 })
  // with a fill byte before the frame, which comes after other segments
  const progressive = 'ffd8 ffe0 0004 0000 ffdb 0003 00 ffff c2 0011 08 0258 0320 03'
  expect(measureImage(file(progressive))).toEqual({ type: 'image/jpeg', width: 800, height: 600 })
  const lossy = `${riff} 56503820 18000000 300100 9d012a 2003 5802`
  expect(measureImage(file(lossy))).toEqual({ type: 'image/webp', width: 800, height: 600 })
  const lossless = `${riff} 5650384c 18000000 2f 1fc39500`
  expect(measureImage(file(lossless))).toEqual({ type: 'image/webp', width: 800, height: 600 })
  const extended = `${riff} 56503858 0a000000 10000000 1f0300 570200`
  expect(measureImage(file(extended))).toEqual({ type: 'image/webp', width: 800, height: 600 })
})

test('other and cut files have none', () => {
  const frames = [
    'ffd8 ffe0',
    'ffd8 ffe0 ffff',
    'ffd8 ffc4 0002 ffd9',
    `${riff} 56503820`,
    `${riff} 41424344`,
  ]
  for (const hex of frames) expect(measureImage(file(hex))).toBeUndefined()
  expect(
    measureImage(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')),
  ).toBeUndefined()
  for (let length = 0; length < 40; length += 1)
    expect(() => measureImage(pngOf(5, 5).subarray(0, length))).not.toThrow()
  const jpeg = file('ffd8 ffe0 0004 0000 ffc0 0011 08 0258 0320 03').subarray(0, 16)
  for (let length = 0; length <= 16; length += 1)
    expect(
      measureImage(Buffer.concat([jpeg.subarray(0, length), Buffer.alloc(24, 0xff)]))?.width ?? 0,
    ).toBeGreaterThanOrEqual(0)
})
