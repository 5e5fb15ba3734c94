import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { isUuid } from '../../src/base/ids.ts'
import type { CallOptions, Reply, TestService } from '../support/test-service.ts'

/** The version of the protocol with self-contained requests. */
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

/** Sends a request to `/mcp`, with the headers and `_meta` that its version requires. */
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

const ajv = new Ajv2020({ allErrors: true, strict: false })
ajv.addFormat('uuid', isUuid)
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/)
ajv.addFormat('email', true)
const compiled = new Map<string, ValidateFunction>()

/** Throws if an answer differs from the schema of its tool. */
function assertFits(schema: object, answer: unknown): void {
  const text = JSON.stringify(schema)
  const validate = compiled.get(text) ?? ajv.compile(schema)
  compiled.set(text, validate)
  if (!validate(answer)) throw new Error(`${ajv.errorsText(validate.errors)}: ${JSON.stringify(answer)}`)
}

interface ListedTool {
  name: string
  outputSchema: object
}

/** An agent: calls tools with one credential, in one version of the protocol. */
export function agent(service: TestService, token: string, version?: string) {
  const send = (method: string, params: object, headers = {}) =>
    ask(service, { token, method, params, headers, ...(version !== undefined && { version }) })
  let tools: Map<string, object> | undefined
  const schemaOf = async (name: string) => {
    if (!tools) {
      const { body } = await send('tools/list', {})
      const listed = body.result.tools as ListedTool[]
      tools = new Map(listed.map((tool) => [tool.name, tool.outputSchema]))
    }
    return tools.get(name)
  }
  return {
    send,
    /** The result of a tool: its contents, and if it was refused. */
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
      const schema = await schemaOf(name)
      if (schema) assertFits(schema, structuredContent) // none for a tool that the caller does not have
      return { isError, said: structuredContent }
    },
  }
}
