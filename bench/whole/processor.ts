import { readFileSync } from 'node:fs'

/** The clock ticks of /proc: 100 a second on every Linux that Node runs on. */
const ticksPerSecond = 100

/** Seconds of the processor that processes have used so far; undefined where there is no /proc to say so. */
export function processorSeconds(pids: number[]): number | undefined {
  const seconds = pids.map((pid) => {
    const fields = readProc(pid, 'stat')
      ?.replace(/^.*\) /, '')
      .split(' ')
    return fields && (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  })
  const known = seconds.filter((one) => one !== undefined)
  return known.length > 0 ? known.reduce((sum, one) => sum + one, 0) : undefined
}

/** Megabytes of memory that a process has resident; undefined where there is no /proc. */
export function residentMegabytes(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readProc(pid, 'status') ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
}

function readProc(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined // ended, or not Linux
  }
}
