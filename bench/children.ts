import type { ChildProcess } from 'node:child_process'

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
// they are in groups of their own, so that whoever interrupts a benchmark in a terminal does not end them first
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

/** A process that does not outlive this one, however this one ends. */
export function endingWithUs<Child extends ChildProcess>(child: Child): Child {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}
