/** Explanations and remedies by error codes of Node, its TLS and its client. */
const connectionFaults: [pattern: RegExp, said: string][] = [
  [/^ECONNREFUSED$/, 'the connection was refused. Start the server, or correct the port in --url.'],
  [/^(ENOTFOUND|ENODATA|EAI_\w+)$/, 'the host name was not found. Correct the host in --url.'],
  [
    /TIMEOUT|ETIMEDOUT/i,
    'it did not answer in time. Check that the server is running and that no firewall blocks it.',
  ],
  [
    /WRONG_VERSION_NUMBER|EPROTO/,
    'it does not use TLS. Correct the port in --url, or start it with http://.',
  ],
  [
    /CERT|SIGNATURE|ISSUER|CRL|HOSTNAME_MISMATCH|ALTNAME/,
    'its certificate is not trusted. Use the host name of the certificate in --url; for a private authority, set NODE_EXTRA_CA_CERTS to its file.',
  ],
  [/unexpected redirect/, 'it redirects to another address. Use that in --url, perhaps with https://.'],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    'the connection was closed. Check the log of the server, or of a proxy in front of it.',
  ],
]

/** Returns the reason why a service did not answer. `fetch` gives it only in the cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code, name, message } = (error.cause ?? error) as { code?: unknown; name: string; message: string }
  const known = connectionFaults.find(([pattern]) =>
    [code, name, message].some((one) => pattern.test(String(one))),
  )
  const shown = typeof code === 'string' ? ` (${code})` : ''
  return (known?.[1].replace('.', `${shown}.`) ?? message) || String(code)
}
