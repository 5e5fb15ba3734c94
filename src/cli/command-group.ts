import type { Command } from 'commander'

/** Commands that share their first word. */
export interface CommandGroup {
  name: string
  description: string
  /** What follows the name, in the example of its help. */
  example: string
  commands: ((group: Command) => void)[]
}

/** Adds the commands of a group under its name. */
export function addGroup(program: Command, { name, description, example, commands }: CommandGroup): void {
  const group = program.command(name).description(description)
  group.addHelpText('after', `\nExample:\n  $ holdfast ${name} ${example}`)
  for (const add of commands) add(group)
}
