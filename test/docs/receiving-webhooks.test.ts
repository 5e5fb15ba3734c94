import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookSlot } from '../support/client.ts'
import { longTest } from '../support/long.ts'
import { startReceiver } from '../support/receiver.ts'
import { ada, startTestService } from '../support/test-service.ts'
import { makeShop, makeWebhook } from '../support/webhooks.ts'
import { blocksOf, documentAt, project } from './documents.ts'

/*
 * Runs the functions of docs/guides/receiving-webhooks.md unchanged, with deliveries that a service has signed and
 * sent. Each program below reads cases from its input and prints which of them are genuine.
 */

/** A delivery, and the secret of a receiver. */
interface Case {
  name: string
  secret: string
  headers: Record<string, string>
  /** In base64. */
  body: string
  genuine: boolean
}

/** The command that runs the function of a language. */
interface Language {
  command: string
  version: string
  /** Files in addition to `cases.json`. */
  files: (example: string) => Record<string, string>
  arguments: string[]
}

const languages: Record<string, Language> = {
  ts: {
    command: process.execPath,
    version: '--version',
    files: (example) => ({
      'verify.ts': example,
      'main.ts': `
import { readFileSync } from 'node:fs'
import { isGenuine } from './verify.ts'
const cases = JSON.parse(readFileSync('cases.json', 'utf8'))
// node:http gives the names in lower case
const lower = (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
const verify = (one) => isGenuine(one.secret, lower(one.headers), Buffer.from(one.body, 'base64'))
console.log(JSON.stringify(cases.map(verify)))`,
    }),
    arguments: ['main.ts'],
  },
  python: {
    command: 'python3',
    version: '--version',
    files: (example) => ({
      'verify.py': example,
      'main.py': `
import base64, json
from verify import is_genuine
cases = json.load(open("cases.json"))
print(json.dumps([is_genuine(c["secret"], c["headers"], base64.b64decode(c["body"])) for c in cases]))`,
    }),
    arguments: ['main.py'],
  },
  php: {
    command: 'php',
    version: '--version',
    files: (example) => ({
      'verify.php': example,
      'main.php': `<?php
require 'verify.php';
$cases = json_decode(file_get_contents('cases.json'), true);
echo json_encode(array_map(fn ($c) => is_genuine($c['secret'], $c['headers'], base64_decode($c['body'])), $cases));`,
    }),
    arguments: ['-d', 'error_reporting=E_ALL', 'main.php'],
  },
  go: {
    command: 'go',
    version: 'version',
    files: (example) => ({
      'go.mod': 'module example\n',
      'verify.go': example.replace('package webhooks', 'package main'),
      'main.go': `package main

import (
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	var cases []struct {
		Secret  string
		Headers map[string]string
		Body    []byte
	}
	text, _ := os.ReadFile("cases.json")
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	genuine := []bool{}
	for _, one := range cases {
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		genuine = append(genuine, IsGenuine(one.Secret, headers, one.Body))
	}
	json.NewEncoder(os.Stdout).Encode(genuine)
}
`,
    }),
    arguments: ['run', '.'],
  },
  ruby: {
    command: 'ruby',
    version: '--version',
    files: (example) => ({
      'verify.rb': example,
      'main.rb': `
require "json"
require_relative "verify"
cases = JSON.parse(File.read("cases.json"))
puts JSON.generate(cases.map { |one| genuine?(one["secret"], one["headers"], one["body"].unpack1("m")) })`,
    }),
    arguments: ['main.rb'],
  },
}

const examples = blocksOf(documentAt('docs/guides/receiving-webhooks.md'))
const directory = mkdtempSync(join(tmpdir(), 'holdfast-receiving-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const title = (name: string) => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())

let cases: Case[]
beforeAll(async () => {
  const service = await startTestService('sqlite')
  const receiver = await startReceiver()
  try {
    // the examples use the clock of the machine, while the service has a test clock
    service.clock.advance((Date.now() - service.clock.nowMs()) / 1000 - 310)
    const { business, client, offer } = await makeShop(service)
    const { id, secret } = await makeWebhook(service, { token: business.key, to: receiver })
    const nextWeek = Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 7 * 86_400_000
    const zoe = { ...ada, first_name: 'Zoë' }
    const { id: booking } = (await bookSlot(client, offer, new Date(nextWeek).toISOString(), {
      book: { client: zoe },
    })) as { id: string }
    await service.app.deliveries.settled()
    service.clock.advance(310)
    await client.change(booking, { notes: 'x' })
    await service.app.deliveries.settled()
    const rotated = await service.call('POST', `/webhooks/${id}/rotate-secret`, { token: business.key })
    await client.change(booking, { notes: 'y' })
    await service.app.deliveries.settled()
    const [old, fresh, twiceSigned] = receiver.received
    if (!old || !fresh || !twiceSigned) throw new Error('a delivery is missing')
    const delivery = ({ headers, body }: typeof old) => ({ secret, headers, body: body.toString('base64') })
    const good = delivery(fresh)
    const changed = Buffer.from(fresh.body.toString().replace('Zoë', 'Eve')).toString('base64')
    const later = { 'webhook-timestamp': String(Number(old.headers['webhook-timestamp']) + 310) }
    const titled = Object.entries(good.headers).map(([name, value]) => [title(name), value] as const)
    const newSecret = rotated.body.secret as string
    cases = [
      { name: 'a good one', ...good, genuine: true },
      {
        name: 'a good one, its headers in Title-Case',
        ...good,
        headers: Object.fromEntries(titled),
        genuine: true,
      },
      { name: 'after a rotation, with the old secret', ...delivery(twiceSigned), genuine: true },
      {
        name: 'after a rotation, with the new one',
        ...delivery(twiceSigned),
        secret: newSecret,
        genuine: true,
      },
      { name: 'another secret', ...good, secret: newSecret, genuine: false },
      { name: 'a changed body', ...good, body: changed, genuine: false },
      { name: 'one of 310 seconds ago', ...delivery(old), genuine: false },
      {
        name: 'an old one with a new time',
        ...delivery(old),
        headers: { ...old.headers, ...later },
        genuine: false,
      },
      {
        name: 'a time that is not a number',
        ...good,
        headers: { ...good.headers, 'webhook-timestamp': '²' }, // a digit in some languages
        genuine: false,
      },
      { name: 'no headers', ...good, headers: {}, genuine: false },
    ]
    expect(fresh.body.toString()).toContain('Zoë')
  } finally {
    await service.stop()
    await receiver.stop()
  }
})

test('the guide has a function for each language, and no other', () => {
  expect(examples.map(({ language }) => language)).toEqual(Object.keys(languages))
})

longTest('the function for Node takes the headers of node:http in strict TypeScript', () => {
  const place = mkdtempSync(join(directory, 'strict-'))
  const main = `
import { createServer } from 'node:http'
import { isGenuine } from './verify.ts'
createServer((request, response) => {
  response.end(String(isGenuine('whsec_', request.headers, Buffer.from(''))))
})`
  const verify = examples.find(({ language }) => language === 'ts')?.text ?? ''
  for (const [name, text] of Object.entries({ 'main.ts': main, 'verify.ts': verify }))
    writeFileSync(join(place, name), text)
  const modules = join(project, 'node_modules')
  const options = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'nodenext']
  const types = ['--allowImportingTsExtensions', '--types', 'node', '--typeRoots', join(modules, '@types')]
  const tsc = join(modules, 'typescript/bin/tsc')
  const ran = spawnSync(process.execPath, [tsc, ...options, ...types, 'main.ts'], {
    cwd: place,
    encoding: 'utf8',
  })
  expect(ran).toMatchObject({ status: 0, stdout: '' })
})

for (const [language, { command, version, files, arguments: given }] of Object.entries(languages)) {
  const isHere = spawnSync(command, [version]).status === 0
  if (!isHere)
    console.warn(
      `\n*** SKIPPED: there is no ${command} here, so the guide's function in ${language} is not run.\n`,
    )

  test.runIf(isHere)(`the function in ${language} accepts what is genuine and nothing else`, () => {
    const example = examples.find((one) => one.language === language)?.text ?? ''
    const place = mkdtempSync(join(directory, `${language}-`))
    const beside = { ...files(example), 'cases.json': JSON.stringify(cases) }
    for (const [name, text] of Object.entries(beside)) writeFileSync(join(place, name), text)
    const { stdout, stderr, status } = spawnSync(command, given, { cwd: place, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const answers = JSON.parse(stdout) as boolean[]
    expect(cases.map(({ name }, index) => [name, answers[index]])).toEqual(
      cases.map(({ name, genuine }) => [name, genuine]),
    )
  })
}
