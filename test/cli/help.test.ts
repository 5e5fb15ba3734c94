import { expect, test } from 'vitest'
import { runCommand } from '../support/command-line.ts'

/** Returns the names below "Commands:" of a help text, without the help command itself. */
function commandsIn(help: string): string[] {
  const [, list = ''] = /\nCommands:\n((?: {2}.*\n)*)/.exec(help) ?? []
  return [...list.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name ?? '').filter((name) => name !== 'help')
}

async function helpOf(...words: string[]): Promise<string> {
  const ran = await runCommand([...words, '--help'])
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  return ran.stdout
}

test('every command, and every group of them, has a help text with an example of itself and no escape codes', async () => {
  const seen: string[] = []
  const look = async (...words: string[]): Promise<void> => {
    const help = await helpOf(...words)
    const own = ['holdfast', ...words].join(' ')
    expect(help).toMatch(new RegExp(`^  \\$ .*${own}`, 'm'))
    expect(help).toMatch(/^Usage: holdfast/)
    expect(help).not.toContain('\u001b')
    const commands = commandsIn(help)
    if (commands.length === 0) seen.push(words.join(' '))
    for (const command of commands) await look(...words, command)
  }
  await look()
  expect(seen).toEqual([
    ...['serve', 'migrate', 'demo', 'setup', 'doctor', 'backup', 'restore', 'copy', 'tour'],
    ...['trigger', 'race-test'],
    ...['hub create', 'hub list', 'hub update'],
    ...['business create', 'business list', 'business show', 'business update'],
    ...['user first', 'user create', 'user list', 'user disable', 'user enable', 'user link', 'user change'],
    ...['key create', 'key list', 'key revoke', 'logs'],
    ...['service create', 'service list', 'service update'],
    ...['location create', 'location list', 'location update'],
    ...['staff create', 'staff list', 'staff update'],
    ...['resource create', 'resource list', 'resource update'],
    ...['block create', 'block list', 'block delete'],
    ...['coupon list', 'coupon create', 'coupon change', 'coupon delete'],
    ...['import', 'export'],
    ...[
      'booking list',
      'booking show',
      'booking reschedule',
      'booking change',
      'booking cancel',
      'booking refund',
      'booking complete',
      'booking confirm',
      'booking decline',
    ],
    ...['waitlist list', 'waitlist skip', 'waitlist remove'],
    ...[
      'client block',
      'client unblock',
      'client list',
      'client export',
      'client erase',
      'client import',
      'client export-list',
    ],
    ...['mail list', 'mail retry', 'mail preview', 'mail test', 'message test'],
    'payments reconcile',
    ...['busy-calendar add', 'busy-calendar list', 'busy-calendar fetch', 'busy-calendar remove'],
    ...['feed create', 'feed list', 'feed rotate', 'feed delete'],
    'mcp',
    ...[
      'webhook create',
      'webhook list',
      'webhook disable',
      'webhook enable',
      'webhook rotate',
      'webhook delete',
      'webhook deliveries',
      'webhook retry',
      'webhook listen',
    ],
    ...['audit', 'widget snippet', 'session create', 'completion'],
  ])
})

test.each([
  [['docter'], /unknown command 'docter'[^]*Did you mean doctor\?/],
  [['boking', 'list'], /unknown command 'boking'[^]*Did you mean booking\?/],
  [['booking', 'reshedule', 'x'], /unknown command 'reshedule'[^]*Did you mean reschedule\?/],
  [['booking', 'list', '--stauts', 'pending'], /unknown option '--stauts'[^]*Did you mean --status\?/],
  [
    ['booking', 'list', '--status', 'done'],
    /Allowed choices are pending, confirmed, in_progress, completed, canc/,
  ],
  [['booking', 'reschedule', 'x'], /required option '--to <time>' not specified/],
  [['booking', 'cancel'], /missing required argument 'id'/],
  [['business', 'update', 'x', '--limit-per-minut', '5'], /Did you mean --limit-per-minute\?/],
  [['business', 'update', 'x', '--plan', 'gold'], /Allowed choices are growth, pro, enterprise/],
  [['key', 'revok', 'x'], /Did you mean revoke\?/],
  [['session', 'create'], /required option '--business <name or id>' not specified/],
  [['session', 'create', '--business', 'x', '--jsn'], /Did you mean --json\?/],
  [['tour', '--ulr', 'x'], /Did you mean --url\?/],
  [['service', 'craete', 'X'], /Did you mean create\?/],
  [['location', 'list', '--bussiness', 'x'], /Did you mean --business\?/],
  [['imprt', 'x'], /Did you mean import\?/],
  [['copy'], /required option '--to <url>' not specified/],
  [['setup', '--nmae', 'X'], /Did you mean --name\?/],
  [['doctor', '--fix'], /unknown option '--fix'/],
])('%j is told what is wrong with it, and ends with exit code 2', async (args, reason) => {
  const ran = await runCommand(args)
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toMatch(reason)
  expect(ran.stderr).toMatch(/^holdfast: [^\n]+ See --help\.\n$/)
})
