import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** The heap in use of this thread, after a collection. */
export function heapBytes(): number {
  collect()
  return process.memoryUsage().heapUsed
}
