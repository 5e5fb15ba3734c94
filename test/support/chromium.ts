import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A Chromium that is installed on this machine; undefined when there is none. */
export function findChromium(): string | undefined {
  const directories = (process.env.PATH ?? '').split(delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const candidates = directories.flatMap((directory) => names.map((name) => join(directory, name)))
  const found = [process.env.CHROMIUM_PATH ?? '', ...candidates].find(
    (path) => path !== '' && existsSync(path),
  )
  if (found === undefined) {
    const lost = 'no Chromium was found: the tests in a browser'
    if (process.env.CI) throw new Error(`${lost} cannot run`)
    console.warn(`\n*** ${lost} are left out. Install chromium, or set CHROMIUM_PATH. ***\n`)
  }
  return found
}
