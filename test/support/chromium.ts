import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const whole = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Chromium without anything that only windows need. A visitor takes a quarter of the CPU time in it. */
const small = 'chromium-headless-shell'

/** Finds a Chromium on this machine, preferably the small one. Returns undefined if there is none. */
export function findChromium(names = [small, ...whole]): string | undefined {
  const directories = (process.env.PATH ?? '').split(delimiter)
  const candidates = names.flatMap((name) => directories.map((directory) => join(directory, name)))
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

/** Finds one as people have it, for measurements. */
export function findWholeChromium(): string | undefined {
  return findChromium(whole)
}
