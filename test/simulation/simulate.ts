import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/* `npm run simulate` runs random histories of all kinds, each from as many seeds as time allows. See night.ts. */

const usage = `npm run simulate [-- OPTIONS]
  --seeds N      histories of each kind on each engine, 10000
  --minutes N    ends after so many minutes, 60
  --from N       the first seed; today's date by default
  --kind NAME    only histories whose kind has this in its name, such as business, fees, Google, CalDAV
  --engine NAME  only on sqlite or postgres
  --help         prints this`

/** The parsed arguments, as night.ts reads them from HOLDFAST_SIMULATE. */
export interface Night {
  seeds: number
  minutes: number
  from: number
  kind: string
  engine: string
}

/** Returns the night of the arguments. Throws a sentence about an invalid one. */
function nightOf(args: string[]): Night | undefined {
  const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const text = (value: string) => ({ type: 'string', default: value }) as const
  const { values } = parseArgs({
    args,
    options: {
      ...{ seeds: text('10000'), minutes: text('60'), from: text(today), kind: text(''), engine: text('') },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return undefined
  const whole = (name: 'seeds' | 'minutes' | 'from') => {
    const number = Number(values[name])
    if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} takes a number from 1`)
    return number
  }
  if (!['', 'sqlite', 'postgres'].includes(values.engine))
    throw new Error('--engine takes sqlite or postgres')
  const [seeds, minutes, from] = [whole('seeds'), whole('minutes'), whole('from')]
  return { seeds, minutes, from, kind: values.kind, engine: values.engine }
}

try {
  const night = nightOf(process.argv.slice(2))
  if (!night) console.log(usage)
  else {
    const vitest = resolve(import.meta.dirname, '../../node_modules/vitest/vitest.mjs')
    const env = { ...process.env, HOLDFAST_SIMULATE: JSON.stringify(night) }
    const { status } = spawnSync(process.execPath, [vitest, 'run'], { stdio: 'inherit', env })
    process.exitCode = status ?? 1
  }
} catch (error) {
  console.error(`${(error as Error).message}\n\n${usage}`)
  process.exitCode = 2
}
