import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const whole = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Chromium without anything that only windows need: a visitor takes a quarter of the processor time in it. */
const small = 'chromium-headless-shell'

/** A Chromium that is installed on this machine, the small one before others; undefined when there is none. */
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

/** One as people have it, for measurements. */
export function findWholeChromium(): string | undefined {
  return findChromium(whole)
}
