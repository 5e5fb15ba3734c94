import { execFile } from 'node:child_process'
import { resolve } from 'node:path'

/** A PATH with a `npx holdfast` that bypasses npx, for tests about other subjects. */
export const quickNpx = { PATH: `${resolve(import.meta.dirname, 'quick')}:${process.env['PATH'] ?? ''}` }

/** Runs lines in bash as if a person had pasted them. Returns their output and fails if bash does. */
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
