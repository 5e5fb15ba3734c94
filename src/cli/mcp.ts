import { createInterface } from 'node:readline'
import { runBridge } from '../../tools/mcp-bridge.ts'
import { tokenType } from '../access/token.ts'
import { UsageError } from '../base/errors.ts'
import { type CliCommand, commandIO } from './command-line.ts'
import { readUrl } from './input.ts'

interface Options {
  url: string
  key?: string
}

export function registerMcp(program: CliCommand): void {
  program
    .command('mcp')
    .description('connect a desktop agent to a running server, with MCP on standard input and output')
    .requiredOption('--url <url>', "the server's URL")
    .option('--key <key>', 'a key of the business, or a session token (default: HOLDFAST_KEY)')
    .examples('mcp --url https://booking.example.com --key cal_pub_…')
    .addHelpText(
      'after',
      '\nA publishable key is exchanged for a session that can only book. Other users see the arguments of a process:' +
        '\npass a business or hub key in HOLDFAST_KEY.',
    )
    .action(async ({ url, key }: Options) => {
      const { stdin, stdout, stderr, variables } = commandIO()
      const given = key ?? variables()['HOLDFAST_KEY'] ?? ''
      const type = tokenType(given)
      if (type === undefined || type === 'manage') {
        throw new UsageError(
          given === ''
            ? 'Give --key or set HOLDFAST_KEY.'
            : 'This is not a Holdfast key, or it contains a typo.',
        )
      }
      if (!stdin) throw new Error('there is no standard input')
      await runBridge({
        url: readUrl(url),
        key: given,
        isPublishable: type === 'publishable',
        lines: createInterface({ input: stdin(), crlfDelay: Infinity }),
        write: (line) => stdout.write(line),
        complain: (text) => stderr.write(`holdfast: ${text}\n`),
      })
    })
}
