import { execFile } from 'node:child_process'
import { resolve } from 'node:path'

/** A PATH in whose `npx holdfast` npx takes no part: for tests in which it is not the subject. */
export const quickNpx = { PATH: `${resolve(import.meta.dirname, 'quick')}:${process.env['PATH'] ?? ''}` }

/** Runs lines in bash as a person would paste them, and gives what they print. Fails when bash does. */
export function inBash(
  lines: string,
  { variables = {}, directory }: { variables?: Record<string, string>; directory?: string } = {},
): Promise<string> {
  const options = { timeout: 120_000, env: { ...process.env, ...variables }, cwd: directory }
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', lines], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`))
      else resolve(stdout)
    })
  })
}
