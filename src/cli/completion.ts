import { Argument, type Command, type Option } from 'commander'
import { type CliCommand, writeLines } from './command-line.ts'

/** A position on the command line: the words already typed and everything that can follow. */
interface Place {
  /** The words after `holdfast`, each with a leading space: " hub create". */
  words: string
  /** Commands, or the choices of an argument. */
  commands: { name: string; description: string }[]
  flags: Flag[]
  /** True if an argument is a file. */
  takesFile: boolean
}

interface Flag {
  /** "--json", and "-h" if there is a short form. */
  names: string[]
  description: string
  /** The kind of value: none, a file, one of a list, or one that no script can complete. */
  value: 'none' | 'file' | 'unknown' | string[]
}

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript }

const isFile = /<(?:file|path|directory)>/

/** Registers `holdfast completion`. `load` returns the program with all its commands. */
export function registerCompletion(program: CliCommand, load: () => Promise<Command>): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(shells)))
    .examples('completion bash > /etc/bash_completion.d/holdfast')
    .action(async (shell: keyof typeof shells) => {
      writeLines(shells[shell](placesOf(await load())))
    })
}

/** Returns the positions of a command and all its subcommands. */
function placesOf(command: Command, words = ''): Place[] {
  const own = {
    words,
    commands: [
      ...command.commands.map((one) => ({ name: one.name(), description: one.description() })),
      ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
        argChoices.map((name) => ({ name, description })),
      ),
    ],
    flags: command.createHelp().visibleOptions(command).map(flagOf),
    takesFile: command.registeredArguments.some((argument) => isFile.test(`<${argument.name()}>`)),
  }
  return [own, ...command.commands.flatMap((one) => placesOf(one, `${words} ${one.name()}`))]
}

function flagOf({ long, short, description, required, optional, argChoices, flags }: Option): Flag {
  const names = [long, short].filter((name) => name !== undefined)
  const value = argChoices ?? (isFile.test(flags) ? 'file' : 'unknown')
  return { names, description, value: required || optional ? value : 'none' }
}

/** Quotes a text as one word in any of the shells. */
function quoted(text: string, escape = `'\\''`): string {
  return `'${text.replaceAll("'", escape)}'`
}

/** Returns the flags with a value, each with its position: " hub create --plan". */
function flagsWithValue(places: Place[]): { at: string[]; value: Flag['value'] }[] {
  return places.flatMap(({ words, flags }) =>
    flags
      .filter(({ value }) => value !== 'none')
      .map(({ names, value }) => ({ at: names.map((name) => `${words} ${name}`), value })),
  )
}

/**
 * Returns the `case` branches for flags with a value, in bash and zsh. Flags with the same action share a
 * branch.
 */
function valueBranches(places: Place[], actions: (value: Flag['value']) => string): string[] {
  const byAction = Map.groupBy(flagsWithValue(places), ({ value }) => actions(value))
  return [...byAction].map(
    ([action, flags]) =>
      `    ${flags.flatMap(({ at }) => at.map((words) => quoted(words))).join(' | ')}) ${action} ;;`,
  )
}

function knownPlaces(places: Place[]): string {
  return places
    .slice(1)
    .map(({ words }) => quoted(words))
    .join(' | ')
}

function bashScript(places: Place[]): string[] {
  return [
    '# Completes the commands and options of holdfast in bash.',
    '_holdfast() {',
    '  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} place= words= word',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$place $word" in',
    `      ${knownPlaces(places)}) place="$place $word" ;;`,
    '    esac',
    '  done',
    '  COMPREPLY=()',
    '  case "$place $previous" in',
    ...valueBranches(places, (value) => {
      if (value === 'file') return 'compopt -o default 2>/dev/null; return'
      return Array.isArray(value) ? `words=${quoted(value.join(' '))}` : 'return'
    }),
    '    *) case "$place" in',
    ...places.map(({ words, commands, flags, takesFile }) => {
      const all = [...commands.map(({ name }) => name), ...flags.map(({ names }) => names[0])]
      const files = takesFile ? '; [[ $current == -* ]] || compopt -o default 2>/dev/null' : ''
      return `      ${quoted(words)}) words=${quoted(all.join(' '))}${files} ;;`
    }),
    '    esac ;;',
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -F _holdfast holdfast',
  ]
}

function zshScript(places: Place[]): string[] {
  const entry = (name: string, description: string) => quoted(`${name}:${description}`)
  return [
    '#compdef holdfast',
    '# Completes the commands and options of holdfast in zsh.',
    '_holdfast() {',
    '  local place= word',
    '  local -a commands flags',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    '    case "$place $word" in',
    `      ${knownPlaces(places)}) place="$place $word" ;;`,
    '    esac',
    '  done',
    '  case "$place ${words[CURRENT-1]}" in',
    ...valueBranches(places, (value) => {
      if (value === 'file') return '_files; return'
      return Array.isArray(value)
        ? `compadd -- ${value.map((one) => quoted(one)).join(' ')}; return`
        : 'return'
    }),
    '  esac',
    '  case "$place" in',
    ...places.map(({ words, commands, flags, takesFile }) => {
      const names = commands.map(({ name, description }) => entry(name, description))
      const options = flags.map(({ names: [name = ''], description }) => entry(name, description))
      const files = takesFile ? '_files; ' : ''
      return `    ${quoted(words)}) ${files}commands=(${names.join(' ')}); flags=(${options.join(' ')}) ;;`
    }),
    '  esac',
    "  (( $#commands )) && _describe 'command' commands",
    "  [[ ${words[CURRENT]} == -* || $#commands -eq 0 ]] && _describe -o 'option' flags",
    '}',
    '# on the fpath this file is the function itself',
    'if [[ $funcstack[1] == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast; fi',
  ]
}

function fishScript(places: Place[]): string[] {
  const text = (words: string) => quoted(words, "\\'")
  const valueOf = (value: Flag['value']) => {
    if (value === 'none') return ''
    if (value === 'file') return ' -r -F'
    return Array.isArray(value) ? ` -x -a ${text(value.join(' '))}` : ' -x'
  }
  return [
    '# Completes the commands and options of holdfast in fish.',
    'function __holdfast_at',
    '  set -l place',
    '  set -l written (commandline -opc)',
    '  for word in $written[2..]',
    '    switch "$place $word"',
    `      case ${places
      .slice(1)
      .map(({ words }) => text(words))
      .join(' ')}`,
    '        set place "$place $word"',
    '    end',
    '  end',
    '  test "$place" = "$argv"',
    'end',
    'complete -c holdfast -f',
    ...places.flatMap(({ words, commands, flags, takesFile }) => {
      const here = `complete -c holdfast -n ${quoted(`__holdfast_at "${words}"`)}`
      return [
        ...commands.map(({ name, description }) => `${here} -a ${name} -d ${text(description)}`),
        ...flags.map(({ names, description, value }) => {
          const options = names.map((name) =>
            name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
          )
          return `${here} ${options.join(' ')}${valueOf(value)} -d ${text(description)}`
        }),
        ...(takesFile ? [`${here} -F`] : []),
      ]
    }),
  ]
}
