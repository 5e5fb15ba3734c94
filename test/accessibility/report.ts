import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/* `npm run accessibility` checks every page in a browser and writes docs/accessibility.md. See all-states.ts. */

const usage = `npm run accessibility [-- OPTIONS]
  --state TEXT   only states with this in their area, name or route; prints findings and writes no report
  --help         prints this`

/** The parsed arguments, as all-states.ts reads them from HOLDFAST_ACCESSIBILITY. */
export interface Choice {
  state: string
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: { state: { type: 'string', default: '' }, help: { type: 'boolean' } },
  })
  if (values.help) console.log(usage)
  else {
    const choice: Choice = { state: values.state }
    const vitest = resolve(import.meta.dirname, '../../node_modules/vitest/vitest.mjs')
    const env = { ...process.env, HOLDFAST_ACCESSIBILITY: JSON.stringify(choice) }
    const { status } = spawnSync(process.execPath, [vitest, 'run'], { stdio: 'inherit', env })
    process.exitCode = status ?? 1
  }
}
