import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

/* `npm run bench -- NAME` runs bench/NAME.ts. */

const [wanted = ''] = process.argv.slice(2)
const names = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'run')
  .toSorted()

if (names.includes(wanted)) {
  await import(join(import.meta.dirname, `${wanted}.ts`))
} else {
  console.error(`Say which: npm run bench -- ${names.join(' | ')}`)
  process.exitCode = 2
}
