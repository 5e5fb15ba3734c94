import { Option, type Command } from 'commander'
import type { KeyRequest } from '../access/issue-key.ts'
import { createKey } from '../catalogue/create-key.ts'
import { UsageError } from '../errors.ts'
import { print, withDatabase } from './run-command.ts'

interface Options {
  type: 'business' | 'publishable'
  hub?: string
  business?: string
  allowedOrigin: string[]
  json?: boolean
}

/** `holdfast key create`: issues a key and shows it for the only time. */
export function addKeyCreate(key: Command): void {
  key
    .command('create')
    .description('issue a key; it is shown once and cannot be read again')
    .option('--hub <id>', 'a hub key for this hub')
    .option('--business <id>', 'a key for this business')
    .addOption(
      new Option('--type <type>', 'of a key for a business')
        .choices(['business', 'publishable'])
        .default('business'),
    )
    .option(
      '--allowed-origin <origin>',
      'publishable keys: a website that may use it; repeat for more; none means any',
      (origin: string, before: string[]) => [...before, origin],
      [],
    )
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExamples:\n  $ holdfast key create --business 0198… --type publishable --allowed-origin https://www.example.com' +
        '\n  $ holdfast key create --hub 0198…',
    )
    .action(async (options: Options) => {
      const { id, key } = await withDatabase((context) => createKey(context, keyRequest(options)))
      print(
        { id, key },
        { json: options.json, lines: () => [`key ${id}`, key, 'Keep it safe: it is shown only now.'] },
      )
    })
}

function keyRequest({ type, hub, business, allowedOrigin }: Options): KeyRequest {
  if ((hub === undefined) === (business === undefined))
    throw new UsageError('Give either --hub or --business.')
  if (allowedOrigin.length > 0 && (hub !== undefined || type !== 'publishable')) {
    throw new UsageError('--allowed-origin is for publishable keys: add --type publishable.')
  }
  if (hub !== undefined) return { type: 'hub', hubId: hub.toLowerCase() }
  const businessId = (business ?? '').toLowerCase()
  if (type === 'business') return { type, businessId }
  return { type, businessId, ...(allowedOrigin.length > 0 && { allowedOrigins: allowedOrigin }) }
}
