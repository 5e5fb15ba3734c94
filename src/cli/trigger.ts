import { tokenType } from '../access/token.ts'
import { UsageError } from '../base/errors.ts'
import { type CliCommand, commandIO, writeLines } from './command-line.ts'
import { readUrl } from './input.ts'
import { triggers, TriggerRun } from './trigger-events.ts'

interface Options {
  url?: string
  key?: string
  publishableKey?: string
  list?: boolean
}

export function registerTrigger(program: CliCommand): void {
  program
    .command('trigger [event]')
    .description('make an event really happen in a test business, over the API of a running server')
    .option('--url <url>', 'the server')
    .option('--key <key>', 'a key of the test business (default: HOLDFAST_KEY)')
    .option('--publishable-key <key>', 'its publishable key, for events that only clients cause')
    .option('--list', 'list the events')
    .examples(
      'trigger booking.created --url http://127.0.0.1:3000',
      'trigger hold.expired --url http://127.0.0.1:3000',
      'trigger --list',
    )
    .addHelpText('after', '\nPass the key in HOLDFAST_KEY. Some events move the clock of the test business.')
    .action(async (event: string | undefined, { url, key, publishableKey, list }: Options) => {
      if (list) return writeLines(listOfEvents())
      if (event === undefined) throw new UsageError('Name an event. "holdfast trigger --list" shows them.')
      const [, trigger] = Object.entries(triggers).find(([name]) => name === event) ?? []
      if (!trigger)
        throw new UsageError(`No event "${event}" can be triggered. "holdfast trigger --list" shows them.`)
      if (url === undefined) throw new UsageError('Give the --url of the server.')
      const given = key ?? commandIO().variables()['HOLDFAST_KEY'] ?? ''
      if (tokenType(given) !== 'business')
        throw new UsageError('Give a business key of the test business with --key or HOLDFAST_KEY.')
      if (trigger.byClient && tokenType(publishableKey ?? '') !== 'publishable')
        throw new UsageError(`Only clients cause ${event}. Give the --publishable-key of the test business.`)
      const run = new TriggerRun(readUrl(url), {
        ...{ key: given, publishableKey },
        write: (line) => writeLines([line]),
      })
      await run.begin()
      await trigger.cause(run)
      writeLines([`Done: ${event}`])
    })
}

function listOfEvents(): string[] {
  const width = Math.max(...Object.keys(triggers).map(({ length }) => length))
  return Object.entries(triggers).map(
    ([name, { about, byClient }]) =>
      `${name.padEnd(width)}  ${about}${byClient ? ' (needs --publishable-key)' : ''}`,
  )
}
