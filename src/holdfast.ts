import { runCommandLine } from './cli/run-command-line.ts'

for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader)
await runCommandLine(process.argv.slice(2))

/**
 * A reader such as `head` that has seen enough closes the pipe: no fault of the command. A server goes on without its
 * reader; to end here would cut off what is in flight.
 */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  if (process.argv[2] !== 'serve') process.exit()
}
