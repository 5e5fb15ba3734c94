import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Returns the path of HAProxy, or null if it is not installed. */
export function haproxyProgram(): string | null {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return directories.map((directory) => join(directory, 'haproxy')).find(existsSync) ?? null
}
