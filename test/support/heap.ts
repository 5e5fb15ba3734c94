import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Returns the heap in use of this thread, after a garbage collection. */
export function heapBytes(): number {
  collect()
  return process.memoryUsage().heapUsed
}
