import { encode } from 'uqr'

const border = 4

/**
 * Returns the modules of the first QR code in a page or a file, dark ones as `#`. Returns an empty list without one.
 */
export function qrModules(body: unknown): string[] {
  const [, size = '0', path = ''] =
    /viewBox="0 0 (\d+) \1">.*?<path fill="black" d="([^"]+)"/s.exec(String(body)) ?? []
  const rows = Array.from({ length: Number(size) }, () => Array.from({ length: Number(size) }, () => '.'))
  for (const [, x = 0, y = 0] of path.matchAll(/M(\d+),(\d+)h1v1h-1z/g)) {
    const row = rows[Number(y)]
    if (row) row[Number(x)] = '#'
  }
  return rows.map((row) => row.join(''))
}

/** Returns the modules of a text's code. */
export function modulesOf(text: string): string[] {
  const { data } = encode(text, { ecc: 'M', border })
  return data.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''))
}
