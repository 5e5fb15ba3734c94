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
// they have separate process groups, so that an interrupt in the terminal does not end them first
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    process.on('uncaughtException', () => undefined) // messages of the measurement about its lost servers
    endChildren()
    const removed = [...leftovers].map(async (remove) => remove())
    void Promise.allSettled(removed).then(() => process.exit(130))
  })
}

/** Makes a process end with this one, for whatever reason. */
export function endingWithUs<Child extends ChildProcess>(child: Child): Child {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Returns the function that removes something. A signal that ends this process removes it, too. */
export function removedWithUs(remove: () => unknown): () => Promise<void> {
  leftovers.add(remove)
  return async () => {
    leftovers.delete(remove)
    await remove()
  }
}

/** Creates an empty directory for a benchmark. */
export function ownDirectory(): { path: string; remove: () => Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  return { path, remove: removedWithUs(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 })) }
}
