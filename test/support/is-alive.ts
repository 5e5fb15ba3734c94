/** True if a process with this ID is running. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
