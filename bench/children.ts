import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const children = new Set<ChildProcess>()
const leftovers = new Set<() => unknown>()

function endChildren(): void {
  for (const child of children) child.kill('SIGKILL')
}

process.once('exit', endChildren)
// they are in groups of their own, so that whoever interrupts a benchmark in a terminal does not end them first
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    process.on('uncaughtException', () => undefined) // what the measurement says of its lost servers
    endChildren()
    const removed = [...leftovers].map(async (remove) => remove())
    void Promise.allSettled(removed).then(() => process.exit(130))
  })
}

/** A process that does not outlive this one, however this one ends. */
export function endingWithUs<Child extends ChildProcess>(child: Child): Child {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Gives the function that removes something. A signal that ends this process removes it, too. */
export function removedWithUs(remove: () => unknown): () => Promise<void> {
  leftovers.add(remove)
  return async () => {
    leftovers.delete(remove)
    await remove()
  }
}

/** An empty directory of a benchmark's own. */
export function ownDirectory(): { path: string; remove: () => Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  return { path, remove: removedWithUs(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 })) }
}
