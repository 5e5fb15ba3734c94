import { resolve } from 'node:path'
import { closest, distance } from 'fastest-levenshtein'
import ipaddr from 'ipaddr.js'
import { isEmail, isLine } from './contact-formats.ts'

/* Readers for the values of settings. Each throws an Error whose message describes the expected value. */

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN
    if (value >= min && value <= max) return value
    throw new Error(`must be a whole number from ${min} to ${max}`)
  }
}

export function oneOf<T extends string>(...values: T[]): (text: string) => T {
  return (text) => {
    const value = values.find((candidate) => candidate === text)
    if (value) return value
    const near = closest(text, values)
    const hint = distance(near, text) <= 3 ? `; did you mean ${near}?` : ''
    throw new Error(`must be one of ${values.join(', ')}${hint}`)
  }
}

/** Reads a number from 0 to 1. */
export function share(text: string): number {
  const value = /^\d(\.\d{1,6})?$/.test(text) ? Number(text) : NaN
  if (value >= 0 && value <= 1) return value
  throw new Error('must be a number from 0 to 1, for example 0.1')
}

/** Reads a number above 0. */
export function factor(text: string): number {
  const value = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : NaN
  if (value > 0) return value
  throw new Error('must be a number above 0, for example 10')
}

/** Reads two numbers of seconds, such as 30,300. */
export function twoPauses(text: string): [number, number] {
  const [first, second, ...more] = text.split(',').map((part) => /^\s*(\d{1,5})\s*$/.exec(part)?.[1])
  const pauses: [number, number] = [Number(first ?? NaN), Number(second ?? NaN)]
  if (more.length === 0 && pauses.every((seconds) => seconds >= 1 && seconds <= 86_400)) return pauses
  throw new Error('must be two numbers of seconds from 1 to 86400, such as 30,300')
}

export function cidrList(text: string): string[] {
  const ranges = text.split(',').flatMap((range) => range.trim() || [])
  const invalid = ranges.find((range) => !ipaddr.isValidCIDR(range))
  if (invalid === undefined) return ranges
  throw new Error(`must be a list of address ranges such as 10.0.0.0/8,fd00::/8; "${invalid}" is not valid`)
}

/** A SQLite file, or the URLs of the servers of a PostgreSQL database. Of several servers, one accepts writes. */
type DatabaseUrl = { engine: 'sqlite'; file: string } | { engine: 'postgres'; urls: string[] }

export function databaseUrl(text: string): DatabaseUrl {
  if (/^postgres(ql)?:\/\//.test(text)) return { engine: 'postgres', urls: postgresUrls(text) }
  const file = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(text)?.[1]
  if (file && !file.startsWith('//')) return { engine: 'sqlite', file: resolve(file) }
  throw new Error('must be sqlite:./path/to/file.db or postgres://user:password@host:5432/name')
}

/** Returns one URL for each host of postgres://user:password@host:5432,host:5432/name, in the format of libpq. */
function postgresUrls(text: string): string[] {
  const [, before, hosts, after] = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/.exec(text) ?? []
  const urls = hosts?.split(',').map((host) => `${before}${host}${after}`) ?? []
  const isMissing = urls.length > 1 && hosts?.split(',').includes('')
  if (urls.length > 0 && !isMissing && urls.every((url) => URL.canParse(url))) return [...new Set(urls)]
  throw new Error(
    'is not a valid address; the form is postgres://user:password@host:5432/name, with several hosts host:5432,host:5432',
  )
}

/** Reads an empty text, or the URL of each PostgreSQL server. */
export function replicaUrls(text: string): string[] {
  if (text === '') return []
  if (/^postgres(ql)?:\/\//.test(text)) return postgresUrls(text)
  throw new Error('must be postgres://user:password@host:5432/name, of replicas of DATABASE_URL')
}

/** Reads an empty text, or the URL of a Redis. */
export function redisUrl(text: string): string {
  const { protocol, hostname, pathname } = URL.parse(text) ?? {}
  const isRedis = protocol === 'redis:' || protocol === 'rediss:'
  if (text === '' || (isRedis && hostname && /^(\/\d{0,4})?$/.test(pathname ?? ''))) return text
  throw new Error('must be redis://user:password@host:6379/0, or rediss:// for TLS')
}

/** Reads the prefix of keys in a shared store. */
export function keyPrefix(text: string): string {
  if (/^[\w:.{}-]{1,64}$/.test(text)) return text
  throw new Error('must be 1 to 64 letters, digits and : . _ - { }')
}

/** Reads an empty text, or the URL of an OpenID provider: https, on this machine also http. Keeps a trailing slash. */
export function issuerUrl(text: string): string {
  const { protocol, hostname = '', search, hash } = URL.parse(text) ?? {}
  const isLocal = protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
  if (text === '' || ((protocol === 'https:' || isLocal) && !search && !hash)) return text
  throw new Error('must be an address such as https://login.example.com')
}

/** Reads an empty text, or one line of at most `max` characters. */
export function lineUpTo(max: number): (text: string) => string {
  return (text) => {
    if (isLine(text) && text.length <= max) return text
    throw new Error(`must be one line of at most ${max} characters`)
  }
}

/** Reads an empty text, or an http or https URL. */
export function httpUrl(text: string): string {
  const { protocol } = URL.parse(text) ?? {}
  if (text === '' || protocol === 'http:' || protocol === 'https:') return text
  throw new Error('must be an address such as http://127.0.0.1:4318')
}

/** Reads an empty text, or an http or https URL without query and fragment. Drops a trailing slash. */
export function publicUrl(text: string): string {
  const url = URL.parse(text)
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (text === '' || (isHttp && url.search === '' && url.hash === '' && url.username === ''))
    return text.replace(/\/+$/, '')
  throw new Error('must be an address such as https://booking.example.com')
}

/** Reads the name or ID of a tenant at Microsoft, which becomes part of an address. */
export function tenant(text: string): string {
  if (/^[\w.-]{1,100}$/.test(text)) return text
  throw new Error('must be common, organizations, consumers, or the ID or domain of a tenant')
}

/** Reads an empty text, or the URL of a mail server. The error never repeats the text. */
export function smtpUrl(text: string): string {
  const { protocol, hostname, pathname = '', search, hash, username } = URL.parse(text) ?? {}
  const isSmtp = protocol === 'smtp:' || protocol === 'smtps:'
  const isPlain = search === '?tls=optional' && protocol === 'smtp:'
  if (isPlain && username !== '')
    throw new Error('must not have tls=optional together with a user: a password never goes in the clear')
  if (text === '' || (isSmtp && hostname && /^[/]?$/.test(pathname) && (!search || isPlain) && !hash))
    return text
  throw new Error('must be smtp://user:password@host:587, or smtps://user:password@host:465 for TLS at once')
}

/** The sender of emails. */
export interface Sender {
  name: string
  address: string
}

/** Reads `Name <address>` or an address. Returns null for an empty text. */
export function sender(text: string): Sender | null {
  if (text === '') return null
  const parts = /^(?:"?([^"<>]{0,100}?)"?\s*)<([^<>]+)>$/.exec(text.trim())
  const [name, address] = parts ? [parts[1] ?? '', parts[2] ?? ''] : ['', text.trim()]
  if (isEmail(address) && isLine(name) && !/[<>"(),:;\\[\]]/.test(address))
    return { name: name.trim(), address }
  throw new Error('must be an address such as booking@example.com, or Salon <booking@example.com>')
}

/** Reads an empty text, or a text with one of these prefixes. */
export function beginningWith(...prefixes: string[]): (text: string) => string {
  return (text) => {
    if (text === '' || prefixes.some((prefix) => text.startsWith(prefix))) return text
    throw new Error(`must begin with ${prefixes.join(' or ')}`)
  }
}

/**
 * Reads 32 bytes as 64 hexadecimal digits or in base64. Returns undefined for an empty text. The error never repeats
 * the text.
 */
export function secretOf32Bytes(text: string): Buffer | undefined {
  if (text === '') return undefined
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64')
  throw new Error(
    'must be 32 bytes as 64 hexadecimal digits or in base64, for example of: openssl rand -hex 32',
  )
}

/**
 * Reads the provider of text messages. The host is that of its API. `from` is a number or a name, for Twilio also the ID
 * of a messaging service. `signature` is the secret with which Vonage signs its callbacks.
 */
export function smsUrl(text: string): string {
  if (text === '') return text
  const { protocol = '', hostname = '', username, password, searchParams, hash } = URL.parse(text) ?? {}
  const isProvider = protocol === 'twilio:' || protocol === 'vonage:'
  const allowed = isProvider ? ['from', ...(protocol === 'vonage:' ? ['signature'] : [])] : undefined
  const isKnown = [...(searchParams?.keys() ?? [])].every((key) => allowed?.includes(key) ?? true)
  if (isProvider && hostname && username && password && searchParams?.get('from') && isKnown && !hash)
    return text
  const isLocal = protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  if ((protocol === 'https:' || isLocal) && password) return text
  throw new Error(
    'must be twilio://SID:TOKEN@api.twilio.com?from=NUMBER, vonage://KEY:SECRET@rest.nexmo.com?from=NAME&signature=SECRET, or https://user:password@host/path of your own gateway',
  )
}

/** Reads one number for every plan, or three: for growth, pro and enterprise. */
export function perPlan(text: string): Record<'growth' | 'pro' | 'enterprise', number> {
  const numbers = text.split(',').map((part) => part.trim())
  if (![1, 3].includes(numbers.length) || !numbers.every((part) => /^\d{1,7}$/.test(part)))
    throw new Error('must be a whole number, or three for growth, pro and enterprise, such as 100,500,5000')
  const [growth = 0, pro = growth, enterprise = pro] = numbers.map(Number)
  return { growth, pro, enterprise }
}

/** Reads the calling codes of countries, such as 43,49. */
export function callingCodes(text: string): string[] {
  const codes = text === '' ? [] : text.split(',').map((part) => part.trim().replace(/^\+/, ''))
  if (codes.every((code) => /^[1-9]\d{0,3}$/.test(code))) return codes
  throw new Error('must be calling codes of countries, separated by commas, such as 43,49')
}
