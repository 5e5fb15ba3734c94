import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { agent } from './mcp-client.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService('sqlite')
})
afterAll(() => service.stop())

test('the conversation of docs/guides/agents.md goes as it says', async () => {
  const [first, ...calls] = blocksOf(documentAt('docs/guides/agents.md'))
    .filter(({ language }) => language === 'json')
    .map(({ text }) => JSON.parse(text) as { name: string; arguments: Record<string, unknown> })
  expect(first).toMatchObject({
    mcpServers: { salon: { args: ['holdfast', 'mcp', '--url', expect.any(String)] } },
  })
  expect(calls.map(({ name }) => name)).toEqual(['find_slots', 'hold_slot', 'confirm_booking'])
  const { tool } = agent(service, await service.session())
  const given: Record<string, unknown> = {}
  for (const { name, arguments: args } of calls) {
    const { isError, said } = await tool(name, {
      ...args,
      ...('hold_id' in args && { hold_id: given['hold_id'] }),
    })
    expect(isError, JSON.stringify(said)).toBe(false)
    Object.assign(given, said)
  }
  expect(given).toMatchObject({ status: 'confirmed', manage_url: expect.any(String) })
})
