import { destination, pino, type DestinationStream, type Logger } from 'pino'
import { currentTraceId } from './tracing.ts'

// no \b before them: a secret is one inside a longer word too
const secrets = /(cal_[a-z]{3}_|whsec_|[sr]k_(?:live|test)_)[A-Za-z0-9+/=_-]+/g
const urlPasswords = /(:\/\/[^\s:/@"]*:)[^\s@"]+@/g

/** Blanks keys (ours and Stripe's), tokens, webhook secrets and passwords of addresses, wherever in a text they stand. */
export function redact(text: string): string {
  return text.replace(secrets, '$1[redacted]').replace(urlPasswords, '$1[redacted]@')
}

/**
 * What a log line says about an error. The message of a database error can quote a client's data
 * ("invalid input: …", "Key (email)=(…)"), so only its codes and names are kept.
 */
function describeError(error: Error): object {
  const cause = error.cause instanceof Error ? { cause: describeError(error.cause) } : {}
  const frames = error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .join('\n')
  if ('severity' in error && 'routine' in error) {
    const known = ['code', 'severity', 'table', 'column', 'constraint', 'routine'] as const
    const fields = Object.entries(error).filter(([name]) => known.some((field) => field === name))
    return { type: error.name, ...Object.fromEntries(fields), stack: frames, ...cause }
  }
  return { type: error.name, message: error.message, stack: frames, ...cause }
}

/** The log of the process: JSON lines in which no secret can stand, whatever was logged. */
export function createLog(
  level: string,
  stream: DestinationStream = destination({ fd: 1, sync: true }),
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => (error instanceof Error ? describeError(error) : undefined) },
      mixin: () => {
        const trace_id = currentTraceId()
        return trace_id === undefined ? {} : { trace_id }
      },
      hooks: { streamWrite: redact },
    },
    stream,
  )
}
