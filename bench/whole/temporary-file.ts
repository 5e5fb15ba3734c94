import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Writes a file that is gone when this process ends, and tells where it is. */
export function temporaryFile(name: string, text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  process.once('exit', () => {
    rmSync(directory, { recursive: true, force: true })
  })
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}
