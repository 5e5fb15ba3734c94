import { runCommandLine } from './cli/program.ts'

for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader)
await runCommandLine(process.argv.slice(2))

/**
 * A reader such as `head` closes the pipe early: that is no error. A server goes on without its reader; to end here would
 * cut off requests in flight.
 */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  if (process.argv[2] !== 'serve') process.exit()
}
