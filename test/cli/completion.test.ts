import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../support/command-line.ts'
import { emptyDirectory } from '../support/holdfast-process.ts'

/*
 * Each shell loads its script and completes a command line, as if Tab were pressed at its end. zsh completes only in a
 * terminal. Here its functions for that print their input.
 */

const shells = {
  bash: {
    start: ['bash', '--noprofile', '--norc'],
    ask: (line: string[]) => `
      COMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${line.length - 1}
      _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`,
    before: '',
  },
  zsh: {
    start: ['zsh', '-f'],
    ask: (line: string[]) => `
      words=(${line.map((word) => `'${word}'`).join(' ')}); CURRENT=${line.length}; _holdfast`,
    before: `
      compdef() { : }
      _describe() { print -rl -- "\${(@)\${(@P)@[-1]}%%:*}" }
      compadd() { shift; print -rl -- "$@" }
      _files() { print FILES }`,
  },
  fish: {
    start: ['fish', '--no-config'],
    ask: (line: string[]) => `complete -C '${line.join(' ')}' | string split -f 1 \\t`,
    before: '',
  },
}

const installed = (shell: string) => spawnSync(shell, ['--version']).status === 0

describe.each(Object.entries(shells))('completion in %s', (shell, { start, before, ask }) => {
  let script: string
  beforeAll(async () => {
    const ran = await runCommand(['completion', shell])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    script = join(emptyDirectory(), 'script')
    writeFileSync(script, ran.stdout)
  })

  const candidates = (...line: string[]) => {
    const [program = '', ...args] = start
    const commands = `${before}\nsource '${script}'\n${ask(['holdfast', ...line])}`
    const { stdout, stderr } = spawnSync(program, [...args, '-c', commands], { encoding: 'utf8' })
    expect(stderr).toBe('')
    const last = line.at(-1) ?? ''
    return stdout.split('\n').filter((word) => word.startsWith(last))
  }

  test.skipIf(!installed(shell))('offers commands, then their options, then the choices of an option', () => {
    expect(candidates('')).toEqual(expect.arrayContaining(['serve', 'hub', 'completion']))
    expect(candidates('hub', '')).toEqual(expect.arrayContaining(['create', 'list', 'update']))
    expect(candidates('business', 'up')).toEqual(['update'])
    const options = candidates('key', 'create', '--business', 'business', '--')
    expect(options).toEqual(expect.arrayContaining(['--type', '--label', '--json', '--help']))
    expect(options).not.toContain('--plan')
    expect(candidates('hub', 'create', 'X', '--plan', '').toSorted()).toEqual(
      expect.arrayContaining(['enterprise', 'growth', 'pro']),
    )
    expect(candidates('completion', '')).toEqual(expect.arrayContaining(['bash', 'fish', 'zsh']))
  })

  test.skipIf(!installed(shell))('offers no commands in place of a name', () => {
    const names = candidates('key', 'create', '--business', '')
    expect(names).not.toContain('create')
    expect(names).not.toContain('--label')
  })
})

test('completion of an unknown shell is refused with those that there are', async () => {
  const ran = await runCommand(['completion', 'csh'])
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toContain('Allowed choices are bash, zsh, fish')
})
