import type { CallOptions, Reply, TestService } from '../support/test-service.ts'

/** The version of the protocol in which each request speaks for itself. */
export const stateless = '2026-07-28'

/** A request of an agent's program, in either generation of the protocol. */
interface Asked extends CallOptions {
  method: string
  params?: object
  version?: string
}

let lastId = 0

/** The envelope of a request of the generation without `initialize`. */
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': stateless,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Sends a request to `/mcp`, with what its version wants in headers and `_meta`. */
export function ask(
  service: TestService,
  { method, params = {}, version = '2025-11-25', ...call }: Asked,
): Promise<Reply> {
  const isStateless = version === stateless
  const { name } = params as { name?: string }
  lastId += 1
  return service.call('POST', '//mcp', {
    ...call,
    body: {
      jsonrpc: '2.0',
      id: lastId,
      method,
      params: isStateless ? { ...params, _meta: envelope } : params,
    },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      ...(isStateless && { 'mcp-method': method }),
      ...(isStateless && name !== undefined && { 'mcp-name': name }),
      ...call.headers,
    },
  })
}

/** An agent: calls tools with one credential, in one version of the protocol. */
export function agent(service: TestService, token: string, version?: string) {
  const send = (method: string, params: object, headers = {}) =>
    ask(service, { token, method, params, headers, ...(version !== undefined && { version }) })
  return {
    send,
    /** The result of a tool: what it says, and whether it was refused. */
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the wire gives
    tool: async (name: string, args: object): Promise<{ isError: boolean; said: any }> => {
      const { status, body } = await send('tools/call', { name, arguments: args })
      if (status !== 200 || !body.result) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
      const { content, structuredContent, isError = false } = body.result
      const [{ type, text }, ...more] = content
      if (
        type !== 'text' ||
        more.length > 0 ||
        JSON.stringify(JSON.parse(text)) !== JSON.stringify(structuredContent)
      ) {
        throw new Error(`${name}: the text is not the structured content`)
      }
      return { isError, said: structuredContent }
    },
  }
}
