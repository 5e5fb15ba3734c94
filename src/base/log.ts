import { destination, type DestinationStream, type Logger, pino } from 'pino'
import { currentTraceId } from './tracing.ts'

// no \b in front: a secret inside a longer word is redacted too
const secrets = /(cal_[a-z]{3}_|whsec_|[sr]k_(?:live|test)_)[A-Za-z0-9+/=_-]+/g
const urlPasswords = /(:\/\/[^\s:/@"]*:)[^\s@"]+@/g

/** Secrets in paths: those of feeds, and codes of short links to manage a booking. */
const pathSecrets = /(\/feeds\/|\/m\/)[\w-]{32,43}/g

const loggedFields = ['code', 'severity', 'table', 'column', 'constraint', 'routine']

/** Redacts keys (ours and Stripe's), tokens, webhook secrets, secrets in paths and passwords in URLs. */
export function redact(text: string): string {
  return text
    .replace(secrets, '$1[redacted]')
    .replace(urlPasswords, '$1[redacted]@')
    .replace(pathSecrets, '$1[redacted]')
}

/** Opens the log of the process: JSON lines, redacted as a whole. */
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

/**
 * Logs only codes and names of a database error, because its message can quote a client's data ("invalid input: …",
 * "Key (email)=(…)").
 */
function describeError(error: Error): object {
  const cause = error.cause instanceof Error ? { cause: describeError(error.cause) } : {}
  const frames = error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .join('\n')
  const isOfDatabase = 'severity' in error && 'routine' in error
  const fields = isOfDatabase ? Object.entries(error).filter(([name]) => loggedFields.includes(name)) : []
  const logged = isOfDatabase ? Object.fromEntries(fields) : { message: error.message }
  return { type: error.name, ...logged, stack: frames, ...cause }
}
