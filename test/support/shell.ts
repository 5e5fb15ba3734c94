import { execFile } from 'node:child_process'

/** Runs lines in bash as a person would paste them, and gives what they print. Fails when bash does. */
export function inBash(
  lines: string,
  { variables = {}, directory }: { variables?: Record<string, string>; directory?: string } = {},
): Promise<string> {
  const options = { timeout: 30_000, env: { ...process.env, ...variables }, cwd: directory }
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', lines], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`))
      else resolve(stdout)
    })
  })
}
