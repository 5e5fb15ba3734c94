// The HEALTHCHECK of the Dockerfile, whose image has no curl. Exits with 0 if the local server answers, else with 1 and
// the reason. Uses /healthz, not /readyz, because a new container does not repair an unavailable database.
const host = process.env.HOST || '127.0.0.1'
const everywhere = host === '0.0.0.0' || host === '::'
const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
const url = `http://${name}:${process.env.PORT || '3000'}/healthz`

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(4_000) })
  const { status } = await response.json()
  if (response.status !== 200 || status !== 'alive') throw new Error(`the answer is ${response.status}`)
} catch (error) {
  console.error(`${url}: ${error.cause?.message || error.message}`)
  process.exitCode = 1
}
