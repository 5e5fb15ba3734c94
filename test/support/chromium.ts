import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/**
 * The Chromium on this machine; null when there is none. TEST_CHROMIUM names one and is then the only one tried.
 */
export function findChromium(env: NodeJS.ProcessEnv): string | null {
  const given = env['TEST_CHROMIUM']
  if (given) {
    if (!existsSync(given)) throw new Error(`TEST_CHROMIUM: there is no ${given}`)
    return given
  }
  const directories = (env['PATH'] ?? '').split(delimiter)
  const candidates = directories.flatMap((directory) => names.map((name) => join(directory, name)))
  return candidates.find((candidate) => existsSync(candidate)) ?? null
}
