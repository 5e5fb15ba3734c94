import { runCommandLine } from './cli/program.ts'

for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader)
await runCommandLine(process.argv.slice(2))

/**
 * Handles a reader such as `head` that closes the pipe early, which is no error. A server continues without its reader,
 * because ending here would cut off requests in flight.
 */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  if (process.argv[2] !== 'serve') process.exit()
}
