import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/* `npm run walk` lets Bombadil click through the service at random. See walks.ts. */

export const kinds = ['widget', 'page', 'console'] as const
export type Kind = (typeof kinds)[number]

const usage = `npm run walk [-- OPTIONS]
  --minutes N  for all kinds together, 60
  --kind NAME  only on the ${kinds.join(', ')}
  --again PATH repeats the steps of a walk in its folder, with --kind
  --help       prints this`

/** The parsed arguments, as walks.ts reads them from HOLDFAST_WALK. */
export interface Walks {
  minutes: number
  kinds: readonly Kind[]
  /** The folder of a walk to repeat. Empty for new walks. */
  again: string
}

function walksOf(args: string[]): Walks | undefined {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '60' },
      kind: { type: 'string', default: '' },
      again: { type: 'string', default: '' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return undefined
  const minutes = Number(values.minutes)
  if (!(minutes > 0)) throw new Error('--minutes takes a number above 0')
  const chosen = kinds.filter((kind) => values.kind === '' || kind === values.kind)
  if (chosen.length === 0) throw new Error(`--kind takes one of ${kinds.join(', ')}`)
  if (values.again !== '' && chosen.length > 1) throw new Error('--again needs --kind')
  return { minutes, kinds: chosen, again: values.again === '' ? '' : resolve(values.again) }
}

if (process.argv[1] === import.meta.filename) {
  try {
    const walks = walksOf(process.argv.slice(2))
    if (!walks) console.log(usage)
    else {
      const vitest = resolve(import.meta.dirname, '../../node_modules/vitest/vitest.mjs')
      const env = { ...process.env, HOLDFAST_WALK: JSON.stringify(walks) }
      const { status } = spawnSync(process.execPath, [vitest, 'run'], { stdio: 'inherit', env })
      process.exitCode = status ?? 1
    }
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    process.exitCode = 2
  }
}
