import type { Reply } from './test-service.ts'

/* The form with a file of clients, as browsers send it. */

/** Returns a form with a file as browsers send it. */
export function multipart(parts: Record<string, string | Buffer>): { body: Buffer; type: string } {
  const boundary = '----holdfast-test-0123456789'
  const chunks = Object.entries(parts).flatMap(([name, value]) => [
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${Buffer.isBuffer(value) ? '; filename="clients.csv"\r\ncontent-type: text/csv' : ''}\r\n\r\n`,
    ),
    Buffer.isBuffer(value) ? value : Buffer.from(value),
    Buffer.from('\r\n'),
  ])
  return {
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
  }
}

const plain = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** Reads the hidden fields and chosen columns of a plan, as a browser sends them. */
export function planFields({ body }: Pick<Reply, 'body'>): Record<string, string> {
  const page = String(body)
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  const chosen = [...page.matchAll(/<select[^>]*name="([^"]*)"[^>]*>([^]*?)<\/select>/g)]
  return Object.fromEntries([
    ...hidden.map(([, name = '', value = '']) => [name, plain(value)]),
    ...chosen.map(([, name = '', options = '']) => [
      name,
      /value="([^"]*)" selected/.exec(options)?.[1] ?? '',
    ]),
  ]) as Record<string, string>
}
