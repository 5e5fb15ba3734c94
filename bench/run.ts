import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

/* `npm run bench` measures the whole service; `npm run bench -- NAME` runs bench/NAME.ts. */

const [wanted = ''] = process.argv.slice(2)
const names = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'run')
  .toSorted()

if (wanted === '' || wanted.startsWith('--')) {
  const { measureWhole } = await import('./whole/main.ts')
  await measureWhole(process.argv.slice(2))
  process.exit() // it has cleaned up: whatever still hangs is not waited for
} else if (names.includes(wanted)) {
  await import(join(import.meta.dirname, `${wanted}.ts`))
} else {
  console.error(`Say nothing, or which part: npm run bench -- ${names.join(' | ')}`)
  process.exitCode = 2
}
